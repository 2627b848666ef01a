//! The Unreal 2 protocol, used by Unreal Tournament 2003 and 2004, Killing Floor and others.

use super::byte_reader::ByteReader;
use super::udp::UdpExchange;
use crate::report::{Failure, Player, Report, limit_players, sanitize, sanitize_or_none};

const INFO_REQUEST: [u8; 5] = [0x79, 0, 0, 0, 0];
const PLAYERS_REQUEST: [u8; 5] = [0x79, 0, 0, 0, 2];

pub async fn query(udp: &mut UdpExchange) -> Result<Report, Failure> {
    udp.send(&INFO_REQUEST).await?;
    let mut report = parse_info(parse_body(udp.receive().await?, INFO_REQUEST[4])?)?;
    if report.players_online > 0 {
        udp.send(&PLAYERS_REQUEST).await?;
        while report.players.len() < report.players_online as usize {
            // A server may list fewer players than it announced, and does not mark the last packet.
            let Ok(packet) = udp.receive().await else {
                break;
            };
            let Ok(list) = parse_body(packet, PLAYERS_REQUEST[4]) else {
                break;
            };
            report.players.extend(parse_players(list));
        }
        report.players = limit_players(report.players);
    }
    Ok(report)
}

fn parse_body(packet: &[u8], kind: u8) -> Result<ByteReader<'_>, Failure> {
    let mut packet = ByteReader(packet);
    packet.take(4)?;
    packet.expect(&[kind])?;
    Ok(packet)
}

fn parse_info(mut answer: ByteReader<'_>) -> Result<Report, Failure> {
    let _id = answer.u32()?;
    let _address = parse_text(&mut answer)?;
    let (_port, _query_port) = (answer.u32()?, answer.u32()?);
    let name = parse_text(&mut answer)?;
    let map = parse_text(&mut answer)?;
    let _game = parse_text(&mut answer)?;
    let count = |number: u32| i64::from(number.min(u16::MAX.into()));
    Ok(Report {
        name: sanitize_or_none(&name),
        map: sanitize(&map),
        version: None,
        players_online: count(answer.u32()?),
        max_players: count(answer.u32()?),
        players: Vec::new(),
    })
}

fn parse_players(mut list: ByteReader<'_>) -> Vec<Player> {
    std::iter::from_fn(|| parse_player(&mut list).ok()).collect()
}

fn parse_player(list: &mut ByteReader<'_>) -> Result<Player, Failure> {
    let _id = list.u32()?;
    let name = parse_text(list)?;
    let _ping = list.u32()?;
    let score = list.i32()?;
    let _statistics = list.u32()?;
    Ok(Player {
        name: sanitize(&name),
        score: Some(score.into()),
        seconds: None,
    })
}

/// Parses a length, then as many bytes of Latin-1 or, if the highest bit of the length is set, as
/// many UTF-16 code units. A colour code is an escape character and three more characters.
fn parse_text(answer: &mut ByteReader<'_>) -> Result<String, Failure> {
    let length = answer.u8()?;
    let plain: String = if length & 0x80 == 0 {
        let bytes = answer.take(length.into())?;
        bytes.iter().map(|byte| char::from(*byte)).collect()
    } else {
        // Some games send a 1 before the text.
        if answer.0.first() == Some(&1) {
            answer.take(1)?;
        }
        let bytes = answer.take(2 * usize::from(length & 0x7f))?;
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
            .collect();
        String::from_utf16_lossy(&units)
    };
    let mut pieces = plain.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    Ok(pieces.fold(first, |text, piece| {
        text + &piece.chars().skip(3).collect::<String>()
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_info(ByteReader(&bytes));
            let _ = parse_players(ByteReader(&bytes));
            let _ = parse_body(&bytes, 2);
        }
    }

    #[test]
    fn latin_1_and_utf_16_texts_are_read_without_colour_codes() {
        let mut latin = ByteReader(b"\x09caf\xe9\x1b\x01\x02\x03\0rest");
        assert_eq!(parse_text(&mut latin), Ok("café\0".into()));
        assert_eq!(latin.0, b"rest");
        let mut wide = ByteReader(b"\x82a\0b\0!");
        assert_eq!(parse_text(&mut wide), Ok("ab".into()));
        assert_eq!(wide.0, b"!");
    }
}
