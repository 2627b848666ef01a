//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.

mod support;

mod api_keys;
mod api_keys_input;
mod audit;
mod authentication;
mod base;
mod bodies;
mod check_order;
mod conditional;
mod connections;
mod contract;
mod errors;
mod escalation;
mod first_key;
mod idempotency;
mod key_secrecy;
mod layering;
mod limits;
mod lists;
mod navigation;
mod odd_text;
mod operations;
mod pages;
mod panics;
mod races;
mod responses;
mod revocation;
mod roles;
mod rotation;
mod servers;
