//! How many requests a key may make: so many in any second, whenever that second begins.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Error, Result};

const SECOND: Duration = Duration::from_secs(1);
/// Within a second there is always room again.
pub const RESET_SECONDS: u64 = 1;

/// When the requests of the last second were let in: no more moments than the limit allows.
#[derive(Debug, Default)]
pub struct Window(VecDeque<Duration>);

impl Window {
    /// Lets a request in if there is room for it. One that is refused leaves no trace.
    pub fn enter(&mut self, limit: u32, now: Duration) -> Quota {
        while self.0.front().is_some_and(|first| *first + SECOND <= now) {
            self.0.pop_front();
        }
        let room = (limit as usize).checked_sub(self.0.len() + 1);
        if room.is_some() {
            self.0.push_back(now);
        }
        Quota {
            limit,
            left: room.map(|left| left as u32),
        }
    }
}

/// How a limited key stands after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    pub limit: u32,
    /// How many more there is room for; `None` when there was none for this one.
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
                code: "rate_limited",
                message: "This key has made as many requests as it may in a second.",
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
    fn the_second_slides() {
        let mut window = Window::default();
        let mut let_in = |millis| window.enter(2, at(millis)).left;
        assert_eq!(let_in(900), Some(1));
        assert_eq!(let_in(1000), Some(0));
        // A window that began anew with each second would have room again.
        assert_eq!(let_in(1100), None);
        assert_eq!(let_in(1899), None);
        assert_eq!(
            let_in(1900),
            Some(0),
            "the first is over, the refused never counted"
        );
        assert_eq!(let_in(1999), None);
        assert_eq!(let_in(5000), Some(1));
    }

    #[test]
    fn a_limit_may_change_on_the_way() {
        let mut window = Window::default();
        for _ in 0..5 {
            window.enter(5, at(0));
        }
        assert_eq!(window.enter(3, at(500)).left, None);
        assert_eq!(window.enter(6, at(500)).left, Some(0));
        assert_eq!(window.enter(3, at(1000)).left, Some(1));
    }

    proptest! {
        #[test]
        fn no_second_sees_more_than_the_limit_and_none_is_refused_without_need(
            limit in 1..20_u32,
            pauses in prop::collection::vec(0..400_u64, 1..400),
        ) {
            let (mut window, mut let_in, mut now) = (Window::default(), Vec::new(), 0);
            for pause in pauses {
                now += pause;
                let recent = let_in.iter().filter(|then| **then + 1000 > now).count();
                let quota = window.enter(limit, at(now));
                prop_assert_eq!(quota.left.is_some(), recent < limit as usize);
                if quota.left.is_some() {
                    prop_assert_eq!(quota.remaining(), limit - recent as u32 - 1);
                    let_in.push(now);
                }
                prop_assert!(window.0.len() <= limit as usize);
            }
            for start in &let_in {
                let second = *start..*start + 1000;
                let within = let_in.iter().filter(|then| second.contains(then)).count();
                prop_assert!(within <= limit as usize);
            }
        }
    }
}
