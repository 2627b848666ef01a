//! `Day`: a calendar day in UTC.

use std::fmt;

use jiff::civil::Date;

use crate::inline_schema;
use crate::input::{Fault, Place, Raw, Rule, TextFormat, text};
use crate::types::Timestamp;
use crate::types::time::DAY;

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

// The months before and after the calendar, which has the years -9999 to 9999.
const BEFORE_ALL: i64 = -10_000 * 12;
const AFTER_ALL: i64 = 10_000 * 12;

/// A day in UTC, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.unix().div_euclid(DAY))
    }

    pub fn from_number(number: i64) -> Self {
        Self(number)
    }

    pub fn number(self) -> i64 {
        self.0
    }

    pub fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The number of the month: twelve times the year, plus the month from 0. Days outside the
    /// calendar are in `BEFORE_ALL` or `AFTER_ALL`.
    pub fn month(self) -> i64 {
        let date = jiff::Span::new()
            .try_days(self.0)
            .and_then(|days| EPOCH.checked_add(days));
        match date {
            Ok(date) => i64::from(date.year()) * 12 + i64::from(date.month()) - 1,
            Err(_) if self.0 < 0 => BEFORE_ALL,
            Err(_) => AFTER_ALL,
        }
    }

    pub fn first_of(month: i64) -> Self {
        let year = i16::try_from(month.div_euclid(12)).ok();
        let date = year.and_then(|year| Date::new(year, month.rem_euclid(12) as i8 + 1, 1).ok());
        match date.and_then(|date| date.since(EPOCH).ok()) {
            Some(since) => Self(since.get_days().into()),
            None if month <= BEFORE_ALL => Self(i64::MIN),
            None => Self(i64::MAX),
        }
    }

    pub fn first_second(self) -> Timestamp {
        Timestamp::from_unix(self.0.saturating_mul(DAY))
    }

    pub fn last_second(self) -> Timestamp {
        Timestamp::from_unix(self.first_second().unix().saturating_add(DAY - 1))
    }

    /// Accepts `YYYY-MM-DD` only.
    pub fn parse(text: &str) -> Option<Self> {
        let is_in_form = text.len() == 10
            && text.bytes().enumerate().all(|(i, byte)| match i {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let date: Date = text.parse().ok().filter(|_| is_in_form)?;
        let since = date.since(EPOCH).ok()?;
        Some(Self(since.get_days().into()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let midnight = self.first_second().to_string();
        let (date, _) = midnight.split_once('T').unwrap_or((&midnight, ""));
        f.write_str(date)
    }
}

impl Rule for Day {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let day = Self::parse(&text(raw, place)?);
        if day.is_none() {
            place.add(Fault::wrong_format(TextFormat::Date));
        }
        day
    }
}

inline_schema!(Day, {
    "type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
});

impl From<Day> for db::Value<'_> {
    fn from(day: Day) -> Self {
        Self::Int(day.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_counted_from_1970_and_formatted() {
        for (text, number) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2026-03-01", 20_513),
            ("9999-12-30", 2_932_895),
        ] {
            let day = Day::parse(text).expect(text);
            assert_eq!(day.number(), number, "{text}");
            assert_eq!(day.to_string(), text);
        }
        assert!(Day::parse("9999-12-31").is_some());
        assert!(Day::parse("0000-01-01").is_some());
        assert_eq!(Day::of(Timestamp::from_unix(-1)), Day(-1));
        assert_eq!(Day::of(Timestamp::from_unix(86_399)), Day(0));
    }

    #[test]
    fn other_formats_and_impossible_days_are_refused() {
        for text in [
            "",
            "today",
            "2026-3-1",
            "20260301",
            "2026-02-29",
            "2026-13-01",
            "2026-03-01T00:00:00Z",
            "+002026-03-01",
            "2026-03-1 ",
        ] {
            assert!(Day::parse(text).is_none(), "{text}");
        }
    }
}
