//! The toolkit of every slice. It depends on none of them: resources such as users and roles are in
//! the crate `server`, which uses this one.
//!
//! | looking for | module |
//! |---|---|
//! | [`Core`]: database, clock, secret key, request ids | [`core`] |
//! | [`Kernel`]: the core with API keys, limits and metrics | `state.rs` |
//! | [`Error`]: every reason why a request fails | `error.rs` |
//! | [`ErrorCode`]: the codes of errors | `error_code.rs` |
//! | protection against a wrong clock | `latest_time` |
//! | [`Limits`] of connections and requests | `limits.rs` |
//! | Prometheus metrics and their descriptions | [`metrics`] |
//! | metrics of this process, such as its memory | `process_metrics.rs` |
//! | money, timestamps, days, IP networks, SteamIDs, case folding, the clock, randomness | [`types`] |
//! | validation of input | [`input`] |
//! | API keys, permissions, restrictions, rate limits | [`auth`] |
//! | the steps of every write: audit entry, entity tag, `Idempotency-Key` | [`write`](mod@write) |
//! | sort orders, cursors and windows of lists | [`list`] |
//! | the queue of what must happen outside the database | [`queue`] |
//! | JSON of replies | `json` |
//! | [`Span`]: the trace of a request | `spans.rs` |
//! | JSON schemas of types, for the OpenAPI document | [`schema`] |
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
pub mod queue;
mod readiness;
pub mod schema;
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
