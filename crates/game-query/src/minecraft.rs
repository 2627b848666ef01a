//! Minecraft: the status of the Java edition over TCP and the ping of the Bedrock edition over UDP.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::byte_reader::ByteReader;
use super::udp::{UdpExchange, failure_from_io};
use super::{Protocol, query_over_udp};
use crate::report::{Failure, MAX_ANSWER, Outcome, Player, Report};
use crate::report::{limit_players, sanitize, sanitize_or_none};

/// Marks a packet as a Bedrock ping or pong.
const MAGIC: [u8; 16] = [
    0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78,
];
const PING: u8 = 0x01;
const PONG: u8 = 0x1c;
/// The number of levels of a nested description that are read.
const MAX_DEPTH: usize = 16;

/// Tries Java for at most half of the time, then Bedrock for the rest.
pub async fn query(address: SocketAddr, deadline: Instant) -> Outcome {
    let now = Instant::now();
    let java = query_java(address, now + (deadline - now) / 2).await;
    if java.answer.is_ok() {
        return java;
    }
    let bedrock = query_over_udp(Protocol::MinecraftBedrock, address, deadline).await;
    match (&java.answer, &bedrock.answer) {
        // A malformed answer from Java is more informative than a missing one from Bedrock.
        (Err(Failure::Protocol), Err(_)) => java,
        _ => bedrock,
    }
}

pub async fn query_java(address: SocketAddr, deadline: Instant) -> Outcome {
    let started = Instant::now();
    let querying = async {
        let mut stream = TcpStream::connect(address).await.map_err(failure_from_io)?;
        let latency = started.elapsed();
        let status = request_status(&mut stream, address).await?;
        Ok((parse_status(&status)?, latency))
    };
    let result = timeout_at(deadline, querying).await;
    match result.unwrap_or(Err(Failure::Timeout)) {
        Ok((report, latency)) => Outcome {
            answer: Ok(report),
            latency: Some(latency),
        },
        Err(failure) => Outcome::failed(failure),
    }
}

async fn request_status(stream: &mut TcpStream, address: SocketAddr) -> Result<Vec<u8>, Failure> {
    let host = address.ip().to_string();
    let mut handshake = vec![0x00];
    // Any version will do: the server reports its own.
    handshake.extend(encode_varint(u32::MAX));
    handshake.extend(encode_varint(host.len() as u32));
    handshake.extend(host.as_bytes());
    handshake.extend(address.port().to_be_bytes());
    handshake.push(0x01);
    let request = [
        encode_varint(handshake.len() as u32),
        handshake,
        vec![0x01, 0x00],
    ]
    .concat();
    stream.write_all(&request).await.map_err(failure_from_io)?;

    let length = read_varint(stream).await?;
    if length > MAX_ANSWER {
        return Err(Failure::Protocol);
    }
    let mut packet = vec![0; length];
    stream
        .read_exact(&mut packet)
        .await
        .map_err(failure_from_io)?;
    Ok(packet)
}

fn encode_varint(mut number: u32) -> Vec<u8> {
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
        bytes.push(stream.read_u8().await.map_err(failure_from_io)?);
        if bytes.len() > 5 {
            return Err(Failure::Protocol);
        }
        if bytes.last().is_some_and(|byte| byte & 0x80 == 0) {
            return decode_varint(&mut ByteReader(&bytes));
        }
    }
}

fn decode_varint(bytes: &mut ByteReader<'_>) -> Result<usize, Failure> {
    let mut number = 0;
    for index in 0..5 {
        let byte = bytes.u8()?;
        number |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Failure::Protocol)
}

pub fn parse_status(packet: &[u8]) -> Result<Report, Failure> {
    let mut packet = ByteReader(packet);
    packet.expect(&[0x00])?;
    let length = decode_varint(&mut packet)?;
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
            name: sanitize(&strip_colours(player["name"].as_str()?)),
            score: None,
            seconds: None,
        })
    });
    let mut description = String::new();
    collect_text(&status["description"], MAX_DEPTH, &mut description);
    Ok(Report {
        name: sanitize_or_none(&strip_colours(&description)),
        map: String::new(),
        version: status["version"]["name"]
            .as_str()
            .and_then(sanitize_or_none),
        players_online: count("online")?,
        max_players: count("max")?,
        players: limit_players(players),
    })
}

/// Appends all text of a description, which is a string or a tree of strings.
fn collect_text(part: &Value, depth: usize, description: &mut String) {
    match part {
        Value::String(text) => description.push_str(text),
        Value::Array(parts) if depth > 0 => {
            for part in parts {
                collect_text(part, depth - 1, description);
            }
        }
        Value::Object(fields) if depth > 0 => {
            for name in ["text", "extra"] {
                if let Some(part) = fields.get(name) {
                    collect_text(part, depth - 1, description);
                }
            }
        }
        _ => {}
    }
}

/// Removes colour codes such as `§a`.
fn strip_colours(text: &str) -> String {
    let mut pieces = text.split('§');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + piece
            .char_indices()
            .nth(1)
            .map_or("", |(at, _)| &piece[at..])
    })
}

pub async fn query_bedrock(udp: &mut UdpExchange) -> Result<Report, Failure> {
    let (time, client) = ([0; 8], [0; 8]);
    udp.send(&[&[PING], &time[..], &MAGIC, &client].concat())
        .await?;
    parse_pong(ByteReader(udp.receive().await?))
}

/// Parses `MCPE;name;protocol;version;players;max players;id;map;…`.
fn parse_pong(mut pong: ByteReader<'_>) -> Result<Report, Failure> {
    pong.expect(&[PONG])?;
    let (_time, _server) = (pong.take(8)?, pong.take(8)?);
    pong.expect(&MAGIC)?;
    let length = u16::from_be_bytes(pong.take_array()?);
    let text = String::from_utf8_lossy(pong.take(length.into())?);
    let fields: Vec<&str> = text.split(';').collect();
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    let count = |index: usize| {
        let number: u32 = field(index).parse().map_err(|_| Failure::Protocol)?;
        Ok(i64::from(number).min(i64::from(i32::MAX)))
    };
    Ok(Report {
        name: sanitize_or_none(&strip_colours(field(1))),
        map: sanitize(&strip_colours(field(7))),
        version: sanitize_or_none(field(3)),
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
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_status(&bytes);
            let _ = parse_pong(ByteReader(&bytes));
            let pong = [&[PONG][..], &[0; 16], &MAGIC, &(bytes.len() as u16).to_be_bytes(), &bytes];
            let _ = parse_pong(ByteReader(&pong.concat()));
        }

        #[test]
        fn a_varint_survives_encoding_and_decoding(value in any::<u32>()) {
            prop_assert_eq!(decode_varint(&mut ByteReader(&encode_varint(value))), Ok(value as usize));
        }
    }

    #[test]
    fn the_text_of_a_nested_description_is_joined() {
        let status = r#"{"version":{"name":"1.21"},"players":{"online":2,"max":20,
            "sample":[{"name":"Alex"},{"no":1}]},
            "description":{"text":"§aGreen ","extra":["and ",{"text":"red§"}]}}"#;
        let packet = [vec![0], encode_varint(status.len() as u32), status.into()].concat();
        let report = parse_status(&packet).expect("a status");
        assert_eq!(report.name.as_deref(), Some("Green and red"));
        assert_eq!((report.players_online, report.max_players), (2, 20));
        assert_eq!(report.players.len(), 1);
    }
}
