//! What holds across slices.

mod all_faults;
mod authentication;
mod bodies;
mod conditional;
mod connections;
mod cursors;
mod deep_pages;
mod errors;
mod exports;
mod fault_limits;
mod health;
mod idempotency;
mod layering;
mod limits;
mod list_plans;
mod metrics;
mod model;
mod paging;
mod panics;
mod responses;
mod secret_key_rotation;
mod unicode;
