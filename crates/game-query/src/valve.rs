//! A2S, the protocol of Source, GoldSrc (the engine of Half-Life) and most games on Steam.

use std::collections::BTreeMap;
use std::io::Read;

use bzip2::read::BzDecoder;

use super::byte_reader::ByteReader;
use super::udp::UdpExchange;
use crate::report::{Failure, MAX_ANSWER, Player, Report};
use crate::report::{limit_players, sanitize_bytes, sanitize_or_none};

const WHOLE: [u8; 4] = [0xff; 4];
const SPLIT: [u8; 4] = [0xfe, 0xff, 0xff, 0xff];
const INFO_REQUEST: &[u8] = b"TSource Engine Query\0";
const PLAYERS_REQUEST: &[u8] = b"U";
const NO_CHALLENGE: [u8; 4] = [0xff; 4];
const CHALLENGE: u8 = b'A';
const INFO: u8 = b'I';
const OLD_INFO: u8 = b'm';
const PLAYERS: u8 = b'D';
/// The number of challenges that a server may send in reply to one request.
const MAX_CHALLENGES: usize = 3;
/// The protocol versions of GoldSrc; those of Source are smaller.
const GOLD_SRC_PROTOCOLS: std::ops::RangeInclusive<u8> = 46..=48;
/// The app id of The Ship, whose answer has three extra bytes.
const THE_SHIP: u16 = 2400;

/// The numbering of the packets of a split answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Source,
    GoldSrc,
}

pub async fn query(udp: &mut UdpExchange, dialect: Dialect) -> Result<Report, Failure> {
    let (kind, answer) = exchange(udp, dialect, INFO_REQUEST, &[INFO, OLD_INFO]).await?;
    let (mut report, dialect) = match kind {
        OLD_INFO => (parse_old_info(ByteReader(&answer))?, Dialect::GoldSrc),
        _ => parse_info(ByteReader(&answer), dialect)?,
    };
    if report.players_online > 0 {
        // Some servers do not list their players; the rest of the report is still valid.
        let listed = exchange(udp, dialect, PLAYERS_REQUEST, &[PLAYERS]).await;
        report.players =
            listed.map_or_else(|_| Vec::new(), |(_, list)| parse_players(ByteReader(&list)));
    }
    Ok(report)
}

/// Sends `request`, answers challenges, and returns the first message of one of the `wanted`
/// kinds. Messages of other kinds are skipped.
async fn exchange(
    udp: &mut UdpExchange,
    dialect: Dialect,
    request: &[u8],
    wanted: &[u8],
) -> Result<(u8, Vec<u8>), Failure> {
    let without_challenge: &[u8] = if request == INFO_REQUEST {
        &[]
    } else {
        &NO_CHALLENGE
    };
    udp.send(&[&WHOLE, request, without_challenge].concat())
        .await?;
    let mut challenges = 0;
    loop {
        let (kind, answer) = receive(udp, dialect).await?;
        if wanted.contains(&kind) {
            return Ok((kind, answer));
        }
        if kind == CHALLENGE {
            challenges += 1;
            if challenges > MAX_CHALLENGES {
                return Err(Failure::Protocol);
            }
            let challenge: [u8; 4] = ByteReader(&answer).take_array()?;
            udp.send(&[&WHOLE, request, &challenge].concat()).await?;
        }
    }
}

/// Receives a whole message and returns its kind and its body.
async fn receive(udp: &mut UdpExchange, dialect: Dialect) -> Result<(u8, Vec<u8>), Failure> {
    let first = ByteReader(udp.receive().await?);
    let joined;
    let mut message = match first.0 {
        [0xfe, ..] => {
            let mut parts = Parts::default();
            parts.add(parse_part(first, dialect)?)?;
            while !parts.are_complete() {
                parts.add(parse_part(ByteReader(udp.receive().await?), dialect)?)?;
            }
            joined = parts.join()?;
            // Some engines omit this prefix inside a split answer.
            ByteReader(joined.strip_prefix(&WHOLE).unwrap_or(&joined))
        }
        _ => {
            let mut whole = first;
            whole.expect(&WHOLE)?;
            whole
        }
    };
    let kind = message.u8()?;
    Ok((kind, message.0.to_vec()))
}

/// One packet of a split answer.
struct Part {
    id: u32,
    total: u8,
    number: u8,
    payload: Vec<u8>,
}

fn parse_part(mut packet: ByteReader<'_>, dialect: Dialect) -> Result<Part, Failure> {
    packet.expect(&SPLIT)?;
    let id = packet.u32()?;
    let (total, number) = match dialect {
        Dialect::Source => {
            let (total, number) = (packet.u8()?, packet.u8()?);
            let _largest_part = packet.u16()?;
            (total, number)
        }
        Dialect::GoldSrc => {
            let both = packet.u8()?;
            (both & 0x0f, both >> 4)
        }
    };
    if number >= total {
        return Err(Failure::Protocol);
    }
    Ok(Part {
        id,
        total,
        number,
        payload: packet.0.to_vec(),
    })
}

