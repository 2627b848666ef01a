use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::handle::Handle;
use crate::Result;

/// How old the counters may be. A transaction that announces a change returns this long after its
/// commit, so that afterwards every process sees the change.
pub(super) const MAX_AGE: Duration = Duration::from_millis(2);

/// The counters of announcements, of this process and others.
///
/// They are read again only if `data_version` has changed, which it does with every commit of
/// another connection. SQLite reads it from shared memory, so an idle database costs no disk access.
pub(super) struct Changes {
    handle: Handle,
    refreshed_at: Option<Instant>,
    data_version: Option<i64>,
    counters: HashMap<String, u64>,
}

impl Changes {
    pub fn new(handle: Handle) -> Self {
        Self {
            handle,
            refreshed_at: None,
            data_version: None,
            counters: HashMap::new(),
        }
    }

    pub fn counter(&mut self, topic: &str) -> Result<u64> {
        // Take the time before reading: a commit in between is then seen by the next refresh.
        let now = Instant::now();
        if self.refreshed_at.is_none_or(|at| now - at >= MAX_AGE) {
            self.refresh()?;
            self.refreshed_at = Some(now);
        }
        Ok(self.counters.get(topic).copied().unwrap_or(0))
    }

    pub fn record(&mut self, topic: &str, counter: u64) {
        let known = self.counters.entry(topic.to_owned()).or_default();
        *known = counter.max(*known);
    }

    fn refresh(&mut self) -> Result<()> {
        // Read the version before the counters, for the same reason.
        let version = self
            .handle
            .query("PRAGMA data_version", &[], |row| row.get::<i64>(0))?
            .pop();
        if version.is_none() || version != self.data_version {
            self.counters = self
                .handle
                .query("SELECT topic, counter FROM changes", &[], |row| {
                    Ok((row.get(0)?, row.get::<i64>(1)?.unsigned_abs()))
                })?
                .into_iter()
                .collect();
            self.data_version = version;
        }
        Ok(())
    }
}
