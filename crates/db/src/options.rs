use std::time::Duration;

use crate::Recorder;

/// Options for opening a database.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of PostgreSQL connections.
    pub pool_size: usize,
    /// The time limit of a statement, and of the wait for a lock or a connection.
    pub timeout: Duration,
    /// Whether the running service writes this SQLite file as a backup: with little memory, without
    /// a journal, and without making the commits of the service wait for the disk. A failed
    /// transaction leaves a broken file.
    pub is_backup: bool,
    /// The number of writers that may share one commit on SQLite. Only benchmarks change it; 1
    /// disables group commit.
    pub max_group_size: u32,
    pub recorder: Recorder,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pool_size: 16,
            timeout: Duration::from_secs(10),
            is_backup: false,
            max_group_size: u32::MAX,
            recorder: Recorder::default(),
        }
    }
}
