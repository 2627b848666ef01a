//! Probes and metrics, which need no key: `/healthz`, `/readyz` and `/metrics`.

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::{Kernel, Result};

pub fn routes() -> Router<Kernel> {
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(readyz))
}

async fn readyz(State(kernel): State<Kernel>) -> Result<&'static str> {
    kernel.readiness.check(&kernel.db).await?;
    Ok("ready\n")
}

/// Separate from the others, because metrics may be served at an address of their own.
pub fn metrics_routes() -> Router<Kernel> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(State(kernel): State<Kernel>) -> impl IntoResponse {
    kernel.db.update_gauges();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(CONTENT_TYPE, kind)], kernel.metrics.render())
}
