//! A client of the Source RCON protocol: sends one command and returns its answer.
//!
//! This crate is independent of the service, and treats the data of game servers as untrusted:
//! every size and every wait is limited.

mod client;
mod packet;
#[cfg(feature = "testing")]
pub mod testing;

pub use client::{Answer, Error, Failed, Limits, run};
pub use packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Malformed, Packet};
