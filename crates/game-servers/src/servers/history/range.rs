//! The time range of a chart, divided into points.

use kernel::input::{DayOrMoment, Fault, Faults, Positive};
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR, MINUTE};
use kernel::{Result, input};

/// Steps that give a readable axis, in seconds.
const STEPS: [i64; 14] = [
    30,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
];
const DEFAULT_POINTS: i64 = 500;
const MAX_POINTS: i64 = 2000;

input! {
    /// The range of time to show, and its resolution.
    pub struct HistoryQuery {
        /// The start: a moment, or the start of a day (UTC). The default is one day before `to`.
        from: Option<DayOrMoment>,
        /// The end, exclusive: a moment, or the end of a day (UTC). The default is now.
        to: Option<DayOrMoment>,
        /// The length of a point in seconds. The default gives at most 500 points.
        step: Option<Positive>,
    }
}

/// A time range, divided into steps that begin at multiples of their length. All in seconds.
#[derive(Clone, Copy, Debug)]
pub struct ChartRange {
    pub from: i64,
    /// Exclusive.
    pub to: i64,
    pub step: i64,
}

impl ChartRange {
    pub fn new(query: &HistoryQuery, now: Timestamp) -> Result<Self> {
        let to = query.to.map_or(now, DayOrMoment::end).unix();
        let from = query.from.map_or(to - DAY, |from| from.first().unix());
        if from >= to {
            return Err(Faults::one("from", Fault::NotBefore { other: "to" }).into());
        }
        let with = |step| Self { from, to, step };
        let step = match query.step {
            Some(step) => step.0.min(i64::from(u32::MAX)),
            None => {
                STEPS
                    .into_iter()
                    .find(|step| with(*step).count() <= DEFAULT_POINTS)
                    // Adds a day, because the first and the last point may be shorter.
                    .unwrap_or_else(|| ((to - from) / (DEFAULT_POINTS - 2) / DAY + 1) * DAY)
            }
        };
        let range = with(step);
        if range.count() > MAX_POINTS {
            let fault = Fault::StepTooSmall {
                min: (to - from + MAX_POINTS - 2) / (MAX_POINTS - 1),
                max_points: MAX_POINTS,
            };
            return Err(Faults::one("step", fault).into());
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

    /// The index of the point that a moment belongs to.
    pub fn index(&self, moment: i64) -> Option<usize> {
        let is_inside = (self.from..self.to).contains(&moment);
        is_inside.then(|| (moment.div_euclid(self.step) - self.first()) as usize)
    }

    /// The start of a point.
    pub fn start(&self, index: usize) -> i64 {
        (self.first() + index as i64) * self.step
    }

    /// The hours, counted from 1970, that the range overlaps.
    pub fn hours(&self) -> std::ops::Range<i64> {
        self.from.div_euclid(HOUR)..(self.to - 1).div_euclid(HOUR) + 1
    }
}

#[cfg(test)]
mod tests {
    use kernel::input::Positive;
    use proptest::prelude::*;

    use super::*;

    fn moment(unix: i64) -> Option<DayOrMoment> {
        Some(DayOrMoment::Moment(Timestamp::from_unix(unix)))
    }

    proptest! {
        #[test]
        fn the_default_step_gives_at_most_500_points(
            from in -60_000_000_000_i64..250_000_000_000, length in 1..300_000_000_000_i64,
        ) {
            let query = HistoryQuery { from: moment(from), to: moment(from + length), step: None };
            let range = ChartRange::new(&query, Timestamp::from_unix(0)).expect("a range");
            prop_assert!((1..=500).contains(&range.points()), "{range:?}");
        }

        #[test]
        fn the_least_step_in_the_error_message_is_accepted(
            from in 0..2_000_000_000_i64, length in 1..50_000_000_i64, step in 1..100_000_i64,
        ) {
            let ask = |step| {
                let step = Some(Positive(step));
                let query = HistoryQuery { from: moment(from), to: moment(from + length), step };
                ChartRange::new(&query, Timestamp::from_unix(0))
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
        fn every_moment_in_the_range_belongs_to_one_point(
            from in -1_000_000_i64..1_000_000, length in 1..10_000_i64, step in 30..5000_i64,
            offset in -100_i64..10_100,
        ) {
            let range = ChartRange { from, to: from + length, step };
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
