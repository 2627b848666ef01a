//! The last use of each key, its time and address: recorded in memory, written to the database at
//! intervals.

use std::net::IpAddr;

use parking_lot::{Mutex, MutexGuard};

use super::rate_limit::{Quota, SlidingWindow};
use crate::types::{Clock, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastUse {
    pub at: Timestamp,
    pub ip: Option<IpAddr>,
}

/// The use of one key on this instance. It is kept when the key is reloaded.
#[derive(Debug, Default)]
pub struct Usage(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    last: Option<LastUse>,
    written: Option<LastUse>,
    // Present only while the key has a limit.
    window: Option<SlidingWindow>,
    /// The last hour in which replies were stored, and their bytes in that hour.
    stored: (i64, u64),
}

impl Usage {
    /// Records a request and counts it against the limit, if there is one.
    pub fn record(&self, clock: &Clock, ip: Option<IpAddr>, limit: Option<u32>) -> Option<Quota> {
        let mut recent = self.recent();
        let at = clock.now();
        recent.last = Some(LastUse { at, ip });
        let Some(limit) = limit else {
            recent.window = None;
            return None;
        };
        // Read the time under the lock, so that the window gets its times in order.
        let now = clock.elapsed();
        let window = recent.window.get_or_insert_default();
        Some(window.count(limit, now))
    }

    /// Counts bytes that the key stores in an hour. Returns false if they would exceed the limit.
    pub fn count_stored(&self, bytes: u64, hour: i64, limit: u64) -> bool {
        let mut recent = self.recent();
        if recent.stored.0 != hour {
            recent.stored = (hour, 0);
        }
        let total = recent.stored.1.saturating_add(bytes);
        if total > limit {
            return false;
        }
        recent.stored.1 = total;
        true
    }

    pub fn last(&self) -> Option<LastUse> {
        self.recent().last
    }

    pub fn unwritten(&self) -> Option<LastUse> {
        let recent = self.recent();
        recent.last.filter(|last| recent.written != Some(*last))
    }

    pub fn mark_written(&self, last: LastUse) {
        self.recent().written = Some(last);
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_key_without_a_limit_are_not_counted() {
        let (usage, clock) = (Usage::default(), Clock::manual(Timestamp::from_unix(7)));
        assert_eq!(usage.record(&clock, None, None), None);
        assert!(usage.recent().window.is_none());
        assert!(usage.record(&clock, None, Some(1)).is_some());
        assert!(usage.recent().window.is_some());
        usage.record(&clock, None, None);
        assert!(usage.recent().window.is_none(), "removed with the limit");
    }

    #[test]
    fn a_use_during_a_write_is_written_next_time() {
        let (usage, clock) = (Usage::default(), Clock::manual(Timestamp::from_unix(7)));
        assert_eq!(usage.unwritten(), None);
        usage.record(&clock, None, None);
        let first = usage.unwritten().expect("not written yet");
        clock.advance(1);
        usage.record(&clock, None, None);
        usage.mark_written(first);
        let second = usage.unwritten().expect("not written yet");
        assert_eq!(second.at, Timestamp::from_unix(8));
        usage.mark_written(second);
        assert_eq!(usage.unwritten(), None);
    }
}
