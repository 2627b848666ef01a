//! The middleware of every request: request id, time limit, log line, metrics, and the headers of
//! the response.

use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY, USER_AGENT, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use axum::routing::Route;
use futures_util::FutureExt;
use parking_lot::Mutex;
use tower::{Service, service_fn};
use tower_http::compression::Compression;
use tower_http::compression::predicate::Predicate;

use super::accept::asks_for_problem;
use super::client_ip;
use super::compression::{Effort, compress};
use super::cors::CrossOrigin;
use super::encoding::{Accepted, Encoding};
use super::error::{self, Failure};
use super::money_form;
use super::open_span::{Answered, OpenSpan};
use super::trace_context::trace_parent;
use super::unread_body::BodyWatch;
use super::user_agent;
use crate::auth::{Quota, RESET_SECONDS};
use crate::write::etag;
use crate::{Error, Kernel};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What the connection says about a request.
#[derive(Clone, Copy)]
pub struct Peer {
    /// The address that the connection came from.
    pub ip: IpAddr,
    /// Whether the request has both `Transfer-Encoding` and `Content-Length`.
    pub is_ambiguous: bool,
    /// Whether the connection is encrypted up to this process.
    pub has_tls: bool,
}

/// What the log and the response say about a request, shared by its extractors.
#[derive(Clone, Debug, Default)]
pub struct RequestInfo(Arc<Info>);

#[derive(Debug, Default)]
struct Info {
    id: String,
    client_id: Option<String>,
    trace_id: Option<String>,
    ip: Option<IpAddr>,
    is_secure: bool,
    key_id: OnceLock<i64>,
    user_id: OnceLock<i64>,
    quota: OnceLock<Quota>,
    /// Preferences of the client that were honoured.
    applied: Mutex<Vec<&'static str>>,
}

impl RequestInfo {
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// The id that the service gave the request, for the audit log and the log.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The valid id that the client gave the request.
    pub fn client_id(&self) -> Option<&str> {
        self.0.client_id.as_deref()
    }

    /// The trace that the request is part of, if the client says so or it is exported.
    fn trace_id(&self) -> Option<&str> {
        self.0.trace_id.as_deref()
    }

    /// The id in the response: that of the client, if there is one.
    fn shown_id(&self) -> &str {
        self.client_id().unwrap_or(self.id())
    }

    pub fn ip(&self) -> Option<IpAddr> {
        self.0.ip
    }

    /// Whether the client's connection is encrypted, up to this process or to a trusted proxy.
    pub fn is_secure(&self) -> bool {
        self.0.is_secure
    }

    pub fn record_key(&self, id: i64) {
        let _ = self.0.key_id.set(id);
    }

    pub fn record_operator(&self, user_id: i64) {
        let _ = self.0.user_id.set(user_id);
    }

    /// Adds the rate limit headers to the response.
    pub fn record_quota(&self, quota: Quota) {
        let _ = self.0.quota.set(quota);
    }

    /// Says in the response that a preference of the client was honoured (RFC 7240).
    pub fn record_preference(&self, preference: &'static str) {
        let mut applied = self.0.applied.lock();
        if !applied.contains(&preference) {
            applied.push(preference);
        }
    }
}

