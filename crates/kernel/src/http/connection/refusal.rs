//! Answers 503 to a connection above a limit and closes it, so that the client need not wait.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use metrics::counter;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::lingering_close::LingeringClose;
use super::slots::Full;
use crate::http::error::ErrorBody;
use crate::http::middleware;
use crate::{Error, Kernel};

/// How long a refusal may take.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// Refusals take file descriptors, too, so their number is limited.
pub struct Refusals(Arc<Semaphore>);

impl Refusals {
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Semaphore::new(limit)))
    }

    /// Above the limit of refusals the connection is closed without an answer. Without a stream the
    /// refusal is only counted.
    pub fn refuse(&self, kernel: &Kernel, stream: Option<TcpStream>, reason: Full) {
        counter!("steward_connections_refused_total", "limit" => reason.label()).increment(1);
        let Some(stream) = stream else {
            return;
        };
        let Ok(permit) = Arc::clone(&self.0).try_acquire_owned() else {
            return;
        };
        let request_id = kernel.new_request_id();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(REFUSAL_TIME, answer(stream, &request_id)).await;
            drop(permit);
        });
    }
}

async fn answer(stream: TcpStream, request_id: &str) -> std::io::Result<()> {
    let mut stream = LingeringClose::new(stream);
    // Wait for the request: a client may ignore a response that comes before it.
    if stream.read(&mut [0; 1024]).await? == 0 {
        return Ok(());
    }
    stream.write_all(response(request_id).as_bytes()).await?;
    stream.shutdown().await
}

fn response(request_id: &str) -> String {
    let body = ErrorBody::new(&Error::Busy, request_id);
    let body = serde_json::to_string(&body).unwrap_or_default();
    let mut headers = HeaderMap::new();
    middleware::add_headers(&mut headers, request_id);
    let mut response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nretry-after: 1\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in &headers {
        response += &format!("{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    response += &format!("\r\n{body}");
    response
}
