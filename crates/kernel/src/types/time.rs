//! Lengths of time in seconds, for arithmetic with `Timestamp`.

pub const MINUTE: i64 = 60;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
