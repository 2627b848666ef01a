//! A client of the Source RCON protocol: one command, one answer.
//!
//! This crate knows nothing of the service. What it is told by a game server it does not trust:
//! every size and every wait has a limit.

mod client;
mod packet;
#[cfg(feature = "testing")]
pub mod testing;

pub use client::{Answer, Error, Failed, Limits, run};
pub use packet::{Decoder, Malformed, Packet};
