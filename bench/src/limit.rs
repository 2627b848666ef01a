//! The limit: a bare axum server that answers any request with a constant JSON of the size that its
//! path names. Nothing that is built on axum and reads a database can be faster than this.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use bytes::Bytes;
use tokio::net::TcpListener;

const LARGEST: usize = 4 << 20;
const CONSTANT: &str = r#"{"constant":true}"#;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    // As the service does it.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router()).await
}

fn router() -> Router {
    // White space in front of JSON is still JSON, so the end of this is a body of any size.
    let largest = format!("{CONSTANT:>LARGEST$}");
    Router::new()
        .route("/{bytes}", any(answer))
        .with_state(Bytes::from(largest))
}

/// Takes the body of the request, since the service does too.
async fn answer(State(largest): State<Bytes>, Path(bytes): Path<usize>, _: Bytes) -> Response {
    if !(CONSTANT.len()..=LARGEST).contains(&bytes) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let body = largest.slice(LARGEST - bytes..);
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}
