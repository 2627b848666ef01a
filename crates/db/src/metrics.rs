//! Metrics of this crate.

use metrics::{Gauge, Histogram, gauge, histogram};

/// Handles are looked up once: a look-up takes longer than a short query.
pub(crate) struct Metrics {
    pub read: Histogram,
    pub write: Histogram,
    pub commit: Histogram,
    pub group_size: Histogram,
    pub waiting: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let seconds = |kind: &'static str| histogram!("steward_db_seconds", "operation" => kind);
        Self {
            read: seconds("read"),
            write: seconds("write"),
            commit: seconds("commit"),
            group_size: histogram!("steward_db_group_size"),
            waiting: gauge!("steward_db_waiting"),
        }
    }

    /// Counts one more caller that waits for a connection, until the guard is dropped.
    pub(crate) fn count_waiting(&self) -> Waiting<'_> {
        self.waiting.increment(1.0);
        Waiting(&self.waiting)
    }
}

pub(crate) struct Waiting<'a>(&'a Gauge);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
