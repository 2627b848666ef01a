//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.
//!
//! One folder for each slice; `common` holds what crosses slices, `contract` what the OpenAPI
//! document promises for every operation, `support` the helpers.

mod api_keys;
mod audit;
mod backups;
mod common;
mod console;
mod contract;
mod currencies;
mod gateways;
mod invoices;
mod navigation;
mod operators;
mod pages;
mod promo_codes;
mod roles;
mod servers;
mod sessions;
mod social_networks;
mod status;
mod support;
mod users;
mod webhooks;
