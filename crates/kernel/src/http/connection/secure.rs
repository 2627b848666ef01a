//! Connections with TLS: HTTP/1.1, or HTTP/2 if the client asks for it.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt;

use super::activity::{Activity, Verdict};
use super::head_scan::{Ambiguous, HeadScan};
use super::lingering_close::LingeringClose;
use super::slots::Slots;
use super::write_timeout::{Pace, RequestCount, WriteTimeout};
use super::{busy, record_refused_head, service};
use crate::http::health;
use crate::http::middleware::Peer;
use crate::{Kernel, Limits};

/// Concurrent requests on one connection.
const STREAMS: u32 = 32;
/// Bytes that a client may send before they are read: of all bodies, and of one body.
const CONNECTION_WINDOW: u32 = 1 << 20;
const STREAM_WINDOW: u32 = 256 << 10;
/// Bytes of a response that may be buffered before the socket takes them.
const SEND_BUFFER: usize = 64 << 10;
/// How often a connection is checked, at most.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// State that connections share.
pub struct Shared {
    pub kernel: Kernel,
    pub router: Router,
    pub http1: http1::Builder,
    pub pace: Pace,
    /// Concurrent HTTP/2 requests, in total and per address. A connection can carry several, so the
    /// limits of connections do not bound them.
    pub requests: Arc<Slots>,
    /// The same for probes.
    pub probes: Arc<Slots>,
    /// Whether the connections are above a limit.
    pub serves_probes_only: bool,
}

/// Returns when the connection has ended. `stop` lets running requests finish.
pub async fn serve(
    shared: &Shared,
    acceptor: tokio_rustls::TlsAcceptor,
    stream: WriteTimeout,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let requests = stream.requests();
    // The handshake counts as part of the head.
    let handshake = tokio::time::timeout(shared.kernel.limits.header_time, acceptor.accept(stream));
    let outcome = tokio::select! {
        outcome = handshake => outcome,
        () = stopped(&mut stop) => return,
    };
    let Ok(Ok(stream)) = outcome else {
        return;
    };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        serve_http2(shared, stream, peer, requests, stop).await;
    } else {
        serve_http1(shared, stream, peer, requests, stop).await;
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn serve_http1(
    shared: &Shared,
    stream: TlsStream<WriteTimeout>,
    peer: SocketAddr,
    requests: RequestCount,
    mut stop: watch::Receiver<bool>,
) {
    let ambiguous = Ambiguous::default();
    let stream = HeadScan::new(LingeringClose::new(stream), ambiguous.clone());
    let service = service(shared, peer, true, ambiguous, requests);
    let connection = shared.http1.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopped(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        record_refused_head(&shared.kernel.core.metrics, &error);
    }
}

async fn serve_http2(
    shared: &Shared,
    stream: TlsStream<WriteTimeout>,
    peer: SocketAddr,
    requests: RequestCount,
    mut stop: watch::Receiver<bool>,
) {
    let limits = &shared.kernel.limits;
    let activity = Activity::new(shared.pace);
    let service = service_fn(|request| {
        // Each response is watched by its activity.
        requests.begin();
        answer(shared, Arc::clone(&activity), peer, request)
    });
    let connection = builder(limits).serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let period = limits.header_time.min(limits.send_time) / 4;
    let mut checks = tokio::time::interval(period.min(CHECK_INTERVAL));
    // A closing connection accepts no new requests, and its client has limited time to take the
    // rest of the responses.
    let mut closing: Option<Instant> = None;
    let mut is_stopping = false;
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            () = stopped(&mut stop), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
            _ = checks.tick() => {}
            () = activity.due() => {}
        }
        match (activity.verdict(), closing) {
            (Verdict::Abort, _) => return,
            (Verdict::Idle(_), Some(since)) if since.elapsed() >= limits.send_time => return,
            (Verdict::Idle(time), None) if time >= limits.header_time => {
                closing = Some(Instant::now());
                connection.as_mut().graceful_shutdown();
            }
            _ => {}
        }
    }
}

fn builder(limits: &Limits) -> http2::Builder<TokioExecutor> {
    let mut http2 = http2::Builder::new(TokioExecutor::new());
    http2
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .initial_connection_window_size(CONNECTION_WINDOW)
        .initial_stream_window_size(STREAM_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(limits.header_time)
        .keep_alive_timeout(limits.header_time);
    http2
}

/// Answers one request over HTTP/2.
fn answer(
    shared: &Shared,
    activity: Arc<Activity>,
    peer: SocketAddr,
    mut request: Request<Incoming>,
) -> impl Future<Output = Result<Response, std::convert::Infallible>> + use<> {
    let running = activity.begin();
    let slots = match health::is_probe(request.uri().path()) {
        true => &shared.probes,
        false => &shared.requests,
    };
    let slot = slots.take(peer.ip());
    let has_too_many_headers = request.headers().len() > shared.kernel.limits.headers;
    let (router, kernel) = (shared.router.clone(), shared.kernel.clone());
    async move {
        let response = if has_too_many_headers {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            response
        } else if slot.is_err() {
            busy(&kernel)
        } else {
            request.extensions_mut().insert(Peer {
                ip: peer.ip().to_canonical(),
                is_ambiguous: false,
                has_tls: true,
            });
            router.oneshot(request).await?
        };
        Ok(response.map(|body| running.respond(body, slot.ok())))
    }
}
