use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::inline_schema;

/// A moment in UTC, in whole seconds. It reads `2026-03-01T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// `seconds` since 1970; a moment beyond the calendar is moved to its nearest end.
    pub fn from_unix(seconds: i64) -> Self {
        let (first, last) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        Self(seconds.clamp(first.as_second(), last.as_second()))
    }

    pub fn unix(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_second(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{}", moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

/// Any offset is taken; a fraction of a second is dropped.
impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        let moment: jiff::Timestamp = text.parse()?;
        Ok(Self(moment.as_millisecond().div_euclid(1000)))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(Timestamp, {
    "type": "string",
    "format": "date-time",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
});

impl From<Timestamp> for db::Value<'_> {
    fn from(moment: Timestamp) -> Self {
        Self::Int(moment.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    fn read(text: &str) -> Timestamp {
        text.parse().expect(text)
    }

    #[test]
    fn any_offset_is_read_as_utc() {
        assert_eq!(
            read("2026-03-01T14:30:00+02:00").to_string(),
            "2026-03-01T12:30:00Z"
        );
    }

    #[test]
    fn fractions_are_dropped_towards_the_past() {
        assert_eq!(read("1969-12-31T23:59:59.9Z").unix(), -1);
        assert_eq!(
            read("2026-03-01T12:30:00.999Z"),
            read("2026-03-01T12:30:00Z")
        );
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-03-01"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
