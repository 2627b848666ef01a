//! The metrics of this crate.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use metrics::{Gauge, Histogram, NoopRecorder, gauge, histogram, with_local_recorder};

/// Where a database registers its metrics. The default discards them.
#[derive(Clone)]
pub struct Recorder(Arc<dyn metrics::Recorder + Send + Sync>);

impl Recorder {
    pub fn new(recorder: Arc<dyn metrics::Recorder + Send + Sync>) -> Self {
        Self(recorder)
    }

    /// Runs `register`, whose macros then use this recorder.
    pub(crate) fn register<T>(&self, register: impl FnOnce() -> T) -> T {
        with_local_recorder(&*self.0, register)
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self(Arc::new(NoopRecorder))
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// Cached handles: a look-up takes longer than a short query.
pub(crate) struct Metrics {
    pub read: Histogram,
    pub write: Histogram,
    pub commit: Histogram,
    pub group_size: Histogram,
    pub waiting: Gauge,
    /// The reads of this database so far, whose plans tests examine.
    #[cfg(feature = "testing")]
    pub statements: parking_lot::Mutex<std::collections::HashSet<&'static str>>,
}

impl Metrics {
    pub(crate) fn new(recorder: &Recorder) -> Self {
        recorder.register(Self::register)
    }

    fn register() -> Self {
        let seconds = |kind: &'static str| histogram!("steward_db_seconds", "operation" => kind);
        Self {
            read: seconds("read"),
            write: seconds("write"),
            commit: seconds("commit"),
            group_size: histogram!("steward_db_group_size"),
            waiting: gauge!("steward_db_waiting"),
            #[cfg(feature = "testing")]
            statements: parking_lot::Mutex::default(),
        }
    }

    pub(crate) fn record_read(&self, _sql: &'static str, took: Duration) {
        self.read.record(took);
        #[cfg(feature = "testing")]
        self.statements.lock().insert(_sql);
    }

    /// Counts a caller that waits for a connection, until the guard is dropped.
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
