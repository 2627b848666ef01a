//! Sends the spans of requests to a collector, by OTLP over HTTP with bodies of JSON.
//!
//! The kernel queues a span for each answered request. [`exporter`] decides when they are sent,
//! [`json`] is their form, and [`endpoint`] is where they go. HTTP itself is in the crate `http_client`.

mod endpoint;
mod exporter;
mod json;

pub use self::endpoint::Endpoint;
pub use self::exporter::{Exporter, STOP_TIME, run};
