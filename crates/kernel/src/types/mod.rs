//! Values that every slice uses, and the only sources of time and randomness.

pub mod case_fold;
mod clock;
mod day;
mod expiry;
pub mod ip_networks;
pub mod money;
pub mod random;
mod steam_id;
mod timestamp;

pub use self::clock::Clock;
pub use self::day::Day;
pub use self::expiry::Expiry;
pub use self::ip_networks::{IpNetworks, client_network, customer_network};
pub use self::steam_id::SteamId;
pub use self::timestamp::Timestamp;

/// Lengths of time in seconds, for arithmetic with `Timestamp`.
pub mod time {
    pub const MINUTE: i64 = 60;
    pub const HOUR: i64 = 60 * MINUTE;
    pub const DAY: i64 = 24 * HOUR;
}
