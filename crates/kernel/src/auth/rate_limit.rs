//! The rate limit of a key: requests per second, in a sliding window.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Error, ErrorCode, Result};

const SECOND: Duration = Duration::from_secs(1);
/// Another request is allowed after at most this many seconds.
pub const RESET_SECONDS: u64 = 1;

/// Arrival times of the allowed requests of the last second, at most as many as the limit.
#[derive(Debug, Default)]
pub struct SlidingWindow(VecDeque<Duration>);

impl SlidingWindow {
    /// Counts a request if the limit allows it. A refused request does not count.
    pub fn count(&mut self, limit: u32, now: Duration) -> Quota {
        while self.0.front().is_some_and(|first| *first + SECOND <= now) {
            self.0.pop_front();
        }
        let left = (limit as usize).checked_sub(self.0.len() + 1);
        if left.is_some() {
            self.0.push_back(now);
        }
        Quota {
            limit,
            left: left.map(|left| left as u32),
        }
    }
}

/// The quota that remains after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    pub limit: u32,
    /// The number of further requests allowed; `None` if this one was refused.
    left: Option<u32>,
}

impl Quota {
    pub fn remaining(&self) -> u32 {
        self.left.unwrap_or(0)
    }

    pub fn check(&self) -> Result<()> {
        match self.left {
            Some(_) => Ok(()),
            None => Err(Error::TooManyRequests {
                code: ErrorCode::RateLimited,
                message: "This key has reached its limit of requests per second. Retry after a second.",
                retry_after: RESET_SECONDS,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn the_rate_limit_window_slides() {
        let mut window = SlidingWindow::default();
        let mut allowed = |millis| window.count(2, at(millis)).left;
        assert_eq!(allowed(900), Some(1));
        assert_eq!(allowed(1000), Some(0));
        // A window that is reset every second would allow this request.
        assert_eq!(allowed(1100), None);
        assert_eq!(allowed(1899), None);
        assert_eq!(
            allowed(1900),
            Some(0),
            "the first has left the window, the refused never counted"
        );
        assert_eq!(allowed(1999), None);
        assert_eq!(allowed(5000), Some(1));
    }

    #[test]
    fn a_limit_may_change_within_the_window() {
        let mut window = SlidingWindow::default();
        for _ in 0..5 {
            window.count(5, at(0));
        }
        assert_eq!(window.count(3, at(500)).left, None);
        assert_eq!(window.count(6, at(500)).left, Some(0));
        assert_eq!(window.count(3, at(1000)).left, Some(1));
    }

    proptest! {
        #[test]
        fn no_second_exceeds_the_limit_and_no_request_within_it_is_refused(
            limit in 1..20_u32,
            pauses in prop::collection::vec(0..400_u64, 1..400),
        ) {
            let (mut window, mut allowed, mut now) = (SlidingWindow::default(), Vec::new(), 0);
            for pause in pauses {
                now += pause;
                let recent = allowed.iter().filter(|then| **then + 1000 > now).count();
                let quota = window.count(limit, at(now));
                prop_assert_eq!(quota.left.is_some(), recent < limit as usize);
                if quota.left.is_some() {
                    prop_assert_eq!(quota.remaining(), limit - recent as u32 - 1);
                    allowed.push(now);
                }
                prop_assert!(window.0.len() <= limit as usize);
            }
            for start in &allowed {
                let second = *start..*start + 1000;
                let within = allowed.iter().filter(|then| second.contains(then)).count();
                prop_assert!(within <= limit as usize);
            }
        }
    }
}
