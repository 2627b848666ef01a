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
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub fn manual(now: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(now.unix())))
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix(i64::try_from(self.millis() / 1000).unwrap_or(i64::MAX))
    }

    /// Milliseconds since 1970, for ids that sort by time.
    #[expect(
        clippy::disallowed_methods,
        reason = "the clock is the one place that asks the system"
    )]
    pub fn millis(&self) -> u64 {
        match self {
            Self::System => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as u64),
            Self::Manual(seconds) => seconds.load(Ordering::SeqCst).unsigned_abs() * 1000,
        }
    }

    /// Time since a fixed start. Monotonic: setting the system clock does not change it.
    pub fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match self {
            Self::System => START.elapsed(),
            Self::Manual(seconds) => {
                Duration::from_secs(seconds.load(Ordering::SeqCst).unsigned_abs())
            }
        }
    }

    /// Advances a manual clock; does nothing to the system clock.
    pub fn advance(&self, seconds: i64) {
        if let Self::Manual(now) = self {
            now.fetch_add(seconds, Ordering::SeqCst);
        }
    }
}
