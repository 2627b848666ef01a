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
use futures_util::future::{BoxFuture, Either};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

pub use self::certificates::Certificates;
use self::head_scan::{Ambiguous, HeadScan};
use self::lingering_close::LingeringClose;
use self::refusal::{Refusals, busy};
use self::secure::Shared;
use self::slots::Slots;
use self::write_timeout::{Pace, RequestCount, WriteTimeout};
use super::health;
use super::middleware::Peer;
use crate::{Kernel, Metrics};

/// How long running requests may take to finish after the signal to stop.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// The pause after a failed accept, as when the system has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a response that the system may buffer before the network takes them. With more, a
/// client that reads slowly would look as if it did not read at all.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 64 << 10;
/// Concurrent probes over HTTP/2, which do not count as other requests do.
const PROBES: usize = 64;
/// The number of headers that hyper accepts by default.
const HYPER_MAX_HEADERS: usize = 100;

/// Serves at most this many connections at a time until `stop` completes, then lets running
/// requests finish. With certificates, serves HTTPS only.
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
    let gauge = kernel.core.metrics.gauge("steward_connections");
    let slots = Slots::new(connections, per_address, &limits.trusted_proxies, gauge);
    let pace = Pace::new(limits);
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes);
    // If a number is set, even the default, hyper prepares that many slots for each request.
    if limits.headers != HYPER_MAX_HEADERS {
        http.max_headers(limits.headers);
    }
    let requests = |most: usize, per_address: usize| {
        let gauge = kernel.core.metrics.gauge("steward_http2_requests");
        Slots::new(most, per_address, &limits.trusted_proxies, gauge)
    };
    let shared = Arc::new(Shared {
        kernel: kernel.clone(),
        router,
        http1: http,
        pace,
        requests: requests(connections, per_address),
        probes: requests(PROBES, PROBES / 2),
        serves_probes_only: false,
    });
    let refusals = Refusals::new(&shared);
    let secure_stop = watch::Sender::new(false);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let acceptor = certificates.as_ref().map(Certificates::acceptor);
        let slot = match slots.take(peer.ip()) {
            Ok(slot) => slot,
            Err(reason) => {
                refusals.refuse(reason, stream, acceptor, peer, secure_stop.subscribe());
                continue;
            }
        };
        configure(&stream);
        let stream = WriteTimeout::new(stream, pace);
        let requests = stream.requests();
        if let Some(acceptor) = acceptor {
            let (shared, stopped) = (Arc::clone(&shared), secure_stop.subscribe());
            tokio::spawn(async move {
                secure::serve(&shared, acceptor, stream, peer, stopped).await;
                drop(slot);
            });
            continue;
        }
        let ambiguous = Ambiguous::default();
        let stream = HeadScan::new(LingeringClose::new(stream), ambiguous.clone());
        let service = service(&shared, peer, false, ambiguous, requests);
        let connection = shared.http1.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        let metrics = kernel.core.metrics.clone();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                record_refused_head(&metrics, &error);
            }
            drop(slot);
        });
    }
    drop(listener);
    secure_stop.send_replace(true);
    let drained = async { tokio::join!(graceful.shutdown(), secure_stop.closed()) };
    if tokio::time::timeout(DRAIN_TIME, drained).await.is_err() {
        tracing::warn!("some requests did not finish before shutdown");
    }
}

/// Sets socket options. A failure is not fatal: the connection works without them.
fn configure(stream: &TcpStream) {
    // Send small responses without delay.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}

/// Counts heads that hyper cannot read and answers by itself. Disconnects and timeouts are not
/// worth logging.
#[cold]
fn record_refused_head(metrics: &Metrics, error: &hyper::Error) {
    if !error.is_parse() {
        return;
    }
    let status = if error.is_parse_too_large() { 431 } else { 400 };
    let labels = [("status", &*status.to_string())];
    let refused = metrics.counter("steward_heads_refused_total", &labels);
    refused.increment(1);
    tracing::info!(status, "refused an unreadable request head");
}

fn service(
    shared: &Shared,
    peer: SocketAddr,
    has_tls: bool,
    ambiguous: Ambiguous,
    requests: RequestCount,
) -> impl hyper::service::HttpService<
    Incoming,
    ResBody = axum::body::Body,
    Error = std::convert::Infallible,
    Future: Send,
> + use<> {
    let router = shared.router.clone();
    let refusing = shared.serves_probes_only.then(|| shared.kernel.clone());
    service_fn(move |mut request: Request<Incoming>| {
        requests.begin();
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let peer = Peer {
            ip: peer.ip().to_canonical(),
            is_ambiguous: is_chunked && ambiguous.is_found(),
            has_tls,
        };
        request.extensions_mut().insert(peer);
        let refusing = refusing.as_ref();
        match refusing.filter(|_| !health::is_probe(request.uri().path())) {
            Some(kernel) => Either::Left(std::future::ready(Ok(busy(kernel)))),
            None => Either::Right(router.clone().oneshot(request)),
        }
    })
}
