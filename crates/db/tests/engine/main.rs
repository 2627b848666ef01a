//! The guarantees of both engines. `STEWARD_TEST_ENGINE` selects the engine.

mod batches;
mod busy;
mod cancellation;
mod changes;
mod changes_channel;
mod constraints;
mod foreign_keys;
mod full_disk;
mod group_commit;
mod group_commit_failures;
mod load;
mod lost_file;
mod lost_server;
mod migrations;
mod schema;
mod search;
mod several_hosts;
mod shared_reads;
mod slow_reads;
mod statements;
mod support;
mod tls;
mod transactions;
mod user_totals;
mod values;
mod wal_size;
