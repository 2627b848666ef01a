//! The middleware of every request: request id, time limit, log line, metrics and response headers.

use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    USER_AGENT, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use axum::routing::Route;
use futures_util::FutureExt;
use tower::{Service, service_fn};
use tower_http::compression::Compression;
use tower_http::compression::predicate::Predicate;

use super::accept::asks_for_problem;
use super::client_ip;
use super::cors::CrossOrigin;
use super::encoding::{Accepted, Encoding};
use super::error::{self, Failure};
use super::layer;
use super::open_span::{Answered, OpenSpan};
use super::request_info::{Info, RequestInfo};
use super::trace_context::trace_parent;
use super::unread_body::BodyWatch;
use super::user_agent;
use crate::auth::{Quota, RESET_SECONDS};
use crate::write::etag;
use crate::{Error, Kernel};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The properties of the connection that a request came over.
#[derive(Clone, Copy)]
pub struct Peer {
    /// The address of the peer.
    pub ip: IpAddr,
    /// Whether the request has both `Transfer-Encoding` and `Content-Length`.
    pub is_ambiguous: bool,
    /// Whether the connection is encrypted up to this process.
    pub has_tls: bool,
}

pub async fn handle(
    kernel: Kernel,
    mut request: Request,
    route: Route,
) -> Result<Response, Infallible> {
    let started = Instant::now();
    // Removed rather than read: the extensions then have room for `RequestInfo` without growing.
    let peer = request.extensions_mut().remove::<Peer>();
    let parent = trace_parent(request.headers());
    // Probes come every few seconds, and tell nothing about clients.
    let is_probe = PROBES.contains(&request.uri().path());
    let spans = kernel.spans.as_ref().filter(|_| !is_probe);
    let span = spans.and_then(|_| OpenSpan::begin(parent, kernel.core.clock.since_1970()));
    let trace_id = span.as_ref().map(OpenSpan::trace_id);
    let info = RequestInfo(Arc::new(Info {
        id: kernel.core.new_request_id(),
        client_id: client_request_id(request.headers()),
        trace_id: trace_id
            .or(parent.map(|parent| parent.trace_id))
            .map(str::to_owned),
        ip: peer.map(|peer| {
            client_ip::resolve(peer.ip, request.headers(), &kernel.limits.trusted_proxies)
        }),
        is_secure: peer.is_some_and(|peer| {
            peer.has_tls
                || client_ip::has_https_proxy(
                    peer.ip,
                    request.headers(),
                    &kernel.limits.trusted_proxies,
                )
        }),
        ..Info::default()
    }));
    request.extensions_mut().insert(info.clone());
    let body = BodyWatch::start(&mut request);
    let method = method_label(request.method());
    let is_http1 = request.version() <= Version::HTTP_11;
    let asks_for_problem = asks_for_problem(request.headers());
    let is_logged = tracing::enabled!(target: "request", tracing::Level::INFO);
    let agent = request.headers().get(USER_AGENT);
    let agent = agent.filter(|_| is_logged).cloned();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let cross_origin = kernel.limits.cors.as_ref();
    let cross_origin = cross_origin.map(|cors| cors.examine(&request));
    let is_preflight = cross_origin.as_ref().is_some_and(CrossOrigin::is_preflight);

    let client = db::Client::new(Some(started + kernel.limits.request_time));
    let answer = client.scope(async {
        match peer {
            Some(peer) if peer.is_ambiguous => Error::AmbiguousLength.into_response(),
            _ if !has_host(&request) => Error::MissingHost.into_response(),
            _ if is_preflight => StatusCode::NO_CONTENT.into_response(),
            _ => respond(request, route).await,
        }
    });
    let answered = {
        // Pinned, because it is large and `timeout` would move it twice. It is dropped with this
        // block: a handler that took too long must not hold its transaction any longer.
        let answer = pin!(AssertUnwindSafe(answer).catch_unwind());
        tokio::time::timeout(kernel.limits.request_time, answer).await
    };
    let mut response = match answered {
        Ok(Ok(response)) => response,
        // The panic hook logs the message of the panic, which the client must not see.
        Ok(Err(_)) => Error::internal("a handler panicked").into_response(),
        Err(_) => Error::TookTooLong.into_response(),
    };
    if let Some(Failure(error)) = response.extensions_mut().remove() {
        if let Error::Internal(cause) = &*error {
            let (request_id, client_request_id) = (info.id(), info.client_id());
            let trace_id = info.trace_id();
            tracing::error!(request_id, client_request_id, trace_id, %cause, "internal error");
        }
        response = error::render(response, &error, info.shown_id(), asks_for_problem);
    }
    add_headers(response.headers_mut(), info.shown_id());
    let hsts_seconds = kernel.limits.hsts_seconds;
    if hsts_seconds > 0
        && peer.is_some_and(|peer| peer.has_tls)
        && let Ok(value) = HeaderValue::try_from(format!("max-age={hsts_seconds}"))
    {
        let headers = response.headers_mut();
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
    if let Some(quota) = info.0.quota.get() {
        add_quota(response.headers_mut(), quota);
    }
    add_preferences(response.headers_mut(), &info.0.applied.lock());
    if let Some(cross_origin) = cross_origin {
        cross_origin.add_headers(response.headers_mut());
    }
    let is_left = match body {
        Some(body) => !is_read(body, response.status(), kernel.limits.discard_time).await,
        None => false,
    };
    // While the service drains, the client's next request must go to another instance.
    if is_left || (kernel.readiness.is_draining() && is_http1) {
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }

    // Log the route and not the path, which may contain secrets.
    let matched = matched.as_ref().map(MatchedPath::as_str);
    let route = matched.unwrap_or("unmatched");
    let status = response.status().as_u16();
    let took = started.elapsed();
    let agent = agent.as_ref().map(user_agent::shown);
    tracing::info!(
        target: "request",
        request_id = info.id(),
        client_request_id = info.client_id(),
        trace_id = info.trace_id(),
        method,
        route,
        status,
        ms = took.as_micros() as f64 / 1000.0,
        key_id = info.0.key_id.get(),
        user_id = info.0.user_id.get(),
        ip = info.0.ip.map(tracing::field::display),
        user_agent = agent.as_deref(),
        "request answered"
    );
    kernel
        .core
        .metrics
        .record_request(method, route, status, took);
    if let (Some(spans), Some(span)) = (spans, span) {
        spans.push(span.end(Answered {
            took,
            method,
            route: matched,
            status,
            is_secure: info.is_secure(),
            request_id: info.id(),
            key_id: info.0.key_id.get().copied(),
        }));
    }
    Ok(response)
}

/// HTTP/1.1 requires exactly one `Host` (RFC 9112, section 3.2). Two of them may be read differently
/// by a proxy.
fn has_host(request: &Request) -> bool {
    request.version() != Version::HTTP_11 || request.headers().get_all(HOST).iter().count() == 1
}

/// Returns `true` if the whole body was received, so that the connection can be reused.
async fn is_read(body: BodyWatch, status: StatusCode, time: Duration) -> bool {
    // Do not wait again for a body that was too slow.
    status != StatusCode::REQUEST_TIMEOUT && body.finish(time).await
}

/// Runs the route, and compresses a body that the handler has not compressed itself.
async fn respond(request: Request, route: Route) -> Response {
    let accepted = Accepted::read(request.headers());
    let response = layer::run(route, request).await;
    // A streaming encoder lives as long as the slowest client. Use gzip: its state is small.
    let available = match response.body().size_hint().exact() {
        Some(_) => &Encoding::ALL[..],
        None => &[Encoding::Gzip],
    };
    let Some(encoding) = accepted.choose(available) else {
        return response;
    };
    if response.headers().contains_key(CONTENT_ENCODING)
        || !IsWorthCompressing.should_compress(&response)
    {
        return response;
    }
    let mut response = match encoding {
        Encoding::Zstd => compress_whole(response).await,
        Encoding::Gzip => compress_stream(response).await,
    };
    mark_compressed(response.headers_mut());
    response
}

/// Compresses a body that is in memory as a whole with zstd. All at once, it takes less time and
/// memory than in parts.
async fn compress_whole(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let plain = match to_bytes(body, usize::MAX).await {
        Ok(plain) => plain,
        Err(error) => return Error::internal(error).into_response(),
    };
    let Ok(compressed) = Encoding::Zstd.compress(&plain) else {
        return Response::from_parts(parts, Body::from(plain));
    };
    let encoding = HeaderValue::from_static(Encoding::Zstd.token());
    parts.headers.insert(CONTENT_ENCODING, encoding);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(compressed))
}

