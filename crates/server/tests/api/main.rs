//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.
//!
//! One folder for each slice; `common` holds what crosses slices, `contract` what the OpenAPI
//! document promises for every operation, `support` the helpers. `#[service_test]` is in
//! `crates/service-test`.

#[macro_use]
extern crate service_test;

mod api_keys;
mod audit;
mod backups;
mod bans;
mod common;
mod console;
mod contract;
mod currencies;
mod discord;
mod gateways;
mod grants;
mod invoices;
mod navigation;
mod operators;
mod pages;
mod products;
mod promo_codes;
mod roles;
mod servers;
mod sessions;
mod sign_in;
mod social_networks;
mod status;
mod support;
mod users;
mod webhooks;
