use std::ops::RangeInclusive;

use kernel::types::Day;

/// Days in a row, as they are kept: months as a whole, and by themselves the days at either end
/// that fill no month. All ranges include both their ends.
#[derive(Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Months, counted from year 0; or [`ALL_TIME`].
    pub spans: RangeInclusive<i64>,
    /// Days before the first of these months.
    pub before: RangeInclusive<i64>,
    /// Days behind the last.
    pub behind: RangeInclusive<i64>,
}

const ALL_TIME: RangeInclusive<i64> = -1..=-1;
const NOTHING: RangeInclusive<i64> = RangeInclusive::new(1, 0);

impl Stretch {
    pub const ALL: Self = Self {
        spans: ALL_TIME,
        before: NOTHING,
        behind: NOTHING,
    };

    pub const NONE: Self = Self {
        spans: NOTHING,
        before: NOTHING,
        behind: NOTHING,
    };

    /// From the first to the last, which belong to it; `None` is without end.
    pub fn new(first: Option<Day>, last: Option<Day>) -> Self {
        if first.is_none() && last.is_none() {
            return Self::ALL;
        }
        // The first month that begins, and the last one that ends, in this time.
        let begins = first.map_or(0, |day| day.previous().month() + 1);
        let ends = last.map_or(i64::MAX, |day| day.next().month() - 1);
        if begins > ends {
            let first = first.map_or(i64::MIN, Day::number);
            let last = last.map_or(i64::MAX, Day::number);
            return Self {
                before: first..=last,
                ..Self::NONE
            };
        }
        let before = |first: Day| first.number()..=Day::first_of(begins).previous().number();
        let behind = |last: Day| Day::first_of(ends + 1).number()..=last.number();
        Self {
            spans: begins..=ends,
            before: first.map_or(NOTHING, before),
            behind: last.map_or(NOTHING, behind),
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
    fn every_day_is_in_it_once() {
        let (start, end) = (day("2023-11-20").number(), day("2024-04-10").number());
        for first in start..=end {
            for last in first..=end {
                let ends = [first, last].map(|day| Some(Day::from_number(day)));
                let stretch = Stretch::new(ends[0], ends[1]);
                for day in start..=end {
                    let month = Day::from_number(day).month();
                    let times = [
                        stretch.spans.contains(&month),
                        stretch.before.contains(&day),
                        stretch.behind.contains(&day),
                    ];
                    let times = times.into_iter().filter(|is_in| *is_in).count();
                    let expected = usize::from((first..=last).contains(&day));
                    assert_eq!(times, expected, "{day} in {first}..={last}: {stretch:?}");
                }
            }
        }
    }

    #[test]
    fn whole_months_are_taken_as_such() {
        let of = |first, last| Stretch::new(Some(day(first)), Some(day(last)));
        let march = day("2024-03-15").month();
        let whole = of("2024-03-01", "2024-03-31");
        assert_eq!(whole.spans, march..=march);
        assert!(whole.before.is_empty() && whole.behind.is_empty());
        let months = of("2024-01-31", "2024-04-01");
        assert_eq!(months.spans, march - 1..=march);
        assert_eq!(months.before.count() + months.behind.count(), 2);
        assert!(of("2024-03-02", "2024-04-29").spans.is_empty());
    }

    #[test]
    fn either_end_may_be_open() {
        let march = day("2024-03-15").month();
        let from = Stretch::new(Some(day("2024-03-01")), None);
        assert_eq!(from.spans, march..=i64::MAX);
        let to = Stretch::new(None, Some(day("2024-03-31")));
        assert_eq!(to.spans, 0..=march);
        assert!(to.before.is_empty() && to.behind.is_empty());
        assert_eq!(Stretch::new(None, None), Stretch::ALL);
    }

    #[test]
    fn the_ends_of_the_calendar_are_no_ends_of_the_program() {
        for (first, last) in [
            ("0000-01-01", "9999-12-31"),
            ("0000-01-01", "0000-01-01"),
            ("9999-12-31", "9999-12-31"),
        ] {
            let stretch = Stretch::new(Some(day(first)), Some(day(last)));
            for end in [day(first), day(last)] {
                let number = end.number();
                assert!(
                    stretch.spans.contains(&end.month())
                        || stretch.before.contains(&number)
                        || stretch.behind.contains(&number),
                    "{end}: {stretch:?}"
                );
            }
        }
        for number in [i64::MIN, i64::MAX] {
            Stretch::new(Some(Day::from_number(number)), None);
            Stretch::new(None, Some(Day::from_number(number)));
        }
    }
}
