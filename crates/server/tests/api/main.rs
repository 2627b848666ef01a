//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.

mod support;

mod api_keys;
mod api_keys_input;
mod audit;
mod base;
mod conditional;
mod contract;
mod escalation;
mod idempotency;
mod layering;
mod limits;
mod operations;
mod roles;
