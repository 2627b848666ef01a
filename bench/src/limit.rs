//! The limit: a bare axum server that answers any request with a constant JSON body of the size in
//! the path. No service that is built on axum and reads a database can be faster.

use std::future::IntoFuture;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

const MAX_BODY: usize = 4 << 20;
const CONSTANT: &str = "{}";

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    // The service does the same.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    // A program that is killed by a signal writes no counts for the profile.
    let mut stop = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, router()).into_future() => served,
        _ = stop.recv() => Ok(()),
    }
}

fn router() -> Router {
    Router::new()
        .route("/{bytes}", any(answer))
        .with_state(largest())
}

/// JSON may begin with white space, so the last N bytes of this are a valid body.
fn largest() -> Bytes {
    let mut body = " ".repeat(MAX_BODY - CONSTANT.len());
    body += CONSTANT;
    body.into()
}

/// Reads the body of the request, as the service does.
async fn answer(State(largest): State<Bytes>, Path(bytes): Path<usize>, _: Bytes) -> Response {
    match last_bytes(&largest, bytes) {
        Some(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn last_bytes(largest: &Bytes, bytes: usize) -> Option<Bytes> {
    let possible = (CONSTANT.len()..=largest.len()).contains(&bytes);
    possible.then(|| largest.slice(largest.len() - bytes..))
}

#[cfg(test)]
mod tests {
    use super::{CONSTANT, MAX_BODY, largest, last_bytes};

    #[test]
    fn a_body_of_any_size_is_json() {
        let largest = largest();
        for bytes in [CONSTANT.len(), 300, 65_537, MAX_BODY] {
            let body = last_bytes(&largest, bytes).unwrap();
            assert_eq!(body.len(), bytes);
            assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        }
        assert!(last_bytes(&largest, CONSTANT.len() - 1).is_none());
        assert!(last_bytes(&largest, MAX_BODY + 1).is_none());
    }
}
