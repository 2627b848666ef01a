//! Accepts connections, enforces their limits, and drains them at shutdown.

mod lingering_close;
mod write_timeout;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderMap;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use self::lingering_close::LingeringClose;
use self::write_timeout::WriteTimeout;
use super::error::ErrorBody;
use super::middleware::{self, Peer};
use crate::{Error, Kernel};

/// How long running requests may take to finish after the signal to stop.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// How long to pause when accepting fails, as when the system has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` completes, then lets running requests finish.
pub async fn serve(
    kernel: Kernel,
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let limits = &kernel.limits;
    let permits = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes)
        .max_headers(limits.headers);
    let mut stop = std::pin::pin!(stop);
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
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            tokio::spawn(refuse(stream, kernel.new_request_id()));
            continue;
        };
        // Send small responses at once.
        let _ = stream.set_nodelay(true);
        let stream = WriteTimeout::new(stream, limits.send_time);
        let stream = TokioIo::new(LingeringClose::new(stream));
        let connection = http.serve_connection(stream, service(router.clone(), peer));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Disconnects and timeouts are not worth logging.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIME, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time");
    }
}

fn service(
    router: Router,
    peer: SocketAddr,
) -> impl hyper::service::HttpService<
    Incoming,
    ResBody = axum::body::Body,
    Error = std::convert::Infallible,
    Future: Send,
> {
    service_fn(move |mut request: Request<Incoming>| {
        request
            .extensions_mut()
            .insert(Peer(peer.ip().to_canonical()));
        router.clone().oneshot(request)
    })
}

/// Answers 503 to a connection above the limit and closes it, so that the client need not wait.
async fn refuse(stream: TcpStream, request_id: String) {
    let body = ErrorBody::new(&Error::Busy, &request_id);
    let body = serde_json::to_string(&body).unwrap_or_default();
    let mut headers = HeaderMap::new();
    middleware::add_headers(&mut headers, &request_id);
    let mut response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nretry-after: 1\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in &headers {
        response += &format!("{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    response += &format!("\r\n{body}");
    let mut stream = LingeringClose::new(stream);
    let exchange = async {
        // Wait for the request: a client may ignore a response that comes before it.
        if stream.read(&mut [0; 1024]).await? == 0 {
            return Ok(());
        }
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), exchange).await;
}
