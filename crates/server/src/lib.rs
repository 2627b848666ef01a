//! The service: its slices, and what joins them.
//!
//! One way in, one way down, one way back: `http` → slice → `db`. A slice is a folder with three
//! files: `mod.rs` (the resource, its rules, what it can do), `http.rs` (its operations, `routes`
//! last) and `store.rs` (its SQL). All slices look alike; `roles` is the plainest.
//!
//! | what | where |
//! |---|---|
//! | the list of slices | [`routes`] |
//! | what every slice can reach | [`app`] |
//! | background jobs | [`maintenance`] |
//! | every sealed value under a new secret key | [`secret_rotation`] |

pub mod api_keys;
pub mod app;
pub mod audit;
pub mod currencies;
pub mod gateways;
pub mod invoices;
pub mod maintenance;
pub mod navigation;
pub mod pages;
pub mod promo_codes;
pub mod roles;
pub mod routes;
pub mod secret_rotation;
pub mod servers;
pub mod sessions;
pub mod social_networks;
pub mod status;
pub mod users;
