//! The service.
//!
//! One way in, one way down, one way back: `http` → slice → `db`. A slice is a folder with three
//! files: `mod.rs` (the resource, its rules, what it can do), `http.rs` (its operations, `routes`
//! last) and `store.rs` (its SQL). Whoever has read `roles` has read them all.
//!
//! | what | where |
//! |---|---|
//! | slices | [`base`], [`api_keys`], [`servers`], [`live`], [`roles`], [`pages`], [`users`], [`sessions`], [`navigation`], [`currencies`], [`invoices`], [`audit`], [`gateways`], [`promo_codes`], [`social_networks`] |
//! | exact decimal numbers | [`money`] |
//! | where something comes from or goes to | [`networks`] |
//! | the pattern of every write | [`edit`], with [`etag`], [`idempotency`] and [`audit`] |
//! | requests and responses | [`http`] |
//! | rules for input | [`input`] |
//! | orders of lists, and places in them | [`sort`], [`page`] |
//! | what is encrypted at rest | [`secret`], [`key_file`], [`rotation`] |
//! | what every request can reach | [`app`] |

pub mod actor;
pub mod api_keys;
pub mod app;
pub mod audit;
pub mod base;
pub mod clock;
pub mod currencies;
pub mod demo;
pub mod edit;
mod error;
mod etag;
pub mod figures;
mod fold;
pub mod gateways;
pub mod http;
pub mod idempotency;
pub mod input;
pub mod invoices;
pub mod key_file;
pub mod live;
pub mod money;
pub mod navigation;
pub mod networks;
pub mod page;
pub mod pages;
pub mod permission;
pub mod promo_codes;
pub mod random;
pub mod roles;
pub mod rotation;
pub mod secret;
pub mod servers;
pub mod sessions;
mod settings;
pub mod social_networks;
pub mod sort;
pub mod timestamp;
pub mod upkeep;
pub mod users;

pub use error::{Error, Result};
pub use settings::secret_key_fits;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version of the contract it keeps.
pub const API_VERSION: &str = "1.0.0";
