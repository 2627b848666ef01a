//! Unreal 2's protocol: of Unreal Tournament 2003 and 2004, Killing Floor and others.

use super::bytes::Bytes;
use super::wire::Wire;
use crate::report::{Failure, Player, Report, tidy, tidy_or_none, tidy_players};

const ASK_INFO: [u8; 5] = [0x79, 0, 0, 0, 0];
const ASK_PLAYERS: [u8; 5] = [0x79, 0, 0, 0, 2];

pub async fn ask(wire: &mut Wire) -> Result<Report, Failure> {
    wire.send(&ASK_INFO).await?;
    let mut report = info(body(wire.receive().await?, ASK_INFO[4])?)?;
    if report.players_online > 0 {
        wire.send(&ASK_PLAYERS).await?;
        while report.players.len() < report.players_online as usize {
            // There may be fewer than were announced, and nothing says which packet is the last.
            let Ok(packet) = wire.receive().await else {
                break;
            };
            let Ok(list) = body(packet, ASK_PLAYERS[4]) else {
                break;
            };
            report.players.extend(players(list));
        }
        report.players = tidy_players(report.players);
    }
    Ok(report)
}

fn body(packet: &[u8], kind: u8) -> Result<Bytes<'_>, Failure> {
    let mut packet = Bytes(packet);
    packet.take(4)?;
    packet.expect(&[kind])?;
    Ok(packet)
}

fn info(mut answer: Bytes<'_>) -> Result<Report, Failure> {
    let _id = answer.u32()?;
    let _address = text(&mut answer)?;
    let (_port, _query_port) = (answer.u32()?, answer.u32()?);
    let name = text(&mut answer)?;
    let map = text(&mut answer)?;
    let _game = text(&mut answer)?;
    let count = |number: u32| i64::from(number.min(u16::MAX.into()));
    Ok(Report {
        name: tidy_or_none(&name),
        map: tidy(&map),
        version: None,
        players_online: count(answer.u32()?),
        max_players: count(answer.u32()?),
        players: Vec::new(),
    })
}

fn players(mut list: Bytes<'_>) -> Vec<Player> {
    std::iter::from_fn(|| player(&mut list).ok()).collect()
}

fn player(list: &mut Bytes<'_>) -> Result<Player, Failure> {
    let _id = list.u32()?;
    let name = text(list)?;
    let _ping = list.u32()?;
    let score = list.i32()?;
    let _statistics = list.u32()?;
    Ok(Player {
        name: tidy(&name),
        score: Some(score.into()),
        seconds: None,
    })
}

/// A length and as many bytes, or, with its highest bit set, as many halves of UTF-16. Colours
/// are an escape and three characters more.
fn text(answer: &mut Bytes<'_>) -> Result<String, Failure> {
    let length = answer.u8()?;
    let plain: String = if length & 0x80 == 0 {
        let bytes = answer.take(length.into())?;
        bytes.iter().map(|byte| char::from(*byte)).collect()
    } else {
        // Some games put a 1 in between.
        if answer.0.first() == Some(&1) {
            answer.take(1)?;
        }
        let bytes = answer.take(2 * usize::from(length & 0x7f))?;
        let halves = bytes.chunks_exact(2);
        let halves: Vec<u16> = halves
            .map(|half| u16::from_le_bytes([half[0], half[1]]))
            .collect();
        String::from_utf16_lossy(&halves)
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
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = info(Bytes(&bytes));
            let _ = players(Bytes(&bytes));
            let _ = body(&bytes, 2);
        }
    }

    #[test]
    fn texts_come_in_two_forms_and_in_colours() {
        let mut latin = Bytes(b"\x09caf\xe9\x1b\x01\x02\x03\0rest");
        assert_eq!(text(&mut latin), Ok("café\0".into()));
        assert_eq!(latin.0, b"rest");
        let mut wide = Bytes(b"\x82a\0b\0!");
        assert_eq!(text(&mut wide), Ok("ab".into()));
        assert_eq!(wide.0, b"!");
    }
}