/// Compresses a body with gzip while it is sent.
async fn compress_stream(response: Response) -> Response {
    // The layer gets a separate request that carries the response: given the client's request, it
    // would answer 406 to encodings that it does not know.
    let mut carrier = axum::http::Request::new(response);
    let gzip = HeaderValue::from_static(Encoding::Gzip.token());
    carrier.headers_mut().insert(ACCEPT_ENCODING, gzip);
    let unpack = service_fn(async |carrier: axum::http::Request<Response>| {
        Ok::<_, Infallible>(carrier.into_body())
    });
    let compressed = Compression::new(unpack)
        .compress_when(IsWorthCompressing)
        .call(carrier);
    match Box::pin(compressed).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// Starting a compressor costs more time and memory than it saves on a small body, and a client
/// without a key could start one with every request.
const MIN_COMPRESSED_SIZE: u64 = 1024;

#[derive(Clone, Copy)]
struct IsWorthCompressing;

impl Predicate for IsWorthCompressing {
    fn should_compress<B: HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        let size = response.body().size_hint();
        let is_large = size.upper().is_none_or(|size| size >= MIN_COMPRESSED_SIZE);
        // Excluded: `/metrics` and pages, which need no key; events, which a compressor would
        // delay; backups, whose length clients need; and formats that are compressed already.
        let is_excluded = |kind: &HeaderValue| {
            let excluded: [&[u8]; 6] = [
                b"text/plain",
                b"text/html",
                b"text/event-stream",
                b"application/vnd.sqlite3",
                b"image/",
                b"font/",
            ];
            excluded
                .iter()
                .any(|start| kind.as_bytes().starts_with(start))
        };
        is_large
            && !response
                .headers()
                .get(CONTENT_TYPE)
                .is_some_and(is_excluded)
    }
}

