//! `Timestamp`: a moment in UTC, in whole seconds.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::inline_schema;

/// A moment, formatted as `2026-03-01T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// `seconds` since 1970, clamped to the years 0 to 9999.
    pub fn from_unix(seconds: i64) -> Self {
        const FIRST: i64 = -62_167_219_200;
        Self(seconds.clamp(FIRST, jiff::Timestamp::MAX.as_second()))
    }

    pub fn unix(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Text::of(*self))
    }
}

/// A formatted moment. Formatted by hand, since lists have many and the general formatter takes ten
/// times as long.
struct Text([u8; 20]);

impl Text {
    fn of(moment: Timestamp) -> Self {
        let moment = jiff::Timestamp::from_second(moment.0).unwrap_or_default();
        let moment = jiff::tz::Offset::UTC.to_datetime(moment);
        let mut text = *b"0000-00-00T00:00:00Z";
        let year = moment.year().unsigned_abs();
        write_two_digits(&mut text[..2], year / 100);
        write_two_digits(&mut text[2..], year % 100);
        for (at, number) in [
            (5, moment.month()),
            (8, moment.day()),
            (11, moment.hour()),
            (14, moment.minute()),
            (17, moment.second()),
        ] {
            write_two_digits(&mut text[at..], number.unsigned_abs().into());
        }
        Self(text)
    }
}

/// Writes two digits over `00`.
fn write_two_digits(text: &mut [u8], number: u16) {
    text[0] += (number / 10) as u8;
    text[1] += (number % 10) as u8;
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Accepts any offset. A fraction of a second is dropped.
impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        let moment: jiff::Timestamp = text.parse()?;
        Ok(Self::from_unix(moment.as_millisecond().div_euclid(1000)))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Text::of(*self))
    }
}

// No pattern: generated clients would apply it to their own type for dates.
inline_schema!(Timestamp, { "type": "string", "format": "date-time" });

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
    fn a_fraction_of_a_second_is_rounded_down() {
        assert_eq!(read("1969-12-31T23:59:59.9Z").unix(), -1);
        assert_eq!(
            read("2026-03-01T12:30:00.999Z"),
            read("2026-03-01T12:30:00Z")
        );
    }

    #[test]
    fn other_text_is_not_a_timestamp() {
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-03-01"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
