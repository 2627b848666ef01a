//! Which part of the past a chart shows, and in which steps.

use super::{DAY, HOUR};
use kernel::input::{Faults, Place, Positive, Raw, Rule, text};
use kernel::types::Timestamp;
use kernel::{Result, inline_schema, input};

/// What people like to see on an axis, in seconds.
const STEPS: [i64; 14] = [
    30,
    60,
    2 * 60,
    5 * 60,
    10 * 60,
    15 * 60,
    30 * 60,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
];
const USUAL_POINTS: i64 = 500;
const MAX_POINTS: i64 = 2000;

input! {
    /// Which part of the past to show.
    pub struct HistoryQuery {
        /// The beginning: a moment, or the beginning of a day (UTC); a day before `to` unless given.
        from: Option<Edge>,
        /// The end: a moment, which is not part of it, or the end of a day (UTC); now unless given.
        to: Option<Edge>,
        /// How many seconds a point stands for; enough for at most 500 points unless given.
        step: Option<Positive>,
    }
}

/// A moment, or a whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    start: i64,
    end: i64,
}

impl Rule for Edge {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let day = (text.len() == 10).then(|| format!("{text}T00:00:00Z").parse::<Timestamp>());
        let edge = match day {
            Some(midnight) => midnight.ok().map(|midnight| (midnight.unix(), DAY)),
            None => text
                .parse()
                .ok()
                .map(|moment: Timestamp| (moment.unix(), 0)),
        };
        if edge.is_none() {
            place.add("must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z, or a date");
        }
        edge.map(|(start, length)| Self {
            start,
            end: start + length,
        })
    }
}

inline_schema!(Edge, {
    "type": "string",
    "anyOf": [{ "format": "date-time" }, { "format": "date" }],
});

/// From a moment up to another, in steps that begin at multiples of their length.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub from: i64,
    pub to: i64,
    pub step: i64,
}

impl Range {
    pub fn new(query: &HistoryQuery, now: Timestamp) -> Result<Self> {
        let to = query.to.map_or(now.unix(), |to| to.end);
        let from = query.from.map_or(to - DAY, |from| from.start);
        if from >= to {
            return Err(Faults::one("from", "must be before to").into());
        }
        let with = |step| Self { from, to, step };
        let step = match query.step {
            Some(step) => step.0.min(i64::from(u32::MAX)),
            None => {
                let mut usual = STEPS.into_iter();
                usual
                    .find(|step| with(*step).count() <= USUAL_POINTS)
                    // A day is added, since the first and the last point may be shorter.
                    .unwrap_or_else(|| ((to - from) / (USUAL_POINTS - 2) / DAY + 1) * DAY)
            }
        };
        let range = with(step);
        if range.count() > MAX_POINTS {
            let least = (to - from + MAX_POINTS - 2) / (MAX_POINTS - 1);
            let sentence = format!("must be at least {least}, for at most {MAX_POINTS} points");
            return Err(Faults::one("step", sentence).into());
        }
        Ok(range)
    }

    fn first(&self) -> i64 {
        self.from.div_euclid(self.step)
    }

    fn count(&self) -> i64 {
        (self.to - 1).div_euclid(self.step) - self.first() + 1
    }

    pub fn points(&self) -> usize {
        self.count() as usize
    }

    /// The point that a moment belongs to.
    pub fn index(&self, moment: i64) -> Option<usize> {
        let inside = (self.from..self.to).contains(&moment);
        inside.then(|| (moment.div_euclid(self.step) - self.first()) as usize)
    }

    /// Where a point begins.
    pub fn start(&self, index: usize) -> i64 {
        (self.first() + index as i64) * self.step
    }

    /// The hours it touches.
    pub fn hours(&self) -> std::ops::Range<i64> {
        self.from.div_euclid(HOUR)..(self.to - 1).div_euclid(HOUR) + 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edge(moment: i64) -> Option<Edge> {
        Some(Edge {
            start: moment,
            end: moment,
        })
    }

    proptest! {
        #[test]
        fn the_usual_step_gives_at_most_500_points(
            from in -60_000_000_000_i64..250_000_000_000, length in 1..300_000_000_000_i64,
        ) {
            let query = HistoryQuery { from: edge(from), to: edge(from + length), step: None };
            let range = Range::new(&query, Timestamp::from_unix(0)).expect("a range");
            prop_assert!((1..=500).contains(&range.points()), "{range:?}");
        }

        #[test]
        fn the_least_step_that_is_named_is_enough(
            from in 0..2_000_000_000_i64, length in 1..50_000_000_i64, step in 1..100_000_i64,
        ) {
            let ask = |step| {
                let step = Some(Positive(step));
                let query = HistoryQuery { from: edge(from), to: edge(from + length), step };
                Range::new(&query, Timestamp::from_unix(0))
            };
            match ask(step) {
                Ok(range) => prop_assert!(range.points() <= 2000),
                Err(_) => {
                    let least = (length + 1998) / 1999;
                    prop_assert!(step < least);
                    prop_assert!(ask(least).is_ok());
                }
            }
        }

        #[test]
        fn every_moment_inside_belongs_to_one_point(
            from in -1_000_000_i64..1_000_000, length in 1..10_000_i64, step in 30..5000_i64,
            offset in -100_i64..10_100,
        ) {
            let range = Range { from, to: from + length, step };
            let moment = from + offset;
            match range.index(moment) {
                Some(index) => {
                    prop_assert!((0..length).contains(&offset) && index < range.points());
                    let start = range.start(index);
                    prop_assert!((start..start + step).contains(&moment));
                    prop_assert!(range.hours().contains(&moment.div_euclid(HOUR)));
                }
                None => prop_assert!(!(0..length).contains(&offset)),
            }
        }
    }
}
