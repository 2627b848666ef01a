//! The platform: API keys, audit log and events, webhooks, backups, traces.

pub mod api_keys;
pub mod audit;
pub mod backups;
pub mod status;
pub mod trace_export;
pub mod webhooks;
