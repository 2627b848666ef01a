//! Probes and metrics, which need no key: `/healthz`, `/readyz` and `/metrics`.

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::metrics::MetricText;
use crate::{Kernel, Result, process_metrics};

const HEALTHZ: &str = "/healthz";
const READYZ: &str = "/readyz";
pub const METRICS: &str = "/metrics";

/// Whether a path must be answered even if clients hold all connections.
pub fn is_probe(path: &str) -> bool {
    [HEALTHZ, READYZ, METRICS].contains(&path)
}

pub fn routes() -> Router<Kernel> {
    Router::new()
        .route(HEALTHZ, get(async || "ok\n"))
        .route(READYZ, get(readyz))
}

async fn readyz(State(kernel): State<Kernel>) -> Result<&'static str> {
    kernel.readiness.check(&kernel.core.db).await?;
    Ok("ready\n")
}

/// The reply to `/metrics`; `others` are metrics that the kernel does not know.
pub fn metrics(kernel: &Kernel, others: &MetricText) -> impl IntoResponse + use<> {
    kernel.core.db.update_gauges();
    let mut process = MetricText::default();
    process_metrics::add_to(&mut process);
    let registered = kernel.core.metrics.render();
    let text = [&registered, others.as_str(), process.as_str()].concat();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(CONTENT_TYPE, kind)], text)
}