/// The parts of a split answer received so far. Packets may arrive out of order or twice.
#[derive(Default)]
struct Parts {
    id: u32,
    total: u8,
    payloads: BTreeMap<u8, Vec<u8>>,
}

impl Parts {
    fn add(&mut self, part: Part) -> Result<(), Failure> {
        if self.payloads.is_empty() {
            (self.id, self.total) = (part.id, part.total);
        } else if (self.id, self.total) != (part.id, part.total) {
            return Err(Failure::Protocol);
        }
        self.payloads.insert(part.number, part.payload);
        Ok(())
    }

    fn are_complete(&self) -> bool {
        self.payloads.len() == usize::from(self.total)
    }

    fn join(self) -> Result<Vec<u8>, Failure> {
        let is_compressed = self.id >> 31 == 1;
        let joined = self.payloads.into_values().collect::<Vec<_>>().concat();
        if is_compressed {
            decompress(ByteReader(&joined))
        } else {
            Ok(joined)
        }
    }
}

/// Decompresses a split answer, which begins with its decompressed size and checksum.
fn decompress(mut joined: ByteReader<'_>) -> Result<Vec<u8>, Failure> {
    let (size, checksum) = (joined.u32()? as usize, joined.u32()?);
    if size > MAX_ANSWER {
        return Err(Failure::Protocol);
    }
    let mut plain = Vec::new();
    let read = BzDecoder::new(joined.0)
        .take(size as u64 + 1)
        .read_to_end(&mut plain);
    read.map_err(|_| Failure::Protocol)?;
    if plain.len() != size || crc32fast::hash(&plain) != checksum {
        return Err(Failure::Protocol);
    }
    Ok(plain)
}

fn parse_info(
    mut answer: ByteReader<'_>,
    requested: Dialect,
) -> Result<(Report, Dialect), Failure> {
    let protocol = answer.u8()?;
    let name = sanitize_bytes(answer.take_until(0)?);
    let map = sanitize_bytes(answer.take_until(0)?);
    let (_folder, _game) = (answer.take_until(0)?, answer.take_until(0)?);
    let app = answer.u16()?;
    let (players, max_players) = (answer.u8()?, answer.u8()?);
    let [_bots, _kind, _system, _password, _secured] = answer.take_array()?;
    if app == THE_SHIP {
        answer.take(3)?;
    }
    // Some servers omit the rest.
    let version = answer.take_until(0).map(sanitize_bytes).unwrap_or_default();
    let report = Report {
        name: sanitize_or_none(&name),
        map,
        version: sanitize_or_none(&version),
        players_online: players.into(),
        max_players: max_players.into(),
        players: Vec::new(),
    };
    let dialect = if GOLD_SRC_PROTOCOLS.contains(&protocol) {
        Dialect::GoldSrc
    } else {
        requested
    };
    Ok((report, dialect))
}

fn parse_old_info(mut answer: ByteReader<'_>) -> Result<Report, Failure> {
    let _address = answer.take_until(0)?;
    let name = sanitize_bytes(answer.take_until(0)?);
    let map = sanitize_bytes(answer.take_until(0)?);
    let (_folder, _game) = (answer.take_until(0)?, answer.take_until(0)?);
    let (players, max_players) = (answer.u8()?, answer.u8()?);
    Ok(Report {
        name: sanitize_or_none(&name),
        map,
        version: None,
        players_online: players.into(),
        max_players: max_players.into(),
        players: Vec::new(),
    })
}

/// Reads as many players as it can: a truncated list is accepted.
fn parse_players(mut answer: ByteReader<'_>) -> Vec<Player> {
    let count = answer.u8().unwrap_or(0);
    let list = (0..count).map_while(|_| parse_player(&mut answer).ok());
    limit_players(list)
}

fn parse_player(answer: &mut ByteReader<'_>) -> Result<Player, Failure> {
    let _index = answer.u8()?;
    let name = sanitize_bytes(answer.take_until(0)?);
    let score = answer.i32()?;
    let seconds = answer.f32()?;
    Ok(Player {
        name,
        score: Some(score.into()),
        // The cast saturates, and turns NaN into 0.
        seconds: Some((seconds as i64).clamp(0, i64::from(u32::MAX))),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = parse_info(ByteReader(&bytes), Dialect::Source);
            let _ = parse_old_info(ByteReader(&bytes));
            let _ = parse_players(ByteReader(&bytes));
            let _ = decompress(ByteReader(&bytes));
            for dialect in [Dialect::Source, Dialect::GoldSrc] {
                let _ = parse_part(ByteReader(&bytes), dialect);
                let split = [&SPLIT[..], &bytes].concat();
                if let Ok(part) = parse_part(ByteReader(&split), dialect) {
                    let mut parts = Parts::default();
                    let _ = parts.add(part);
                    let _ = parts.join();
                }
            }
        }

        #[test]
        fn a_compressed_answer_with_a_false_size_or_checksum_is_a_protocol_failure(
            size in any::<u32>(), checksum in any::<u32>(),
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let claim = [&size.to_le_bytes()[..], &checksum.to_le_bytes(), b"BZh9", &bytes].concat();
            prop_assert_eq!(decompress(ByteReader(&claim)), Err(Failure::Protocol));
        }
    }
}
