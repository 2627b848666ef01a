//! Listens for connections and keeps each within its limits.

mod lingering_close;
mod write_timeout;

use std::io;
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

/// How long running requests get once the service is told to stop.
const FAREWELL: Duration = Duration::from_secs(30);
/// How long to wait when the system has no more connections to give.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` is over, then lets running requests finish.
pub async fn serve(
    kernel: Kernel,
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let limits = &kernel.limits;
    let places = Arc::new(Semaphore::new(limits.connections));
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
                    pause_if_exhausted(&error).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(turn_away(stream, kernel.new_request_id()));
            continue;
        };
        // Small replies go out at once.
        let _ = stream.set_nodelay(true);
        let stream = WriteTimeout::new(stream, limits.send_time);
        let stream = TokioIo::new(LingeringClose::new(stream));
        let connection = http.serve_connection(stream, answer(router.clone(), peer));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // It ends in an error when the client goes away or is too slow: no news.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time");
    }
}

fn answer(
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

async fn pause_if_exhausted(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(EXHAUSTED_PAUSE).await;
}

/// More connections than places: say so and hang up, rather than let the client wait.
async fn turn_away(stream: TcpStream, request_id: String) {
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
    let farewell = async {
        // Before it has asked, a client does not know what this is the answer to.
        if stream.read(&mut [0; 1024]).await? == 0 {
            return Ok(());
        }
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), farewell).await;
}
