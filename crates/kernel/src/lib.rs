//! What every slice is made of. Nothing here knows a slice: resources live in `server`, which
//! builds on this crate.
//!
//! | what | where |
//! |---|---|
//! | database, clock, secret key and request ids, which every write needs | [`core`] |
//! | money, timestamps, days, IP networks, the clock, randomness | [`types`] |
//! | rules for input | [`input`] |
//! | keys, permissions, restrictions, rate limits | [`auth`] |
//! | the pattern of every write: audit entry, entity tag, `Idempotency-Key` | [`write`] |
//! | sort orders, cursors and windows of lists | [`list`] |
//! | encryption at rest and the secret key file | [`secret`] |
//! | requests, responses, connections, the OpenAPI document | [`http`] |

pub mod auth;
pub mod core;
mod error;
pub mod http;
pub mod input;
mod limits;
pub mod list;
pub mod metrics;
pub mod secret;
mod state;
pub mod types;
pub mod write;

pub use crate::core::Core;
pub use error::{Error, Result};
pub use limits::Limits;
pub use metrics::Metrics;
pub use state::Kernel;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version of the contract it keeps.
pub const API_VERSION: &str = "1.0.0";
