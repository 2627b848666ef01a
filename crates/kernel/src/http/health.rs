//! Paths that need no key: `/healthz`, `/readyz`, `/metrics`, `/openapi.json` and `/docs`.

use aide::swagger::Swagger;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use bytes::Bytes;

use crate::{Kernel, Result};

/// The viewer is one page with inline scripts and styles; it loads nothing from other hosts.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; \
     style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'; \
     frame-ancestors 'none'";

pub fn routes(document: Bytes) -> Router<Kernel> {
    let page = Bytes::from(
        Swagger::new("/openapi.json")
            .with_title("Steward API")
            .html(),
    );
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(readyz))
        .route("/openapi.json", get(async move || json(document.clone())))
        .route("/docs", get(async move || docs(page.clone())))
}

async fn readyz(State(kernel): State<Kernel>) -> Result<&'static str> {
    kernel.db.ping().await?;
    Ok("ready\n")
}

fn json(document: Bytes) -> impl IntoResponse {
    (
        [(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
        document,
    )
}

fn docs(page: Bytes) -> impl IntoResponse {
    let policy = HeaderValue::from_static(DOCS_POLICY);
    ([(CONTENT_SECURITY_POLICY, policy)], Html(page))
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
