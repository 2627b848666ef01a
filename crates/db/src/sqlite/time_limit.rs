//! Limits the time of a statement, by SQLite's progress handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::Result;
use crate::sqlite::constraint;

/// The time limit of a statement on a thread that serves connections.
pub(super) const BRIEF: Duration = Duration::from_millis(1);

/// The number of instructions between two checks: a few microseconds.
const INSTRUCTIONS: i32 = 500;

/// A statement with fewer checks is brief, whatever its time: its thread had to wait for the
/// processor or the disk, and would wait again.
const BRIEF_CHECKS: u32 = 8;

/// How long to wait for another thread to take over the tasks of this one.
const HAND_OVER: Duration = Duration::from_micros(100);

const HAND_OVER_AGAIN: Duration = Duration::from_millis(10);

const NEVER: u64 = u64::MAX;

/// The time limit of the statement that runs on a connection; none by default.
#[derive(Clone)]
pub(super) struct TimeLimit(Arc<Moments>);

/// Moments, in nanoseconds since `start`.
struct Moments {
    start: Instant,
    end: AtomicU64,
    /// The number of checks before the first that can end the statement.
    checks_before_end: AtomicU32,
    hand_over: AtomicU64,
}

impl TimeLimit {
    /// Watches all statements of the connection.
    pub fn install(conn: &mut Connection) -> Result<Self> {
        let limit = Self(Arc::new(Moments {
            start: Instant::now(),
            end: AtomicU64::new(NEVER),
            checks_before_end: AtomicU32::new(0),
            hand_over: AtomicU64::new(NEVER),
        }));
        let watched = limit.clone();
        interrupt_when(conn, move || watched.is_over())?;
        Ok(limit)
    }

    /// Interrupts the next statement if it is not [`BRIEF`].
    pub fn set_brief(&self, started: Instant) {
        let end = self.nanos(started + BRIEF);
        self.0.end.store(end, Ordering::Relaxed);
        let checks = &self.0.checks_before_end;
        checks.store(BRIEF_CHECKS, Ordering::Relaxed);
    }

    /// For statements that cannot be interrupted and run again in another thread. One that is not
    /// brief hands over the other tasks of its thread. `None` sets no limit.
    pub fn set_time_of_write(&self, started: Instant, time: Option<Duration>) {
        let end = time.map_or(NEVER, |time| self.nanos(started + time));
        self.0.end.store(end, Ordering::Relaxed);
        self.0.checks_before_end.store(0, Ordering::Relaxed);
        let hand_over = self.nanos(started + BRIEF);
        self.0.hand_over.store(hand_over, Ordering::Relaxed);
    }

    pub fn clear(&self) {
        self.0.end.store(NEVER, Ordering::Relaxed);
        self.0.hand_over.store(NEVER, Ordering::Relaxed);
    }

    pub fn has_passed(&self) -> bool {
        self.nanos(Instant::now()) >= self.0.end.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        let checks = &self.0.checks_before_end;
        let left = checks.load(Ordering::Relaxed);
        if left > 0 {
            checks.store(left - 1, Ordering::Relaxed);
            return false;
        }
        let now = Instant::now();
        if self.nanos(now) >= self.0.hand_over.load(Ordering::Relaxed) {
            // Retried, because the first attempt may find no other thread in time.
            let again = self.nanos(now + HAND_OVER_AGAIN);
            self.0.hand_over.store(again, Ordering::Relaxed);
            hand_over_tasks();
        }
        self.nanos(now) >= self.0.end.load(Ordering::Relaxed)
    }

    fn nanos(&self, moment: Instant) -> u64 {
        (moment - self.0.start).as_nanos() as u64
    }
}

/// Interrupts the statements of the connection as soon as `is_over` returns true.
pub(super) fn interrupt_when(
    conn: &mut Connection,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> Result<()> {
    conn.progress_handler(INSTRUCTIONS, Some(is_over))
        .map_err(|error| constraint::to_error(None, error))
}

/// Lets another thread take over the tasks of this worker thread, which becomes a blocking thread
/// until its own task waits.
#[cold]
fn hand_over_tasks() {
    let flavor = Handle::try_current().map(|runtime| runtime.runtime_flavor());
    if flavor.is_ok_and(|flavor| flavor == RuntimeFlavor::MultiThread) {
        tokio::task::block_in_place(|| std::thread::sleep(HAND_OVER));
    }
}
