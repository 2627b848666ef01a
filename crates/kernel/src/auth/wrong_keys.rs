//! Limits how many wrong keys a network may send in a minute. Valid keys are not affected.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use metrics::Counter;
use parking_lot::Mutex;

use crate::{Error, ErrorCode, Metrics};

const PERIOD: Duration = Duration::from_secs(60);
/// Networks that are counted separately. Further ones share a count, which bounds the memory.
const MAX_NETWORKS: usize = 10_000;

pub struct WrongKeys {
    per_minute: u32,
    counts: Mutex<Counts>,
    refused: Counter,
    throttled: Counter,
}

#[derive(Default)]
struct Counts {
    networks: HashMap<IpAddr, Count>,
    others: Count,
    /// When expired counts were last removed.
    swept: Duration,
}

/// The number of wrong keys in a period.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    started: Duration,
    keys: u32,
}

impl Count {
    fn is_current(&self, now: Duration) -> bool {
        self.keys > 0 && now < self.started + PERIOD
    }
}

impl WrongKeys {
    pub fn new(per_minute: u32, metrics: &Metrics) -> Self {
        let counter =
            |outcome| metrics.counter("steward_wrong_keys_total", &[("outcome", outcome)]);
        Self {
            per_minute,
            counts: Mutex::default(),
            refused: counter("refused"),
            throttled: counter("throttled"),
        }
    }

    /// Returns `true` if another wrong key from this network would get 429.
    pub fn is_limited(&self, network: IpAddr, now: Duration) -> bool {
        let counts = self.counts.lock();
        let count = counts.networks.get(&network).unwrap_or(&counts.others);
        count.is_current(now) && count.keys >= self.per_minute
    }

    /// Counts a wrong key and returns the error for it: 401, or 429 above the limit.
    pub fn record(&self, network: IpAddr, now: Duration) -> Error {
        let mut counts = self.counts.lock();
        let count = counts.of(network, now);
        if !count.is_current(now) {
            *count = Count {
                started: now,
                keys: 0,
            };
        }
        let is_allowed = count.keys < self.per_minute;
        // Further wrong keys do not extend the period, so a client that waits is served again.
        count.keys = count.keys.saturating_add(1);
        let rest = (count.started + PERIOD).saturating_sub(now);
        drop(counts);
        if is_allowed {
            self.refused.increment(1);
            return Error::Unauthorized;
        }
        self.throttled.increment(1);
        Error::TooManyRequests {
            code: ErrorCode::TooManyWrongKeys,
            message: "Too many wrong API keys came from this address. Retry later, or use a valid key.",
            retry_after: rest.as_secs().max(1),
        }
    }
}

impl Counts {
    fn of(&mut self, network: IpAddr, now: Duration) -> &mut Count {
        let is_full = self.networks.len() >= MAX_NETWORKS;
        // Sweep at most once a second: when most counts are current, a sweep removes nothing.
        if is_full && now >= self.swept + Duration::from_secs(1) {
            self.swept = now;
            self.networks.retain(|_, count| count.is_current(now));
        }
        if self.networks.len() >= MAX_NETWORKS && !self.networks.contains_key(&network) {
            return &mut self.others;
        }
        self.networks.entry(network).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(1000 + seconds)
    }

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    /// The seconds of `Retry-After`; `None` for 401.
    fn retry_after(error: Error) -> Option<u64> {
        match error {
            Error::Unauthorized => None,
            Error::TooManyRequests { retry_after, .. } => Some(retry_after),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_wrong_key_after_the_limit_gets_429_until_the_minute_is_over() {
        let keys = WrongKeys::new(3, &Metrics::default());
        let record = |second| retry_after(keys.record(address(1), at(second)));
        for _ in 0..3 {
            assert!(!keys.is_limited(address(1), at(0)));
            assert_eq!(record(0), None);
        }
        assert!(keys.is_limited(address(1), at(0)));
        assert_eq!(record(0), Some(60));
        assert_eq!(record(59), Some(1));
        assert!(!keys.is_limited(address(1), at(60)));
        assert_eq!(record(60), None, "a new minute");
        assert_eq!(retry_after(keys.record(address(2), at(0))), None);
    }

    #[test]
    fn memory_is_bounded_however_many_networks_send_wrong_keys() {
        let keys = WrongKeys::new(3, &Metrics::default());
        let known = address(7);
        for _ in 0..4 {
            keys.record(known, at(0));
        }
        for number in 100..30_000 {
            keys.record(address(number), at(0));
            assert!(keys.counts.lock().networks.len() <= MAX_NETWORKS);
        }
        assert!(keys.is_limited(known, at(0)), "it is still counted");
        assert!(
            keys.is_limited(address(29_999), at(0)),
            "they share a count"
        );
        // Counts of an earlier minute are removed.
        assert_eq!(retry_after(keys.record(address(1), at(60))), None);
        assert_eq!(keys.counts.lock().networks.len(), 1);
    }
}
