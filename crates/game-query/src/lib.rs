//! Queries game servers for their status, each in the protocol of its game.
//!
//! This crate is independent of the service, and treats every answer as untrusted input:
//!
//! - Every query is asynchronous and ends at its deadline.
//! - Sockets are connected, so that only the queried address can answer.
//! - The size of an answer is limited before it is parsed.

mod byte_reader;
mod gamespy;
mod minecraft;
mod quake;
mod report;
mod udp;
mod unreal;
mod valve;

use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

pub use report::{Failure, Outcome, Player, Report};
use udp::UdpExchange;

/// The query protocol of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "openapi",
    derive(schemars::JsonSchema),
    schemars(rename = "GameProtocol")
)]
// Comments of variants are not doc comments: those would split the schema, which is one list.
pub enum Protocol {
    // A2S, used by Source and most games on Steam.
    Valve,
    // The GoldSrc variant of A2S, used by the engine of Half-Life.
    GoldSrc,
    Quake1,
    Quake2,
    Quake3,
    // Java first, then Bedrock.
    Minecraft,
    MinecraftJava,
    MinecraftBedrock,
    Gamespy1,
    Gamespy2,
    Gamespy3,
    Unreal2,
}

/// Queries the server at `address` once, for at most `timeout`.
pub async fn query(protocol: Protocol, address: SocketAddr, timeout: Duration) -> Outcome {
    let deadline = Instant::now() + timeout;
    match protocol {
        Protocol::Minecraft => minecraft::query(address, deadline).await,
        Protocol::MinecraftJava => minecraft::query_java(address, deadline).await,
        _ => query_over_udp(protocol, address, deadline).await,
    }
}

async fn query_over_udp(protocol: Protocol, address: SocketAddr, deadline: Instant) -> Outcome {
    match UdpExchange::connect(address, deadline).await {
        Ok(mut udp) => Outcome {
            answer: run_protocol(&mut udp, protocol).await,
            latency: udp.latency(),
        },
        Err(failure) => Outcome::failed(failure),
    }
}

/// Parses the given packets as if a server had sent them in this order.
#[cfg(feature = "scripted")]
pub async fn query_scripted(protocol: Protocol, answers: Vec<Vec<u8>>) -> Result<Report, Failure> {
    if protocol == Protocol::MinecraftJava {
        return minecraft::parse_status(&answers.concat());
    }
    let deadline = Instant::now() + Duration::from_secs(1);
    run_protocol(&mut UdpExchange::scripted(answers, deadline), protocol).await
}

async fn run_protocol(udp: &mut UdpExchange, protocol: Protocol) -> Result<Report, Failure> {
    match protocol {
        Protocol::Valve => valve::query(udp, valve::Dialect::Source).await,
        Protocol::GoldSrc => valve::query(udp, valve::Dialect::GoldSrc).await,
        Protocol::Quake1 => quake::query(udp, quake::Version::One).await,
        Protocol::Quake2 => quake::query(udp, quake::Version::Two).await,
        Protocol::Quake3 => quake::query(udp, quake::Version::Three).await,
        Protocol::Gamespy1 => gamespy::query_v1(udp).await,
        Protocol::Gamespy2 => gamespy::query_v2(udp).await,
        Protocol::Gamespy3 => gamespy::query_v3(udp).await,
        Protocol::Unreal2 => unreal::query(udp).await,
        Protocol::MinecraftBedrock | Protocol::Minecraft | Protocol::MinecraftJava => {
            minecraft::query_bedrock(udp).await
        }
    }
}
