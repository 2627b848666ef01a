//! Asking game servers in their own languages.
//!
//! This crate knows nothing of the service, and trusts nothing that it is told.
//!
//! Everything here is asynchronous and stops at its deadline; sockets are connected, so that only
//! the one who was asked can answer; and what is received is bounded before it is looked at.

mod bytes;
mod gamespy;
mod minecraft;
mod quake;
mod report;
mod unreal;
mod valve;
mod wire;

use std::net::SocketAddr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

pub use report::{Failure, Player, Report};
use wire::Wire;

/// The largest answer that is put together from its parts.
const MAX_ANSWER: usize = 512 << 10;

/// How a kind of game is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// A2S, of Source and of most games on Steam.
    Valve,
    /// The same in the dialect of Half-Life's own engine.
    GoldSrc,
    Quake1,
    Quake2,
    Quake3,
    /// Java first, then Bedrock.
    Minecraft,
    MinecraftJava,
    MinecraftBedrock,
    Gamespy1,
    Gamespy2,
    Gamespy3,
    Unreal2,
}

/// What came of a question.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub answer: Result<Report, Failure>,
    /// From the first packet sent to the first received.
    pub latency: Option<Duration>,
}

impl Outcome {
    pub fn failed(failure: Failure) -> Self {
        Self {
            answer: Err(failure),
            latency: None,
        }
    }
}

/// Asks once, for as long as `patience` lasts.
pub async fn ask(protocol: Protocol, address: SocketAddr, patience: Duration) -> Outcome {
    let deadline = Instant::now() + patience;
    match protocol {
        Protocol::Minecraft => minecraft::ask(address, deadline).await,
        Protocol::MinecraftJava => minecraft::ask_java(address, deadline).await,
        _ => over_udp(protocol, address, deadline).await,
    }
}

async fn over_udp(protocol: Protocol, address: SocketAddr, deadline: Instant) -> Outcome {
    match Wire::connect(address, deadline).await {
        Ok(mut wire) => Outcome {
            answer: over(&mut wire, protocol).await,
            latency: wire.latency(),
        },
        Err(failure) => Outcome::failed(failure),
    }
}

/// What is made of answers that were made up, in the order of the packets.
#[cfg(feature = "scripted")]
pub async fn ask_script(protocol: Protocol, answers: Vec<Vec<u8>>) -> Result<Report, Failure> {
    if protocol == Protocol::MinecraftJava {
        return minecraft::read_status(&answers.concat());
    }
    let deadline = Instant::now() + Duration::from_secs(1);
    over(&mut Wire::scripted(answers, deadline), protocol).await
}

async fn over(wire: &mut Wire, protocol: Protocol) -> Result<Report, Failure> {
    match protocol {
        Protocol::Valve => valve::ask(wire, valve::Dialect::Source).await,
        Protocol::GoldSrc => valve::ask(wire, valve::Dialect::GoldSrc).await,
        Protocol::Quake1 => quake::ask(wire, quake::Version::One).await,
        Protocol::Quake2 => quake::ask(wire, quake::Version::Two).await,
        Protocol::Quake3 => quake::ask(wire, quake::Version::Three).await,
        Protocol::Gamespy1 => gamespy::ask_one(wire).await,
        Protocol::Gamespy2 => gamespy::ask_two(wire).await,
        Protocol::Gamespy3 => gamespy::ask_three(wire).await,
        Protocol::Unreal2 => unreal::ask(wire).await,
        Protocol::MinecraftBedrock | Protocol::Minecraft | Protocol::MinecraftJava => {
            minecraft::ask_bedrock(wire).await
        }
    }
}
