use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::handle::Handle;
use crate::Result;

/// For how long an answer holds. Whoever announces something waits as long before it is done, so
/// that nobody is ever told of less than what was done before they asked.
pub(super) const PAUSE: Duration = Duration::from_millis(2);

/// Notices what this process and others announced, without touching the disk while nothing is
/// written: `data_version` comes out of shared memory and moves with every commit of another
/// connection, and only then are the counters read again.
pub(super) struct Watch {
    handle: Handle,
    looked: Option<Instant>,
    data_version: i64,
    counters: HashMap<String, u64>,
}

impl Watch {
    pub fn new(handle: Handle) -> Self {
        Self {
            handle,
            looked: None,
            data_version: -1,
            counters: HashMap::new(),
        }
    }

    pub fn counter(&mut self, topic: &str) -> Result<u64> {
        // The time is taken before the look: a commit in between is seen next time.
        let now = Instant::now();
        if self.looked.is_none_or(|looked| now - looked >= PAUSE) {
            self.look()?;
            self.looked = Some(now);
        }
        Ok(self.counters.get(topic).copied().unwrap_or(0))
    }

    pub fn seen(&mut self, topic: &str, counter: u64) {
        let known = self.counters.entry(topic.to_owned()).or_default();
        *known = counter.max(*known);
    }

    fn look(&mut self) -> Result<()> {
        let version = self
            .handle
            .query("PRAGMA data_version", &[], |row| row.get::<i64>(0))?
            .pop();
        // The version is taken before the counters, for the same reason.
        if version != Some(self.data_version) {
            self.counters = self
                .handle
                .query("SELECT topic, counter FROM changes", &[], |row| {
                    Ok((row.get(0)?, row.get::<i64>(1)?.unsigned_abs()))
                })?
                .into_iter()
                .collect();
            self.data_version = version.unwrap_or(-1);
        }
        Ok(())
    }
}
