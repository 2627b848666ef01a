//! What holds for every operation, proven for each one that the service's own document lists.
//!
//! A new slice is covered as soon as it is served: without a fixture for each of its operations
//! these tests fail.

mod access;
mod document;
mod fixtures;
mod form;
mod idempotency;
mod writes;