/// Gives a compressed body a different entity tag.
fn mark_compressed(headers: &mut HeaderMap) {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let (Some(encoding), Some(tag)) = (text(CONTENT_ENCODING), text(ETAG))
        && let Ok(tag) = HeaderValue::try_from(etag::of_encoded(tag, encoding))
    {
        headers.insert(ETAG, tag);
    }
}

/// A fixed set of labels: clients can invent methods, and the memory of a label is never freed.
fn method_label(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
    let found = known.into_iter().find(|known| method == known);
    found.unwrap_or("other")
}

fn client_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let valid = (1..=64).contains(&id.len()) && id.bytes().all(allowed);
    valid.then(|| id.to_owned())
}

/// Adds `RateLimit` and `RateLimit-Policy`, as in the IETF draft.
fn add_quota(headers: &mut HeaderMap, quota: &Quota) {
    let (limit, remaining) = (quota.limit, quota.remaining());
    for (name, value) in [
        (RATE_LIMIT_POLICY, format!("\"key\";q={limit};w=1")),
        (
            RATE_LIMIT,
            format!("\"key\";r={remaining};t={RESET_SECONDS}"),
        ),
    ] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

fn add_preferences(headers: &mut HeaderMap, applied: &[&str]) {
    if !applied.is_empty()
        && let Ok(applied) = HeaderValue::try_from(applied.join(", "))
    {
        headers.insert(PREFERENCE_APPLIED, applied);
    }
}

/// The headers of every response. Cloning them is cheaper than adding them one by one.
static COMMON_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    // The capacity includes the headers of a response.
    let mut headers = HeaderMap::with_capacity(14);
    for (name, value) in [
        (VARY, "accept-encoding"),
        (CACHE_CONTROL, "no-store"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
});

/// Adds the common headers. The response's own headers take precedence.
pub fn add_headers(headers: &mut HeaderMap, request_id: &str) {
    let own = std::mem::replace(headers, COMMON_HEADERS.clone());
    headers.extend(own);
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, id);
    }
}
