//! Asking game servers in their own languages.
//!
//! Everything here is asynchronous and stops at its deadline; sockets are connected, so that only
//! the one who was asked can answer; and what is received is bounded before it is looked at.

mod bytes;
mod gamespy;
mod minecraft;
mod quake;
mod unreal;
mod valve;
mod wire;

use std::net::SocketAddr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use super::report::{Failure, Report};
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
    let mut wire = match Wire::connect(address, deadline).await {
        Ok(wire) => wire,
        Err(failure) => return Outcome::failed(failure),
    };
    let answer = match protocol {
        Protocol::Valve => valve::ask(&mut wire, valve::Dialect::Source).await,
        Protocol::GoldSrc => valve::ask(&mut wire, valve::Dialect::GoldSrc).await,
        Protocol::Quake1 => quake::ask(&mut wire, quake::Version::One).await,
        Protocol::Quake2 => quake::ask(&mut wire, quake::Version::Two).await,
        Protocol::Quake3 => quake::ask(&mut wire, quake::Version::Three).await,
        Protocol::Gamespy1 => gamespy::ask_one(&mut wire).await,
        Protocol::Gamespy2 => gamespy::ask_two(&mut wire).await,
        Protocol::Gamespy3 => gamespy::ask_three(&mut wire).await,
        Protocol::Unreal2 => unreal::ask(&mut wire).await,
        Protocol::MinecraftBedrock | Protocol::Minecraft | Protocol::MinecraftJava => {
            minecraft::ask_bedrock(&mut wire).await
        }
    };
    Outcome {
        answer,
        latency: wire.latency(),
    }
}
