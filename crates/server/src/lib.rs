//! The service: joins the slices.
//!
//! A request goes through `http`, then the slice, then `db`, and back. The slices are in the crates
//! `accounts`, `content`, `game_servers`, `payments` and `platform`; `accounts::roles` is the
//! simplest, and the others look the same.
//!
//! | what | where |
//! |---|---|
//! | the router and the list of slices | [`routes`] |
//! | the states of the slices | [`app`] |
//! | the OpenAPI document and the page to read it | [`documents`]; `openapi` generates them |
//! | background jobs | [`maintenance`] |
//! | rotation of the secret key | [`secret_rotation`] |

pub mod app;
pub mod documents;
pub mod maintenance;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod routes;
pub mod secret_rotation;
