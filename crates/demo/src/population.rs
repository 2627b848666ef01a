//! How many players a game server of the demo has at a time. History and simulated servers use the
//! same numbers, so that a chart continues where the generated history ends.

use std::ops::RangeInclusive;

use kernel::types::time::{DAY, HOUR};

use super::rng::Rng;

/// The seconds for which the number of players stays the same.
pub const STEP: i64 = 15 * 60;
/// The share of the places, in percent, that are taken in each hour (UTC) of a popular server.
const BY_HOUR: [i64; 24] = [
    46, 36, 26, 18, 13, 10, 10, 12, 16, 22, 28, 34, 40, 44, 48, 54, 62, 72, 84, 92, 95, 90, 78, 62,
];
const PLACES: [i64; 5] = [16, 24, 32, 40, 64];
/// Days of the week since 1970-01-01, a Thursday.
const WEEKEND: RangeInclusive<i64> = 2..=3;

pub fn max_players(server_id: i64) -> i64 {
    PLACES[server_id.unsigned_abs() as usize % PLACES.len()]
}

/// The number of players at a moment in seconds since 1970.
pub fn players(server_id: i64, at: i64) -> i64 {
    let seed = server_id.cast_unsigned();
    let popularity = Rng::new(seed, 0).between(35, 100);
    let step = at.div_euclid(STEP);
    let (hour, second) = (step * STEP % DAY / HOUR, step * STEP % HOUR);
    let share = |hour: i64| BY_HOUR[hour.unsigned_abs() as usize % BY_HOUR.len()];
    let share = share(hour) + (share(hour + 1) - share(hour)) * second / HOUR;
    let share = match WEEKEND.contains(&(at.div_euclid(DAY) % 7)) {
        true => share * 115 / 100,
        false => share,
    };
    let max = max_players(server_id);
    let usual = max * share * popularity / 10_000;
    let change = Rng::new(seed, step.cast_unsigned()).between(-2, 2);
    (usual + change).clamp(0, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenings_have_more_players_than_mornings_and_no_server_is_overfull() {
        let (mut evening, mut morning) = (0, 0);
        for server_id in 1..=50 {
            for day in 20_000..20_014 {
                let at = |hour: i64| players(server_id, day * DAY + hour * HOUR);
                evening += at(20);
                morning += at(5);
                let mut hours = (0..24).map(at);
                assert!(hours.all(|players| (0..=max_players(server_id)).contains(&players)));
            }
        }
        assert!(evening > 3 * morning, "{evening} and {morning}");
    }

    #[test]
    fn the_same_moment_has_the_same_players() {
        for at in [0, 1_772_366_400, 1_772_366_400 + STEP - 1] {
            assert_eq!(players(7, at), players(7, at));
        }
        let start = 1_772_366_400;
        assert_eq!(players(7, start), players(7, start + STEP - 1));
    }
}
