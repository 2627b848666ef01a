//! When and from where each key was used last, kept in memory and written now and then.

use std::net::IpAddr;

use parking_lot::{Mutex, MutexGuard};

use super::rate_limit::{Quota, Window};
use super::{KeyRing, store};
use crate::types::{Clock, Timestamp};
use crate::{Core, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastUse {
    pub at: Timestamp,
    pub ip: Option<IpAddr>,
}

/// What this instance knows about the use of one key. It outlives the key's changes.
#[derive(Debug, Default)]
pub struct Usage(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    last: Option<LastUse>,
    written: Option<LastUse>,
    // There while the key has a limit.
    window: Option<Window>,
}

impl Usage {
    /// Notes a request and counts it against the limit, if there is one.
    pub fn note(&self, clock: &Clock, ip: Option<IpAddr>, limit: Option<u32>) -> Option<Quota> {
        let mut recent = self.recent();
        let at = clock.now();
        recent.last = Some(LastUse { at, ip });
        let Some(limit) = limit else {
            recent.window = None;
            return None;
        };
        // The time is taken while nobody else can: moments come in their order.
        let now = clock.elapsed();
        let window = recent.window.get_or_insert_default();
        Some(window.enter(limit, now))
    }

    pub fn last(&self) -> Option<LastUse> {
        self.recent().last
    }

    fn unwritten(&self) -> Option<LastUse> {
        let recent = self.recent();
        recent.last.filter(|last| recent.written != Some(*last))
    }

    fn written(&self, last: LastUse) {
        self.recent().written = Some(last);
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.0.lock()
    }
}

/// Writes what is not written yet, all of it in one transaction.
pub async fn write_uses(core: &Core, keys: &KeyRing) -> Result<()> {
    let mut unwritten = Vec::new();
    for (id, usage) in keys.usages() {
        if let Some(last) = usage.unwritten() {
            unwritten.push((id, last, usage));
        }
    }
    if unwritten.is_empty() {
        return Ok(());
    }
    // Instances that write the same keys at once do it in the same order, or they would wait for
    // each other.
    unwritten.sort_unstable_by_key(|(id, ..)| *id);
    let mut tx = core.db.begin().await?;
    for (id, last, _) in &unwritten {
        store::note_use(&mut tx, *id, last).await?;
    }
    tx.commit().await?;
    for (_, last, usage) in unwritten {
        usage.written(last);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_for_a_key_without_a_limit() {
        let (usage, clock) = (Usage::default(), Clock::manual(Timestamp::from_unix(7)));
        assert_eq!(usage.note(&clock, None, None), None);
        assert!(usage.recent().window.is_none());
        assert!(usage.note(&clock, None, Some(1)).is_some());
        assert!(usage.recent().window.is_some());
        usage.note(&clock, None, None);
        assert!(usage.recent().window.is_none(), "it goes with the limit");
    }

    #[test]
    fn a_use_that_comes_while_another_is_written_is_written_next() {
        let (usage, clock) = (Usage::default(), Clock::manual(Timestamp::from_unix(7)));
        assert_eq!(usage.unwritten(), None);
        usage.note(&clock, None, None);
        let first = usage.unwritten().expect("not written yet");
        clock.advance(1);
        usage.note(&clock, None, None);
        usage.written(first);
        let second = usage.unwritten().expect("not written yet");
        assert_eq!(second.at, Timestamp::from_unix(8));
        usage.written(second);
        assert_eq!(usage.unwritten(), None);
    }
}
