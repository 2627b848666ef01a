//! Minecraft: the status that the Java edition gives over TCP, and the ping of Bedrock.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::bytes::Bytes;
use super::wire::{Wire, failure};
use super::{MAX_ANSWER, Outcome, Protocol, over_udp};
use crate::report::{Failure, Player, Report, tidy, tidy_or_none, tidy_players};

/// What Bedrock's pings are told from other packets by.
const MAGIC: [u8; 16] = [
    0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78,
];
const PING: u8 = 0x01;
const PONG: u8 = 0x1c;
/// How deep a description may be nested.
const MAX_DEPTH: usize = 16;

/// Java has half of the time, unless it is clear before that there is nobody.
pub async fn ask(address: SocketAddr, deadline: Instant) -> Outcome {
    let now = Instant::now();
    let java = ask_java(address, now + (deadline - now) / 2).await;
    if java.answer.is_ok() {
        return java;
    }
    let bedrock = over_udp(Protocol::MinecraftBedrock, address, deadline).await;
    match (&java.answer, &bedrock.answer) {
        // What Java said tells more than that there is no Bedrock.
        (Err(Failure::Protocol), Err(_)) => java,
        _ => bedrock,
    }
}

pub async fn ask_java(address: SocketAddr, deadline: Instant) -> Outcome {
    let started = Instant::now();
    let asking = async {
        let mut stream = TcpStream::connect(address).await.map_err(failure)?;
        let latency = started.elapsed();
        let status = status(&mut stream, address).await?;
        Ok((read_status(&status)?, latency))
    };
    let asked = timeout_at(deadline, asking).await;
    match asked.unwrap_or(Err(Failure::Timeout)) {
        Ok((report, latency)) => Outcome {
            answer: Ok(report),
            latency: Some(latency),
        },
        Err(failure) => Outcome::failed(failure),
    }
}

async fn status(stream: &mut TcpStream, address: SocketAddr) -> Result<Vec<u8>, Failure> {
    let host = address.ip().to_string();
    let mut handshake = vec![0x00];
    // Any version: the server tells its own.
    handshake.extend(varint(u32::MAX));
    handshake.extend(varint(host.len() as u32));
    handshake.extend(host.as_bytes());
    handshake.extend(address.port().to_be_bytes());
    handshake.push(0x01);
    let request = [varint(handshake.len() as u32), handshake, vec![0x01, 0x00]].concat();
    stream.write_all(&request).await.map_err(failure)?;

    let length = read_varint(stream).await?;
    if length > MAX_ANSWER {
        return Err(Failure::Protocol);
    }
    let mut packet = vec![0; length];
    stream.read_exact(&mut packet).await.map_err(failure)?;
    Ok(packet)
}

fn varint(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

async fn read_varint(stream: &mut TcpStream) -> Result<usize, Failure> {
    let mut bytes = Vec::new();
    loop {
        bytes.push(stream.read_u8().await.map_err(failure)?);
        if bytes.len() > 5 {
            return Err(Failure::Protocol);
        }
        if bytes.last().is_some_and(|byte| byte & 0x80 == 0) {
            return number(&mut Bytes(&bytes));
        }
    }
}

fn number(bytes: &mut Bytes<'_>) -> Result<usize, Failure> {
    let mut number = 0;
    for place in 0..5 {
        let byte = bytes.u8()?;
        number |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Failure::Protocol)
}

pub fn read_status(packet: &[u8]) -> Result<Report, Failure> {
    let mut packet = Bytes(packet);
    packet.expect(&[0x00])?;
    let length = number(&mut packet)?;
    let status: Value =
        serde_json::from_slice(packet.take(length)?).map_err(|_| Failure::Protocol)?;
    let count = |name: &str| {
        let number = status["players"][name].as_i64().ok_or(Failure::Protocol)?;
        Ok(number.clamp(0, i64::from(i32::MAX)))
    };
    let sample = status["players"]["sample"].as_array();
    let names = sample.into_iter().flatten();
    let players = names.filter_map(|player| {
        Some(Player {
            name: tidy(&plain(player["name"].as_str()?)),
            score: None,
            seconds: None,
        })
    });
    let mut description = String::new();
    describe(&status["description"], MAX_DEPTH, &mut description);
    Ok(Report {
        name: tidy_or_none(&plain(&description)),
        map: String::new(),
        version: status["version"]["name"].as_str().and_then(tidy_or_none),
        players_online: count("online")?,
        max_players: count("max")?,
        players: tidy_players(players),
    })
}

/// A text, or a tree of texts.
fn describe(part: &Value, depth: usize, description: &mut String) {
    match part {
        Value::String(text) => description.push_str(text),
        Value::Array(parts) if depth > 0 => {
            for part in parts {
                describe(part, depth - 1, description);
            }
        }
        Value::Object(fields) if depth > 0 => {
            for name in ["text", "extra"] {
                if let Some(part) = fields.get(name) {
                    describe(part, depth - 1, description);
                }
            }
        }
        _ => {}
    }
}

/// Without the marks that colour what follows them: `§a`.
fn plain(text: &str) -> String {
    let mut pieces = text.split('§');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + piece
            .char_indices()
            .nth(1)
            .map_or("", |(at, _)| &piece[at..])
    })
}

pub async fn ask_bedrock(wire: &mut Wire) -> Result<Report, Failure> {
    let (time, client) = ([0; 8], [0; 8]);
    wire.send(&[&[PING], &time[..], &MAGIC, &client].concat())
        .await?;
    read_pong(Bytes(wire.receive().await?))
}

/// `MCPE;name;protocol;version;players;max players;id;map;…`.
fn read_pong(mut pong: Bytes<'_>) -> Result<Report, Failure> {
    pong.expect(&[PONG])?;
    let (_time, _server) = (pong.take(8)?, pong.take(8)?);
    pong.expect(&MAGIC)?;
    let length = u16::from_be_bytes(pong.array()?);
    let text = String::from_utf8_lossy(pong.take(length.into())?);
    let fields: Vec<&str> = text.split(';').collect();
    let field = |place: usize| fields.get(place).copied().unwrap_or_default();
    let count = |place: usize| {
        let number: u32 = field(place).parse().map_err(|_| Failure::Protocol)?;
        Ok(i64::from(number).min(i64::from(i32::MAX)))
    };
    Ok(Report {
        name: tidy_or_none(&plain(field(1))),
        map: tidy(&plain(field(7))),
        version: tidy_or_none(field(3)),
        players_online: count(4)?,
        max_players: count(5)?,
        players: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_status(&bytes);
            let _ = read_pong(Bytes(&bytes));
            let pong = [&[PONG][..], &[0; 16], &MAGIC, &(bytes.len() as u16).to_be_bytes(), &bytes];
            let _ = read_pong(Bytes(&pong.concat()));
        }

        #[test]
        fn numbers_are_written_and_read(value in any::<u32>()) {
            prop_assert_eq!(number(&mut Bytes(&varint(value))), Ok(value as usize));
        }
    }

    #[test]
    fn descriptions_are_texts_or_trees() {
        let status = r#"{"version":{"name":"1.21"},"players":{"online":2,"max":20,
            "sample":[{"name":"Alex"},{"no":1}]},
            "description":{"text":"§aGreen ","extra":["and ",{"text":"red§"}]}}"#;
        let packet = [vec![0], varint(status.len() as u32), status.into()].concat();
        let report = read_status(&packet).expect("a status");
        assert_eq!(report.name.as_deref(), Some("Green and red"));
        assert_eq!((report.players_online, report.max_players), (2, 20));
        assert_eq!(report.players.len(), 1);
    }
}
