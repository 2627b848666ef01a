//! What both engines promise alike. `STEWARD_TEST_ENGINE` picks the engine.

mod brief_reads;
mod busy;
mod cancellation;
mod changes;
mod changes_channel;
mod constraints;
mod foreign_keys;
mod groups;
mod groups_failing;
mod loading;
mod log;
mod migrations;
mod schema;
mod statements;
mod support;
mod transactions;
mod values;
