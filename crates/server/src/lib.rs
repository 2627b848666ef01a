//! The service: its slices, and what joins them into one program.
//!
//! A request goes through `http`, then the slice, then `db`, and back. A slice is a folder with
//! four files: `http.rs` (operations and response bodies), `input.rs` (request bodies and the rules
//! of their fields), `mod.rs` (the resource and what can be done with it) and `store.rs` (SQL).
//! `roles` is the simplest slice; the others look the same.
//!
//! | what | where |
//! |---|---|
//! | the router and the list of slices | [`routes`] |
//! | the state that every operation can use | [`app`] |
//! | background jobs | [`maintenance`] |
//! | export of traces | [`trace_export`] |
//! | rotation of the secret key | [`secret_rotation`] |

pub mod api_keys;
pub mod app;
pub mod audit;
pub mod backups;
pub mod console;
pub mod currencies;
pub mod gateways;
pub mod invoices;
pub mod maintenance;
pub mod navigation;
pub mod operators;
pub mod pages;
pub mod passwords;
pub mod promo_codes;
pub mod roles;
pub mod routes;
pub mod secret_rotation;
pub mod servers;
pub mod sessions;
pub mod social_networks;
pub mod status;
pub mod trace_export;
pub mod users;
pub mod webhooks;
