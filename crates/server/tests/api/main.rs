//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.

mod support;

mod audit;
mod conditional;
mod contract;
mod idempotency;
mod layering;
mod limits;
mod operations;
mod roles;
