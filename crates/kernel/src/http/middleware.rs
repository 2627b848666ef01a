//! The middleware of every request: request id, time limit, log line, metrics, and the headers of
//! the response.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tower::Service;
use tower_http::compression::Compression;

use super::client_ip;
use super::error::{self, Failure};
use crate::auth::{Quota, RESET_SECONDS};
use crate::{Error, Kernel};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The address that a connection came from.
#[derive(Clone, Copy)]
pub struct Peer(pub IpAddr);

/// What the log and the response say about a request, shared by its extractors.
#[derive(Clone, Debug, Default)]
pub struct RequestInfo(Arc<Info>);

#[derive(Debug, Default)]
struct Info {
    id: String,
    ip: Option<IpAddr>,
    key_id: OnceLock<i64>,
    quota: OnceLock<Quota>,
    closing: AtomicBool,
}

impl RequestInfo {
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    pub fn id(&self) -> &str {
        &self.0.id
    }

    pub fn ip(&self) -> Option<IpAddr> {
        self.0.ip
    }

    /// Adds `Connection: close` to the response. The request was not read to its end, so the
    /// connection cannot be used again.
    pub fn close_connection(&self) {
        self.0.closing.store(true, Ordering::Relaxed);
    }

    pub fn record_key(&self, id: i64) {
        let _ = self.0.key_id.set(id);
    }

    /// Adds the rate limit headers to the response.
    pub fn record_quota(&self, quota: Quota) {
        let _ = self.0.quota.set(quota);
    }
}

pub async fn handle(State(kernel): State<Kernel>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let info = RequestInfo(Arc::new(Info {
        id: client_request_id(request.headers()).unwrap_or_else(|| kernel.new_request_id()),
        ip: request.extensions().get().map(|Peer(ip)| {
            client_ip::resolve(*ip, request.headers(), &kernel.limits.trusted_proxies)
        }),
        ..Info::default()
    }));
    request.extensions_mut().insert(info.clone());
    let method = method_label(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();

    let answer = AssertUnwindSafe(respond(request, next)).catch_unwind();
    let mut response = match tokio::time::timeout(kernel.limits.request_time, answer).await {
        Ok(Ok(response)) => response,
        // The panic hook logs the panic's message, which the client must not see.
        Ok(Err(_)) => Error::internal("a handler panicked").into_response(),
        Err(_) => Error::TookTooLong.into_response(),
    };
    if let Some(Failure(error)) = response.extensions_mut().remove() {
        response = error::render(response, &error, info.id());
    }
    add_headers(response.headers_mut(), info.id());
    if let Some(quota) = info.0.quota.get() {
        add_quota(response.headers_mut(), quota);
    }
    if info.0.closing.load(Ordering::Relaxed) {
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }

    // The route is logged and not the path, which may contain anything, secrets included.
    let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
    let status = response.status().as_u16();
    let took = started.elapsed();
    tracing::info!(
        target: "request",
        request_id = info.id(),
        method,
        route,
        status,
        ms = took.as_micros() as f64 / 1000.0,
        key_id = info.0.key_id.get(),
    );
    kernel.metrics.record_request(method, route, status, took);
    response
}

/// Skips the compression layer for clients that do not accept it: the layer costs time even when
/// it does nothing.
async fn respond(request: Request, mut next: Next) -> Response {
    if !request.headers().contains_key(ACCEPT_ENCODING) {
        return next.run(request).await;
    }
    let compressed = Compression::new(&mut next).call(request);
    match Box::pin(compressed).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
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
