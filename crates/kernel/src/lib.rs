//! The toolkit that every slice is built with. It knows no slice: resources such as users and
//! roles live in the crate `server`, which uses this one.
//!
//! | looking for | module |
//! |---|---|
//! | [`Core`]: database, clock, secret key, request ids | [`core`] |
//! | [`Kernel`]: the core with API keys, limits and metrics | `state.rs` |
//! | [`Error`]: everything that can stop a request | `error.rs` |
//! | [`ErrorCode`]: the codes of errors | `error_code.rs` |
//! | what keeps a wrong clock from reviving or deleting anything | `latest_time` |
//! | [`Limits`] of connections and requests | `limits.rs` |
//! | Prometheus metrics and their descriptions | [`metrics`] |
//! | what the system says of this process, for `/metrics` | `process_metrics.rs` |
//! | money, timestamps, days, IP networks, case folding, the clock, randomness | [`types`] |
//! | validation of input | [`input`] |
//! | API keys, permissions, restrictions, rate limits | [`auth`] |
//! | the steps of every write: audit entry, entity tag, `Idempotency-Key` | [`write`](mod@write) |
//! | sort orders, cursors and windows of lists | [`list`] |
//! | JSON of replies | `json` |
//! | [`Span`]: what a trace says of a request | `spans.rs` |
//! | encryption at rest and the secret key file | [`secret`] |
//! | requests, responses, connections, the OpenAPI document | [`http`] |

pub mod auth;
pub mod core;
mod error;
mod error_code;
pub mod http;
pub mod input;
mod json;
mod latest_time;
mod limits;
pub mod list;
pub mod metrics;
mod process_metrics;
mod readiness;
pub mod secret;
mod spans;
mod state;
pub mod types;
pub mod write;

pub use crate::core::Core;
pub use error::{Error, Result};
pub use error_code::ErrorCode;
pub use limits::Limits;
pub use metrics::Metrics;
pub use spans::{Span, SpanQueue};
pub use state::Kernel;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version of the API contract.
pub const API_VERSION: &str = "1.0.0";
