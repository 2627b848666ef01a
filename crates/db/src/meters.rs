//! What the crate measures about itself.

use metrics::{Gauge, Histogram, gauge, histogram};

/// Handles are looked up once, because a look-up costs more than a short query.
pub(crate) struct Meters {
    pub read: Histogram,
    pub write: Histogram,
    pub commit: Histogram,
    pub group: Histogram,
    pub waiting: Gauge,
}

impl Meters {
    pub(crate) fn new() -> Self {
        let seconds = |kind: &'static str| histogram!("steward_db_seconds", "operation" => kind);
        Self {
            read: seconds("read"),
            write: seconds("write"),
            commit: seconds("commit"),
            group: histogram!("steward_db_group_size"),
            waiting: gauge!("steward_db_waiting"),
        }
    }

    /// Counts one more waiter until the guard is dropped.
    pub(crate) fn wait(&self) -> Waiting<'_> {
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
