//! `Clock`: the only source of time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::types::Timestamp;

/// The system clock, or a manual one that tests advance.
#[derive(Clone, Default)]
pub enum Clock {
    #[default]
    System,
    Manual(Arc<ManualTime>),
}

/// The time of a manual clock, in seconds.
pub struct ManualTime {
    passed: AtomicI64,
    /// How far the clock was set ahead; negative if it was set back.
    set_ahead: AtomicI64,
}

impl Clock {
    pub fn manual(now: Timestamp) -> Self {
        Self::Manual(Arc::new(ManualTime {
            passed: AtomicI64::new(now.unix()),
            set_ahead: AtomicI64::new(0),
        }))
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix(i64::try_from(self.millis() / 1000).unwrap_or(i64::MAX))
    }

    /// Milliseconds since 1970, for ids that sort by time.
    pub fn millis(&self) -> u64 {
        self.since_1970().as_millis() as u64
    }

    /// The time since 1970, as exact as the system's clock, for spans.
    #[expect(
        clippy::disallowed_methods,
        reason = "the clock is the one place that asks the system"
    )]
    pub fn since_1970(&self) -> Duration {
        match self {
            Self::System => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap_or_default(),
            Self::Manual(time) => {
                let (passed, ahead) = (&time.passed, &time.set_ahead);
                let now = passed.load(Ordering::SeqCst) + ahead.load(Ordering::SeqCst);
                Duration::from_secs(now.unsigned_abs())
            }
        }
    }

    /// Time since a fixed start. Monotonic: setting the system clock does not change it.
    pub fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match self {
            Self::System => START.elapsed(),
            Self::Manual(time) => {
                Duration::from_secs(time.passed.load(Ordering::SeqCst).unsigned_abs())
            }
        }
    }

    /// Advances a manual clock. Does nothing to the system clock.
    pub fn advance(&self, seconds: i64) {
        if let Self::Manual(time) = self {
            time.passed.fetch_add(seconds, Ordering::SeqCst);
        }
    }

    /// Sets a manual clock ahead, or back if negative, without time passing. Does nothing to the
    /// system clock.
    pub fn jump(&self, seconds: i64) {
        if let Self::Manual(time) = self {
            time.set_ahead.fetch_add(seconds, Ordering::SeqCst);
        }
    }
}
