use std::time::{Duration, Instant};

use super::handle::Handle;
use crate::{Result, Version};

/// The maximum age of the versions. A transaction that announces a change returns this long after
/// its commit, so that every process then sees the change.
pub(super) const MAX_AGE: Duration = Duration::from_millis(2);

/// The versions of all topics, announced by this process or others.
///
/// They are reloaded only if `data_version` has changed, which every commit of another connection
/// does. SQLite reads it from shared memory, so an idle database costs no disk access.
pub(super) struct Changes {
    handle: Handle,
    refreshed_at: Option<Instant>,
    data_version: Option<i64>,
    /// The versions by topic, of which there are few.
    versions: Vec<(String, Version)>,
}

impl Changes {
    pub fn new(handle: Handle) -> Self {
        Self {
            handle,
            refreshed_at: None,
            data_version: None,
            versions: Vec::new(),
        }
    }

    pub fn version(&mut self, topic: &str) -> Result<Version> {
        // Take the time before reading, so that the next refresh sees a commit in between.
        let now = Instant::now();
        if self.refreshed_at.is_none_or(|at| now - at >= MAX_AGE) {
            self.refresh()?;
            self.refreshed_at = Some(now);
        }
        let mut versions = self.versions.iter();
        let found = versions.find(|(known, _)| known == topic);
        Ok(found.map(|(_, version)| *version).unwrap_or_default())
    }

    /// Makes the next call read the versions again, after an announcement of this process.
    pub fn invalidate(&mut self) {
        self.refreshed_at = None;
    }

    fn refresh(&mut self) -> Result<()> {
        // Read the version before the counters, for the same reason.
        let mut version: Option<i64> = None;
        self.handle.visit("PRAGMA data_version", &[], &mut |row| {
            version = row.get(0)?;
            Ok(())
        })?;
        if version.is_none() || version != self.data_version {
            let sql = "SELECT topic, counter, generation FROM changes";
            let mut versions: Vec<(String, Version)> = Vec::new();
            self.handle.visit(sql, &[], &mut |row| {
                let version = Version {
                    counter: row.get(1)?,
                    generation: row.get(2)?,
                    outages: 0,
                };
                versions.push((row.get(0)?, version));
                Ok(())
            })?;
            self.versions = versions;
            self.data_version = version;
        }
        Ok(())
    }
}
