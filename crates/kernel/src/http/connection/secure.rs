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
use super::write_timeout::{Pace, WriteTimeout};
use super::{record_refused_head, service};
use crate::http::error;
use crate::http::middleware::{self, Peer};
use crate::{Error, Kernel, Limits};

/// Requests that may run at a time on one connection.
const STREAMS: u32 = 32;
/// What a client may send of all bodies before they are read, and of one of them.
const CONNECTION_WINDOW: u32 = 1 << 20;
const STREAM_WINDOW: u32 = 256 << 10;
/// How much of a response may be buffered before the socket takes it.
const SEND_BUFFER: usize = 64 << 10;
/// How often a connection is checked, at most.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// What all connections with TLS share.
pub struct Shared {
    pub kernel: Kernel,
    pub router: Router,
    pub http1: http1::Builder,
    pub pace: Pace,
    /// Requests over HTTP/2 that may run at a time, in all and from each address. A connection has
    /// several of them, so the limits of connections do not bound them.
    pub requests: Arc<Slots>,
}

/// Returns when the connection has ended. `stop` lets running requests finish.
pub async fn serve(
    shared: &Shared,
    acceptor: tokio_rustls::TlsAcceptor,
    stream: WriteTimeout,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    // The handshake is a part of the head.
    let handshake = tokio::time::timeout(shared.kernel.limits.header_time, acceptor.accept(stream));
    let outcome = tokio::select! {
        outcome = handshake => outcome,
        () = stopped(&mut stop) => return,
    };
    let Ok(Ok(stream)) = outcome else {
        return;
    };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        serve_http2(shared, stream, peer, stop).await;
    } else {
        serve_http1(shared, stream, peer, stop).await;
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn serve_http1(
    shared: &Shared,
    stream: TlsStream<WriteTimeout>,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let ambiguous = Ambiguous::default();
    let stream = HeadScan::new(LingeringClose::new(stream), ambiguous.clone());
    let service = service(shared.router.clone(), peer, true, ambiguous);
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
        record_refused_head(&error);
    }
}

async fn serve_http2(
    shared: &Shared,
    stream: TlsStream<WriteTimeout>,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let limits = &shared.kernel.limits;
    let activity = Activity::new(shared.pace);
    let service = service_fn(|request| answer(shared, Arc::clone(&activity), peer, request));
    let connection = builder(limits).serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let period = limits.header_time.min(limits.send_time) / 4;
    let mut checks = tokio::time::interval(period.min(CHECK_INTERVAL));
    // Once it is closing, no new requests are accepted, and the client has some time to take the
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

/// One request over HTTP/2.
fn answer(
    shared: &Shared,
    activity: Arc<Activity>,
    peer: SocketAddr,
    mut request: Request<Incoming>,
) -> impl Future<Output = Result<Response, std::convert::Infallible>> + use<> {
    let running = activity.begin();
    let slot = shared.requests.take(peer.ip());
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

fn busy(kernel: &Kernel) -> Response {
    let request_id = kernel.new_request_id();
    let mut response = error::render(Response::default(), &Error::Busy, &request_id, false);
    middleware::add_headers(response.headers_mut(), &request_id);
    response
}
