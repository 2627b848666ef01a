//! Sends the spans of requests to a collector, as OTLP/HTTP with JSON.
//!
//! The kernel queues a span for each answered request. [`exporter`] decides when to send them,
//! [`json`] encodes them, and [`endpoint`] is the URL. HTTP itself is in the crate `http_client`.

mod endpoint;
mod exporter;
mod json;

pub use self::endpoint::Endpoint;
pub use self::exporter::{Exporter, STOP_TIME, run};
