//! When an attempt that failed is repeated.

use crate::types::random;
use crate::types::time::{HOUR, MINUTE};

/// The delay after each attempt before the next one, in seconds.
const DELAYS: [i64; 8] = [
    5,
    30,
    2 * MINUTE,
    10 * MINUTE,
    HOUR,
    3 * HOUR,
    8 * HOUR,
    24 * HOUR,
];

/// The delay in milliseconds after an attempt that failed, given how many failed before it. `None`
/// if it was the last one.
pub fn retry_delay(attempts_before: i64) -> Option<i64> {
    let before = usize::try_from(attempts_before).ok()?;
    DELAYS.get(before).copied().map(jittered)
}

/// At least `seconds`, and up to a fifth more, so that what failed together is not all retried
/// together.
fn jittered(seconds: i64) -> i64 {
    let spread = seconds * 1000 / 5;
    let random = i64::from(u32::from_be_bytes(random::bytes()));
    seconds * 1000 + random % spread
}
