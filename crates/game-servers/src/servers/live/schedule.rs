//! Schedules the next query of a server: after the interval, or later if it does not answer.

use super::Settings;
use kernel::Core;
use kernel::types::random;

/// The longest delay after failures, in intervals.
const MAX_BACK_OFF: i64 = 10;

/// The current time, in milliseconds since 1970.
pub fn now(core: &Core) -> i64 {
    i64::try_from(core.clock.millis()).unwrap_or(i64::MAX)
}

/// The longest possible delay, in milliseconds.
pub fn longest_delay(settings: &Settings) -> i64 {
    interval(settings).saturating_mul(MAX_BACK_OFF + 1)
}

/// The delay until the next query, in milliseconds: doubled with every failure in a row, and varied
/// by a tenth, so that servers added together are not always queried together.
pub fn delay(settings: &Settings, failures: i64) -> i64 {
    let intervals = match failures {
        0 => 1,
        failures => MAX_BACK_OFF.min(1 << (failures - 1).min(10)),
    };
    let delay = interval(settings).saturating_mul(intervals);
    let spread = (delay / 5).max(1);
    let random = i64::from(u32::from_be_bytes(random::bytes()));
    delay - delay / 10 + random % spread
}

fn interval(settings: &Settings) -> i64 {
    settings.interval.as_millis() as i64
}
