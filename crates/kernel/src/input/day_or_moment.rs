use crate::inline_schema;
use crate::input::{Fault, Place, Raw, Rule, TextFormat, text};
use crate::types::{Day, Timestamp};

/// One end of a period, inclusive: a whole day in UTC, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayOrMoment {
    Day(Day),
    Moment(Timestamp),
}

impl DayOrMoment {
    /// The first second of a period that begins here.
    pub fn first(self) -> Timestamp {
        match self {
            Self::Day(day) => day.first_second(),
            Self::Moment(moment) => moment,
        }
    }

    /// The exclusive end of a range: the moment itself, or the end of the day.
    pub fn end(self) -> Timestamp {
        match self {
            Self::Day(day) => day.next().first_second(),
            Self::Moment(moment) => moment,
        }
    }

    /// The last second of a period that ends here.
    pub fn last(self) -> Timestamp {
        match self {
            Self::Day(day) => day.last_second(),
            Self::Moment(moment) => moment,
        }
    }
}

impl Rule for DayOrMoment {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let moment = || text.parse().ok().map(Self::Moment);
        let bound = Day::parse(&text).map(Self::Day).or_else(moment);
        if bound.is_none() {
            place.add(Fault::wrong_format(TextFormat::DateOrDateTime));
        }
        bound
    }
}

// A custom format: most generated clients cannot express a choice of two formats.
inline_schema!(DayOrMoment, { "type": "string", "format": "date-or-date-time" });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Faults;

    fn read(text: &str) -> Option<DayOrMoment> {
        DayOrMoment::read(Raw::Query(text), &mut Faults::default().at("created_from"))
    }

    #[test]
    fn first_and_last_span_the_whole_day_or_the_moment() {
        for (text, first, last) in [
            ("2026-03-01", "2026-03-01T00:00:00Z", "2026-03-01T23:59:59Z"),
            ("1969-12-31", "1969-12-31T00:00:00Z", "1969-12-31T23:59:59Z"),
            (
                "2026-03-01T12:00:00.9Z",
                "2026-03-01T12:00:00Z",
                "2026-03-01T12:00:00Z",
            ),
            (
                "2026-03-01T01:00:00+02:00",
                "2026-02-28T23:00:00Z",
                "2026-02-28T23:00:00Z",
            ),
        ] {
            let bound = read(text).expect(text);
            assert_eq!(bound.first().to_string(), first, "{text}");
            assert_eq!(bound.last().to_string(), last, "{text}");
        }
    }

    #[test]
    fn end_is_the_start_of_the_next_day_or_the_moment() {
        for (text, end) in [
            ("2026-03-01", "2026-03-02T00:00:00Z"),
            ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ] {
            assert_eq!(read(text).expect(text).end().to_string(), end, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_date_or_moment_is_refused() {
        for text in ["", "today", "2026-02-29", "2026-3-1", "2026-03-01T12:00:00"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
