//! Values that every slice uses, and the only sources of time and randomness.

pub mod case_fold;
mod clock;
mod day;
pub mod ip_networks;
pub mod money;
pub mod random;
pub mod time;
mod timestamp;

pub use self::clock::Clock;
pub use self::day::Day;
pub use self::ip_networks::{IpNetworks, client_network};
pub use self::timestamp::Timestamp;
