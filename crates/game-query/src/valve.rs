//! A2S: of Source, of Half-Life's own engine, and of most games on Steam.

use std::collections::BTreeMap;
use std::io::Read;

use bzip2::read::BzDecoder;

use super::MAX_ANSWER;
use super::bytes::Bytes;
use super::wire::Wire;
use crate::report::{Failure, Player, Report, tidy_bytes, tidy_or_none, tidy_players};

const WHOLE: [u8; 4] = [0xff; 4];
const SPLIT: [u8; 4] = [0xfe, 0xff, 0xff, 0xff];
const ASK_INFO: &[u8] = b"TSource Engine Query\0";
const ASK_PLAYERS: &[u8] = b"U";
const NO_CHALLENGE: [u8; 4] = [0xff; 4];
const CHALLENGE: u8 = b'A';
const INFO: u8 = b'I';
const OLD_INFO: u8 = b'm';
const PLAYERS: u8 = b'D';
/// How often a server may ask for another challenge to be sent back.
const MAX_CHALLENGES: usize = 3;
/// The numbers that Half-Life's engine gives its protocol; those of Source are smaller.
const GOLD_SRC_PROTOCOLS: std::ops::RangeInclusive<u8> = 46..=48;
/// It has three bytes more.
const THE_SHIP: u16 = 2400;

/// How an answer of several packets is numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Source,
    GoldSrc,
}

pub async fn ask(wire: &mut Wire, dialect: Dialect) -> Result<Report, Failure> {
    let (kind, answer) = exchange(wire, dialect, ASK_INFO, &[INFO, OLD_INFO]).await?;
    let (mut report, dialect) = match kind {
        OLD_INFO => (old_info(Bytes(&answer))?, Dialect::GoldSrc),
        _ => info(Bytes(&answer), dialect)?,
    };
    if report.players_online > 0 {
        // Some servers keep this to themselves; the rest is still worth having.
        let asked = exchange(wire, dialect, ASK_PLAYERS, &[PLAYERS]).await;
        report.players = asked.map_or_else(|_| Vec::new(), |(_, list)| players(Bytes(&list)));
    }
    Ok(report)
}

/// Asks until something of one of the `wanted` kinds is there, whatever else comes before it.
async fn exchange(
    wire: &mut Wire,
    dialect: Dialect,
    question: &[u8],
    wanted: &[u8],
) -> Result<(u8, Vec<u8>), Failure> {
    let without_challenge: &[u8] = if question == ASK_INFO {
        &[]
    } else {
        &NO_CHALLENGE
    };
    wire.send(&[&WHOLE, question, without_challenge].concat())
        .await?;
    let mut challenges = 0;
    loop {
        let (kind, answer) = receive(wire, dialect).await?;
        if wanted.contains(&kind) {
            return Ok((kind, answer));
        }
        if kind == CHALLENGE {
            challenges += 1;
            if challenges > MAX_CHALLENGES {
                return Err(Failure::Protocol);
            }
            let challenge: [u8; 4] = Bytes(&answer).array()?;
            wire.send(&[&WHOLE, question, &challenge].concat()).await?;
        }
    }
}

/// A whole message: its kind, and the rest of it.
async fn receive(wire: &mut Wire, dialect: Dialect) -> Result<(u8, Vec<u8>), Failure> {
    let first = Bytes(wire.receive().await?);
    let joined;
    let mut message = match first.0 {
        [0xfe, ..] => {
            let mut parts = Parts::default();
            parts.add(part(first, dialect)?)?;
            while !parts.are_complete() {
                parts.add(part(Bytes(wire.receive().await?), dialect)?)?;
            }
            joined = parts.join()?;
            // Some engines leave it off inside.
            Bytes(joined.strip_prefix(&WHOLE).unwrap_or(&joined))
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

/// One packet of an answer that is too long for one.
struct Part {
    id: u32,
    total: u8,
    number: u8,
    payload: Vec<u8>,
}

fn part(mut packet: Bytes<'_>, dialect: Dialect) -> Result<Part, Failure> {
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

/// What has arrived of an answer; packets may overtake each other and come twice.
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
            decompress(Bytes(&joined))
        } else {
            Ok(joined)
        }
    }
}

/// The first part begins with the size and the checksum of what comes out.
fn decompress(mut joined: Bytes<'_>) -> Result<Vec<u8>, Failure> {
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

fn info(mut answer: Bytes<'_>, asked: Dialect) -> Result<(Report, Dialect), Failure> {
    let protocol = answer.u8()?;
    let name = tidy_bytes(answer.until(0)?);
    let map = tidy_bytes(answer.until(0)?);
    let (_folder, _game) = (answer.until(0)?, answer.until(0)?);
    let app = answer.u16()?;
    let (players, max_players) = (answer.u8()?, answer.u8()?);
    let [_bots, _kind, _system, _password, _secured] = answer.array()?;
    if app == THE_SHIP {
        answer.take(3)?;
    }
    // Some servers leave off here.
    let version = answer.until(0).map(tidy_bytes).unwrap_or_default();
    let report = Report {
        name: tidy_or_none(&name),
        map,
        version: tidy_or_none(&version),
        players_online: players.into(),
        max_players: max_players.into(),
        players: Vec::new(),
    };
    let dialect = if GOLD_SRC_PROTOCOLS.contains(&protocol) {
        Dialect::GoldSrc
    } else {
        asked
    };
    Ok((report, dialect))
}

fn old_info(mut answer: Bytes<'_>) -> Result<Report, Failure> {
    let _address = answer.until(0)?;
    let name = tidy_bytes(answer.until(0)?);
    let map = tidy_bytes(answer.until(0)?);
    let (_folder, _game) = (answer.until(0)?, answer.until(0)?);
    let (players, max_players) = (answer.u8()?, answer.u8()?);
    Ok(Report {
        name: tidy_or_none(&name),
        map,
        version: None,
        players_online: players.into(),
        max_players: max_players.into(),
        players: Vec::new(),
    })
}

/// As many as can be read; a list that was cut off is still a list.
fn players(mut answer: Bytes<'_>) -> Vec<Player> {
    let count = answer.u8().unwrap_or(0);
    let list = (0..count).map_while(|_| player(&mut answer).ok());
    tidy_players(list)
}

fn player(answer: &mut Bytes<'_>) -> Result<Player, Failure> {
    let _index = answer.u8()?;
    let name = tidy_bytes(answer.until(0)?);
    let score = answer.i32()?;
    let seconds = answer.f32()?;
    Ok(Player {
        name,
        score: Some(score.into()),
        // A cast of what is no number, or too large for one, ends at the nearest there is.
        seconds: Some((seconds as i64).clamp(0, i64::from(u32::MAX))),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = info(Bytes(&bytes), Dialect::Source);
            let _ = old_info(Bytes(&bytes));
            let _ = players(Bytes(&bytes));
            let _ = decompress(Bytes(&bytes));
            for dialect in [Dialect::Source, Dialect::GoldSrc] {
                let _ = part(Bytes(&bytes), dialect);
                let split = [&SPLIT[..], &bytes].concat();
                if let Ok(part) = part(Bytes(&split), dialect) {
                    let mut parts = Parts::default();
                    let _ = parts.add(part);
                    let _ = parts.join();
                }
            }
        }

        #[test]
        fn a_compressed_answer_of_any_claim_stays_small(
            size in any::<u32>(), checksum in any::<u32>(),
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let claim = [&size.to_le_bytes()[..], &checksum.to_le_bytes(), b"BZh9", &bytes].concat();
            prop_assert_eq!(decompress(Bytes(&claim)), Err(Failure::Protocol));
        }
    }
}
