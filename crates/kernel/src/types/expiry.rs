//! `Expiry`: an end in time as it is stored, in one column.

use db::Value;

use crate::types::Timestamp;
use crate::types::time::DAY;

/// The second at which something ends, exclusive. The largest value means no end, so that one
/// comparison with the clock decides, here and in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry(i64);

impl Expiry {
    pub const NEVER: Self = Self(i64::MAX);
    /// How far ahead an end may be.
    pub const MOST_YEARS: i64 = 100;

    pub fn at(end: Option<Timestamp>) -> Self {
        end.map_or(Self::NEVER, |end| Self(end.unix()))
    }

    pub fn from_stored(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The end; `None` if there is none.
    pub fn time(self) -> Option<Timestamp> {
        (self != Self::NEVER).then(|| Timestamp::from_unix(self.0))
    }

    /// In Unix seconds.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// This end, moved to an earlier second. No end stays no end.
    pub fn earlier_by(self, seconds: i64) -> Self {
        match self {
            Self::NEVER => Self::NEVER,
            Self(end) => Self(end.saturating_sub(seconds)),
        }
    }

    pub fn has_passed(self, now: Timestamp) -> bool {
        self.0 <= now.unix()
    }

    /// Whether the end is more than [`Self::MOST_YEARS`] ahead.
    pub fn is_too_far(self, now: Timestamp) -> bool {
        // A year of 365.25 days: no calendar has fewer days in 100 years.
        self != Self::NEVER && self.0 - now.unix() > Self::MOST_YEARS * 1461 * DAY / 4
    }

    /// The later of now and this end, plus `seconds`. No end stays no end.
    pub fn extended(self, now: Timestamp, seconds: i64) -> Self {
        match self {
            Self::NEVER => Self::NEVER,
            Self(end) => Self(end.max(now.unix()).saturating_add(seconds)),
        }
    }
}

impl From<Expiry> for Value<'_> {
    fn from(expiry: Expiry) -> Self {
        expiry.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_unix(0)
    }

    #[test]
    fn an_end_passes_at_its_second() {
        let expiry = Expiry::at(Some(Timestamp::from_unix(100)));
        assert!(!expiry.has_passed(Timestamp::from_unix(99)));
        assert!(expiry.has_passed(Timestamp::from_unix(100)));
        assert_eq!(expiry.time(), Some(Timestamp::from_unix(100)));
    }

    #[test]
    fn no_end_never_passes_and_is_not_extended() {
        assert_eq!(Expiry::at(None), Expiry::from_stored(i64::MAX));
        assert_eq!(Expiry::NEVER.time(), None);
        assert!(!Expiry::NEVER.has_passed(Timestamp::from_unix(i64::MAX)));
        assert!(!Expiry::NEVER.is_too_far(now()));
        assert_eq!(Expiry::NEVER.extended(now(), 60), Expiry::NEVER);
    }

    #[test]
    fn an_end_is_extended_from_the_later_of_now_and_itself() {
        let extended = |end| Expiry::from_stored(end).extended(now(), 60);
        assert_eq!(extended(-500), Expiry::from_stored(60));
        assert_eq!(extended(500), Expiry::from_stored(560));
    }

    #[test]
    fn an_end_is_at_most_100_years_ahead() {
        let century = 36_525 * DAY;
        assert!(!Expiry::from_stored(century).is_too_far(now()));
        assert!(Expiry::from_stored(century + 1).is_too_far(now()));
    }
}
