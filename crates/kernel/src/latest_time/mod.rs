//! The latest time seen. A clock that is set back revives nothing, and one that jumps ahead deletes
//! nothing.
//!
//! Expiry is compared with [`Core::expiry_now`], which never goes back. Every round of maintenance
//! stores the latest time, for restarts and other instances. A jump of more than [`LARGEST_STEP`]
//! is not accepted until the clock has stayed there for [`CONFIRMED_AFTER`]: most wrong clocks are
//! corrected sooner.

mod store;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::types::time::DAY;
use crate::types::{Clock, Timestamp};
use crate::{Core, Result};

/// The largest step ahead that is accepted at once, in seconds.
const LARGEST_STEP: i64 = DAY;
/// How long a larger step must last before it is accepted.
const CONFIRMED_AFTER: Duration = Duration::from_secs(60 * 60);

/// The latest time that this instance has seen.
#[derive(Default)]
pub struct LatestTime {
    /// The latest time in Unix seconds; 0 before the first observation.
    seen: AtomicI64,
    observed: Mutex<Observed>,
}

/// The result of the last observation.
#[derive(Default)]
struct Observed {
    /// An accepted time, and the monotonic time of its observation.
    base: Option<(i64, Duration)>,
    /// The time after a jump, and the monotonic time when it was first seen.
    jump: Option<(i64, Duration)>,
}

impl Observed {
    /// The time that the clock should show, by monotonic time.
    fn expected(&self, elapsed: Duration) -> Option<i64> {
        let (time, at) = self.base?;
        let passed = elapsed.saturating_sub(at).as_secs();
        Some(time.saturating_add(passed.try_into().unwrap_or(i64::MAX)))
    }
}

impl LatestTime {
    /// Returns the latest time seen, including now unless that is too far ahead.
    fn note(&self, clock: &Clock) -> i64 {
        let (now, seen) = (clock.now().unix(), self.seen.load(Ordering::Relaxed));
        if now == seen || seen == 0 {
            return now;
        }
        if now < seen || (now - seen > LARGEST_STEP && !self.has_passed(clock)) {
            return seen;
        }
        self.seen.fetch_max(now, Ordering::Relaxed);
        now
    }

    /// Returns `true` if as much time has passed as the clock says.
    #[cold]
    fn has_passed(&self, clock: &Clock) -> bool {
        let expected = self.observed.lock().expected(clock.elapsed());
        expected.is_some_and(|expected| clock.now().unix() - expected <= LARGEST_STEP)
    }

    /// Compares the clock with monotonic time. Returns whether its time is accepted.
    fn observe(&self, clock: &Clock, stored: Option<i64>) -> bool {
        let (now, elapsed) = (clock.now().unix(), clock.elapsed());
        let mut observed = self.observed.lock();
        let passed = |since: Duration| elapsed.saturating_sub(since);
        let own = observed.expected(elapsed);
        let expected = own.into_iter().chain(stored).max().unwrap_or(now);
        if now.saturating_sub(expected) > LARGEST_STEP {
            let (jumped_to, at) = *observed.jump.get_or_insert((now, elapsed));
            let steady = jumped_to.saturating_add(passed(at).as_secs() as i64);
            if now.abs_diff(steady) > LARGEST_STEP.unsigned_abs() {
                // The clock has jumped again.
                observed.jump = Some((now, elapsed));
                return false;
            }
            if passed(at) < CONFIRMED_AFTER {
                return false;
            }
        }
        let latest = now.max(stored.unwrap_or(now));
        *observed = Observed {
            base: Some((latest, elapsed)),
            jump: None,
        };
        self.seen.fetch_max(latest, Ordering::Relaxed);
        true
    }
}

impl Core {
    /// The time to compare expiry with. It never goes back.
    pub fn expiry_now(&self) -> Timestamp {
        let latest = Timestamp::from_unix(self.latest_time.note(&self.clock));
        latest.max(self.clock.now())
    }

