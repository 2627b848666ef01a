//! Tests every operation in the service's own OpenAPI document.
//!
//! A new slice is covered as soon as it is served: these tests fail while one of its operations
//! has no fixture.

mod access;
mod check_order;
pub mod document;
mod examples;
mod fixtures;
mod generators;
mod idempotency;
mod openapi;
mod replies;
mod revocation;
mod test_table;
mod writes;
