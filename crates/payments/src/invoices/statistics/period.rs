//! A period of days, divided into the rows of the statistics.

use std::ops::RangeInclusive;

use kernel::types::Day;

/// A period of days: the whole months in it, and the days before and after them. Each part may be
/// empty.
#[derive(Debug, PartialEq, Eq)]
pub struct Period {
    /// Months, counted from year 0; or [`ALL_TIME`].
    pub months: RangeInclusive<i64>,
    /// Days before the first whole month; all days, if there is no whole month.
    pub leading_days: RangeInclusive<i64>,
    /// Days after the last whole month.
    pub trailing_days: RangeInclusive<i64>,
}

/// The row with the sums of all months.
const ALL_TIME: RangeInclusive<i64> = -1..=-1;
const EMPTY: RangeInclusive<i64> = RangeInclusive::new(1, 0);

impl Period {
    pub const ALL: Self = Self {
        months: ALL_TIME,
        leading_days: EMPTY,
        trailing_days: EMPTY,
    };

    pub const NONE: Self = Self {
        months: EMPTY,
        leading_days: EMPTY,
        trailing_days: EMPTY,
    };

    /// The period from `first` to `last`, inclusive; `None` leaves that end open.
    pub fn new(first: Option<Day>, last: Option<Day>) -> Self {
        if first.is_none() && last.is_none() {
            return Self::ALL;
        }
        // The first month that begins, and the last one that ends, in the period.
        let first_month = first.map_or(0, |day| day.previous().month() + 1);
        let last_month = last.map_or(i64::MAX, |day| day.next().month() - 1);
        if first_month > last_month {
            let first = first.map_or(i64::MIN, Day::number);
            let last = last.map_or(i64::MAX, Day::number);
            return Self {
                leading_days: first..=last,
                ..Self::NONE
            };
        }
        let leading = |first: Day| first.number()..=Day::first_of(first_month).previous().number();
        let trailing = |last: Day| Day::first_of(last_month + 1).number()..=last.number();
        Self {
            months: first_month..=last_month,
            leading_days: first.map_or(EMPTY, leading),
            trailing_days: last.map_or(EMPTY, trailing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).expect(text)
    }

    #[test]
    fn every_day_is_in_exactly_one_part() {
        let (start, end) = (day("2023-11-20").number(), day("2024-04-10").number());
        for first in start..=end {
            for last in first..=end {
                let ends = [first, last].map(|day| Some(Day::from_number(day)));
                let period = Period::new(ends[0], ends[1]);
                for day in start..=end {
                    let month = Day::from_number(day).month();
                    let times = [
                        period.months.contains(&month),
                        period.leading_days.contains(&day),
                        period.trailing_days.contains(&day),
                    ];
                    let times = times.into_iter().filter(|is_in| *is_in).count();
                    let expected = usize::from((first..=last).contains(&day));
                    assert_eq!(times, expected, "{day} in {first}..={last}: {period:?}");
                }
            }
        }
    }

    #[test]
    fn whole_months_are_not_split_into_days() {
        let of = |first, last| Period::new(Some(day(first)), Some(day(last)));
        let march = day("2024-03-15").month();
        let whole = of("2024-03-01", "2024-03-31");
        assert_eq!(whole.months, march..=march);
        assert!(whole.leading_days.is_empty() && whole.trailing_days.is_empty());
        let months = of("2024-01-31", "2024-04-01");
        assert_eq!(months.months, march - 1..=march);
        assert_eq!(
            months.leading_days.count() + months.trailing_days.count(),
            2
        );
        assert!(of("2024-03-02", "2024-04-29").months.is_empty());
    }

    #[test]
    fn either_end_may_be_open() {
        let march = day("2024-03-15").month();
        let from = Period::new(Some(day("2024-03-01")), None);
        assert_eq!(from.months, march..=i64::MAX);
        let to = Period::new(None, Some(day("2024-03-31")));
        assert_eq!(to.months, 0..=march);
        assert!(to.leading_days.is_empty() && to.trailing_days.is_empty());
        assert_eq!(Period::new(None, None), Period::ALL);
    }

    #[test]
    fn the_first_and_last_day_of_the_calendar_do_not_overflow() {
        for (first, last) in [
            ("0000-01-01", "9999-12-31"),
            ("0000-01-01", "0000-01-01"),
            ("9999-12-31", "9999-12-31"),
        ] {
            let period = Period::new(Some(day(first)), Some(day(last)));
            for end in [day(first), day(last)] {
                let number = end.number();
                assert!(
                    period.months.contains(&end.month())
                        || period.leading_days.contains(&number)
                        || period.trailing_days.contains(&number),
                    "{end}: {period:?}"
                );
            }
        }
        for number in [i64::MIN, i64::MAX] {
            Period::new(Some(Day::from_number(number)), None);
            Period::new(None, Some(Day::from_number(number)));
        }
    }
}
