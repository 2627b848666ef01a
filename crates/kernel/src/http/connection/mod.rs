//! Accepts connections, enforces their limits, and drains them at shutdown.

mod activity;
mod certificates;
mod head_scan;
mod lingering_close;
mod refusal;
mod secure;
mod slots;
mod write_timeout;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header::TRANSFER_ENCODING;
use futures_util::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use metrics::{counter, gauge};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

pub use self::certificates::Certificates;
use self::head_scan::{Ambiguous, HeadScan};
use self::lingering_close::LingeringClose;
use self::refusal::Refusals;
use self::secure::Shared;
use self::slots::Slots;
use self::write_timeout::{Pace, WriteTimeout};
use super::middleware::Peer;
use crate::Kernel;

/// How long running requests may take to finish after the signal to stop.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// How long to pause when accepting fails, as when the system has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How much of a response the system may buffer before the network takes it. With more, a client
/// that reads slowly would look as if it did not read at all.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 64 << 10;
/// How many headers hyper accepts by default.
const HYPER_MAX_HEADERS: usize = 100;

/// Serves at most this many connections at a time until `stop` completes, then lets running
/// requests finish. With certificates, it serves HTTPS only.
pub fn serve(
    kernel: Kernel,
    listener: TcpListener,
    certificates: Option<Certificates>,
    router: Router,
    connections: usize,
    stop: BoxFuture<'static, ()>,
) -> BoxFuture<'static, ()> {
    Box::pin(serve_in_place(
        kernel,
        listener,
        certificates,
        router,
        connections,
        stop,
    ))
}

async fn serve_in_place(
    kernel: Kernel,
    listener: TcpListener,
    certificates: Option<Certificates>,
    router: Router,
    connections: usize,
    mut stop: BoxFuture<'static, ()>,
) {
    let limits = &kernel.limits;
    let per_address = limits.connections_per_address;
    let gauge = gauge!("steward_connections");
    let slots = Slots::new(connections, per_address, &limits.trusted_proxies, gauge);
    let refusals = Refusals::new(limits.refusals);
    let pace = Pace::new(limits.send_time, limits.send_rate);
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes);
    // If a number is set, even the default one, hyper prepares that many slots for each request.
    if limits.headers != HYPER_MAX_HEADERS {
        http.max_headers(limits.headers);
    }
    let secure = Arc::new(Shared {
        kernel: kernel.clone(),
        router: router.clone(),
        http1: http.clone(),
        pace,
        requests: Slots::new(
            connections,
            per_address,
            &limits.trusted_proxies,
            gauge!("steward_http2_requests"),
        ),
    });
    let secure_stop = watch::Sender::new(false);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let slot = match slots.take(peer.ip()) {
            Ok(slot) => slot,
            Err(reason) => {
                // A client that expects TLS could not read an answer.
                let stream = certificates.is_none().then_some(stream);
                refusals.refuse(&kernel, stream, reason);
                continue;
            }
        };
        configure(&stream);
        let stream = WriteTimeout::new(stream, pace);
        if let Some(certificates) = &certificates {
            let acceptor = certificates.acceptor();
            let (secure, stopped) = (Arc::clone(&secure), secure_stop.subscribe());
            tokio::spawn(async move {
                secure::serve(&secure, acceptor, stream, peer, stopped).await;
                drop(slot);
            });
            continue;
        }
        let ambiguous = Ambiguous::default();
        let stream = HeadScan::new(LingeringClose::new(stream), ambiguous.clone());
        let service = service(router.clone(), peer, false, ambiguous);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                record_refused_head(&error);
            }
            drop(slot);
        });
    }
    drop(listener);
    secure_stop.send_replace(true);
    let drained = async { tokio::join!(graceful.shutdown(), secure_stop.closed()) };
    if tokio::time::timeout(DRAIN_TIME, drained).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
}

/// A failure is not fatal: the connection works without these options.
fn configure(stream: &TcpStream) {
    // Send small responses at once.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}

/// hyper answers a head that it cannot read by itself. Disconnects and timeouts are not worth
/// logging.
#[cold]
fn record_refused_head(error: &hyper::Error) {
    if !error.is_parse() {
        return;
    }
    let status = if error.is_parse_too_large() { 431 } else { 400 };
    counter!("steward_heads_refused_total", "status" => status.to_string()).increment(1);
    tracing::info!(status, "the head of a request was refused");
}

fn service(
    router: Router,
    peer: SocketAddr,
    has_tls: bool,
    ambiguous: Ambiguous,
) -> impl hyper::service::HttpService<
    Incoming,
    ResBody = axum::body::Body,
    Error = std::convert::Infallible,
    Future: Send,
> {
    service_fn(move |mut request: Request<Incoming>| {
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let peer = Peer {
            ip: peer.ip().to_canonical(),
            is_ambiguous: is_chunked && ambiguous.is_found(),
            has_tls,
        };
        request.extensions_mut().insert(peer);
        router.clone().oneshot(request)
    })
}
