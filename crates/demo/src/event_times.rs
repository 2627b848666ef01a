//! The times of events: more in the evening, at weekends, and as the community grows.

use super::rng::Rng;
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR};

/// The activity in each hour of a day (UTC): little at night, most in the evening.
const HOURS: [u64; 24] = [
    14, 9, 6, 4, 3, 3, 4, 6, 9, 12, 15, 18, 20, 21, 22, 25, 30, 36, 42, 47, 48, 43, 34, 23,
];
/// The activity on each day of the week, starting on Sunday.
const WEEKDAYS: [u64; 7] = [13, 9, 9, 10, 10, 12, 14];

/// The times of a number of events, spread over a period like those of a growing community.
#[derive(Debug)]
pub struct EventTimes {
    from: i64,
    /// The cumulative activity up to the end of each hour.
    activity: Vec<u64>,
    events: u64,
}

impl EventTimes {
    pub fn new(from: Timestamp, days: i64, events: u64) -> Self {
        let mut sum = 0;
        let activity = (0..days * 24).map(|hour| {
            let at = from.unix() + hour * HOUR;
            // The first day of 1970 was a Thursday.
            let weekday = (at.div_euclid(DAY) + 4).rem_euclid(7);
            let hour_of_day = at.rem_euclid(DAY) / HOUR;
            let growth = (days + hour / 12).unsigned_abs();
            sum += growth * WEEKDAYS[weekday as usize] * HOURS[hour_of_day as usize];
            sum
        });
        Self {
            from: from.unix(),
            activity: activity.collect(),
            events,
        }
    }

    /// The time of an event. The times of successive events never decrease.
    pub fn moment(&self, event: u64, rng: &mut Rng) -> Timestamp {
        const SCALE: u64 = 1 << 20;
        let total = self.activity.last().copied().unwrap_or_default();
        let position = u128::from(event * SCALE + rng.below(SCALE)) * u128::from(total)
            / u128::from(self.events.max(1) * SCALE);
        let position = position as u64;
        let hour = self.activity.partition_point(|sum| *sum <= position);
        let before = hour.checked_sub(1).map_or(0, |hour| self.activity[hour]);
        let width = self.activity.get(hour).map_or(1, |sum| sum - before);
        let seconds = (position - before) * HOUR.unsigned_abs() / width;
        Timestamp::from_unix(self.from + hour as i64 * HOUR + seconds.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_order_and_within_their_period() {
        let from = Timestamp::from_unix(1_700_000_000 / DAY * DAY);
        for events in [1, 7, 10_000] {
            let event_times = EventTimes::new(from, 30, events);
            let mut rng = Rng::new(1, 0);
            let moments: Vec<i64> = (0..events)
                .map(|event| event_times.moment(event, &mut rng).unix() - from.unix())
                .collect();
            assert!(moments.is_sorted());
            assert!(moments.iter().all(|moment| (0..30 * DAY).contains(moment)));
        }
    }

    #[test]
    fn evenings_are_busier_than_nights_and_the_end_is_busier_than_the_beginning() {
        let from = Timestamp::from_unix(1_700_000_000 / DAY * DAY);
        let event_times = EventTimes::new(from, 30, 10_000);
        let mut rng = Rng::new(1, 0);
        let moments: Vec<i64> = (0..10_000)
            .map(|event| event_times.moment(event, &mut rng).unix() - from.unix())
            .collect();
        let at = |hours: std::ops::Range<i64>| {
            let is_then = |moment: &&i64| hours.contains(&(**moment % DAY / HOUR));
            moments.iter().filter(is_then).count()
        };
        assert!(at(19..21) > 5 * at(3..5));
        let early = moments.iter().filter(|moment| **moment < 15 * DAY).count();
        assert!(early < 4_700, "{early}");
    }
}