pub async fn handle(
    kernel: Kernel,
    mut request: Request,
    route: Route,
) -> Result<Response, Infallible> {
    let started = Instant::now();
    // Removed, not only read: the map of extensions then has room for `RequestInfo` without growing.
    let peer = request.extensions_mut().remove::<Peer>();
    let parent = trace_parent(request.headers());
    let spans = kernel.spans.as_ref();
    let span = spans.and_then(|_| OpenSpan::begin(parent, kernel.clock.since_1970()));
    let trace_id = span.as_ref().map(OpenSpan::trace_id);
    let info = RequestInfo(Arc::new(Info {
        id: kernel.new_request_id(),
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
            _ if is_preflight => StatusCode::NO_CONTENT.into_response(),
            _ => respond(request, route).await,
        }
    });
    let answered = {
        // Pinned, because it is large and `timeout` would move it twice. It ends with this block: a
        // handler that took too long must not hold its transaction any longer.
        let answer = pin!(AssertUnwindSafe(answer).catch_unwind());
        tokio::time::timeout(kernel.limits.request_time, answer).await
    };
    let mut response = match answered {
        Ok(Ok(response)) => response,
        // The panic hook logs the panic's message, which the client must not see.
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
    if let Some(quota) = info.0.quota.get() {
        add_quota(response.headers_mut(), quota);
    }
    add_preferences(response.headers_mut(), &info.0.applied.lock());
    if let Some(cross_origin) = cross_origin {
        cross_origin.add_headers(response.headers_mut());
    }
    let is_left = match body {
        Some(body) => !is_read(body, response.status()).await,
        None => false,
    };
    // While the service is drained, the next request of the client goes to another instance.
    if is_left || (kernel.readiness.is_draining() && is_http1) {
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }

    // The route is logged and not the path, which may contain anything, secrets included.
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
    kernel.metrics.record_request(method, route, status, took);
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

/// Whether the body was received to its end, so that the connection can be used again.
async fn is_read(body: BodyWatch, status: StatusCode) -> bool {
    // A body that was too slow is not waited for again.
    status != StatusCode::REQUEST_TIMEOUT && body.finish().await
}

/// Compresses what the handler has not compressed itself.
async fn respond(request: Request, route: Route) -> Response {
    let accepted = Accepted::read(request.headers());
    let response = money_form::run(request, route).await;
    // What compresses a stream holds its memory for as long as the client takes; gzip needs little.
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
        Encoding::Zstd | Encoding::Brotli => compress_whole(response, encoding).await,
        Encoding::Gzip => compress_stream(response).await,
    };
    mark_compressed(response.headers_mut());
    response
}

/// Compresses a body that is in memory as a whole.
async fn compress_whole(response: Response, encoding: Encoding) -> Response {
    let (mut parts, body) = response.into_parts();
    let plain = match to_bytes(body, usize::MAX).await {
        Ok(plain) => plain,
        Err(error) => return Error::internal(error).into_response(),
    };
    let Ok(compressed) = compress(&plain, encoding, Effort::EachTime) else {
        return Response::from_parts(parts, Body::from(plain));
    };
    let encoding = HeaderValue::from_static(encoding.token());
    parts.headers.insert(CONTENT_ENCODING, encoding);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(compressed))
}

/// Compresses a body with gzip while it is sent.
async fn compress_stream(response: Response) -> Response {
    // The layer gets a request of its own, which carries the response: with that of the client, it
    // would answer 406 where it does not know what the client accepts.
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

/// The compressor takes more time and memory to start than it saves with a small body, and a
/// client without a key could make it start with every request.
const MIN_COMPRESSED_SIZE: u64 = 1024;

#[derive(Clone, Copy)]
struct IsWorthCompressing;

impl Predicate for IsWorthCompressing {
    fn should_compress<B: HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        let size = response.body().size_hint();
        let is_large = size.upper().is_none_or(|size| size >= MIN_COMPRESSED_SIZE);
        // `/metrics` and pages, which need no key; events, which a compressor would hold back;
        // backups, whose length a client wants to know; and what is compressed by its format.
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

/// Gives a compressed body another entity tag than the plain one has.
fn mark_compressed(headers: &mut HeaderMap) {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let (Some(encoding), Some(tag)) = (text(CONTENT_ENCODING), text(ETAG))
        && let Ok(tag) = HeaderValue::try_from(etag::of_encoded(tag, encoding))
    {
        headers.insert(ETAG, tag);
    }
}

/// A fixed set of labels: a client can invent methods, and each label would take memory for ever.
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

/// `RateLimit` and `RateLimit-Policy`, as in the IETF draft.
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

/// The headers of every response. A copy of them is cheaper than adding them one by one.
static COMMON_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    // With room for those of a response.
    let mut headers = HeaderMap::with_capacity(14);
    for (name, value) in [
        (VARY, "accept-encoding"),
        (CACHE_CONTROL, "no-store"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
});

/// Adds the common headers. Those that the response already has stay.
pub fn add_headers(headers: &mut HeaderMap, request_id: &str) {
    let own = std::mem::replace(headers, COMMON_HEADERS.clone());
    headers.extend(own);
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, id);
    }
}