    /// The time to compare the age of stored data with before it is deleted. It does not follow a
    /// clock that jumps ahead. After the clock was set back it is the clock's time, like that of
    /// new data.
    pub fn retention_now(&self) -> Timestamp {
        let latest = Timestamp::from_unix(self.latest_time.note(&self.clock));
        latest.min(self.clock.now())
    }

    /// Reads the latest time that any instance has stored, and stores this instance's. Returns
    /// false while the clock is too far ahead to be accepted.
    pub async fn observe_clock(&self) -> Result<bool> {
        let stored = store::find(&mut *self.db.read().await?).await?;
        if !self.latest_time.observe(&self.clock, stored) {
            // Without a trusted clock, the latest time is the one that others have seen.
            if let Some(stored) = stored {
                self.latest_time.seen.fetch_max(stored, Ordering::Relaxed);
            }
            return Ok(false);
        }
        let latest = self.latest_time.seen.load(Ordering::Relaxed);
        if stored.is_none_or(|stored| stored < latest) {
            let mut tx = self.db.begin().await?;
            store::raise(&mut tx, latest).await?;
            tx.commit().await?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_772_366_400;
    const HOUR: i64 = 60 * 60;

    fn start() -> (LatestTime, Clock) {
        let clock = Clock::manual(Timestamp::from_unix(START));
        let latest = LatestTime::default();
        assert!(latest.observe(&clock, None));
        (latest, clock)
    }

    fn note(latest: &LatestTime, clock: &Clock) -> i64 {
        latest.note(clock) - START
    }

    #[test]
    fn time_that_passes_is_accepted_however_long_it_was() {
        let (latest, clock) = start();
        clock.advance(400 * DAY);
        assert!(latest.observe(&clock, Some(START)));
        assert_eq!(note(&latest, &clock), 400 * DAY);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_lower_the_latest_time() {
        let (latest, clock) = start();
        clock.advance(HOUR);
        assert_eq!(note(&latest, &clock), HOUR);
        clock.jump(-400 * DAY);
        assert_eq!(note(&latest, &clock), HOUR);
        assert!(latest.observe(&clock, Some(START)));
        assert_eq!(note(&latest, &clock), HOUR);
        clock.advance(400 * DAY);
        assert!(latest.observe(&clock, Some(START)));
    }

    #[test]
    fn a_jump_of_more_than_a_day_is_accepted_after_an_hour() {
        let (latest, clock) = start();
        clock.jump(2 * DAY);
        assert_eq!(note(&latest, &clock), 0);
        assert!(!latest.observe(&clock, Some(START)));
        clock.advance(HOUR - 1);
        assert!(!latest.observe(&clock, Some(START)));
        clock.advance(1);
        assert!(latest.observe(&clock, Some(START)));
        assert_eq!(note(&latest, &clock), 2 * DAY + HOUR);
    }

    #[test]
    fn a_corrected_or_repeated_jump_restarts_the_wait() {
        let (latest, clock) = start();
        clock.jump(2 * DAY);
        assert!(!latest.observe(&clock, None));
        clock.advance(HOUR / 2);
        clock.jump(300 * DAY);
        assert!(!latest.observe(&clock, None));
        clock.advance(HOUR / 2);
        assert!(!latest.observe(&clock, None));
        clock.jump(-302 * DAY);
        assert!(latest.observe(&clock, None));
        assert_eq!(note(&latest, &clock), HOUR);
        clock.jump(2 * DAY);
        assert!(!latest.observe(&clock, None));
    }

    #[test]
    fn after_a_restart_the_stored_time_is_used() {
        let clock = Clock::manual(Timestamp::from_unix(START));
        let latest = LatestTime::default();
        assert!(latest.observe(&clock, Some(START + HOUR)));
        assert_eq!(note(&latest, &clock), HOUR);
        let latest = LatestTime::default();
        assert!(!latest.observe(&clock, Some(START - 2 * DAY)));
    }
}
