//! The three protocols of GameSpy. All of them give the server's variables by name.

use std::collections::{BTreeMap, HashMap};

use super::bytes::Bytes;
use super::wire::Wire;
use crate::report::{Failure, Player, Report, tidy, tidy_or_none, tidy_players};

/// What our questions are known by.
const SESSION: [u8; 4] = [0, 0, 0, 1];
const MAGIC: [u8; 2] = [0xfe, 0xfd];
const STATUS: u8 = 0;
const HANDSHAKE: u8 = 9;

type Variables = HashMap<String, String>;

/// `\name\value\…`, in packets that are numbered and of which the last one says so.
pub async fn ask_one(wire: &mut Wire) -> Result<Report, Failure> {
    wire.send(b"\\status\\").await?;
    let mut packets = HashMap::new();
    let mut total = None;
    while total.is_none_or(|total| packets.len() < total) {
        let packet = variables_one(&String::from_utf8_lossy(wire.receive().await?))?;
        let number = packet.get("queryid").and_then(|id| id.split_once('.'));
        let number = number.map_or(Ok(1), |(_, number)| number.parse::<u8>());
        let number = number.map_err(|_| Failure::Protocol)?;
        if packet.contains_key("final") {
            total = Some(usize::from(number));
        }
        packets.insert(number, packet);
    }
    let variables: Variables = packets.into_values().flatten().collect();
    report(&variables, players_by_number(&variables))
}

fn variables_one(packet: &str) -> Result<Variables, Failure> {
    let mut words = packet
        .strip_prefix('\\')
        .ok_or(Failure::Protocol)?
        .split('\\');
    let pairs = std::iter::from_fn(|| {
        let name = words.next().filter(|name| !name.is_empty())?;
        Some((name.to_owned(), words.next().unwrap_or_default().to_owned()))
    });
    Ok(pairs.collect())
}

/// Players are variables as well: `player_0`, `frags_0`.
fn players_by_number(variables: &Variables) -> Vec<Player> {
    let numbered = variables.iter().filter_map(|(name, value)| {
        let number = name
            .strip_prefix("player_")
            .or_else(|| name.strip_prefix("playername_"))?;
        Some((number.parse::<u16>().ok()?, value))
    });
    let by_number: BTreeMap<u16, &String> = numbered.collect();
    let player = |(number, name): (u16, &String)| {
        let score = ["frags", "score"]
            .iter()
            .find_map(|kind| variables.get(&format!("{kind}_{number}")));
        named(name, score)
    };
    tidy_players(by_number.into_iter().map(player))
}

fn named(name: &str, score: Option<&String>) -> Player {
    Player {
        name: tidy(name),
        score: score.and_then(|score| score.parse().ok()),
        seconds: None,
    }
}

/// Names and values that end in zeros, then a table of the players.
pub async fn ask_two(wire: &mut Wire) -> Result<Report, Failure> {
    let question = [&MAGIC[..], &[STATUS], &SESSION, &[0xff; 3]].concat();
    wire.send(&question).await?;
    let mut answer = Bytes(wire.receive().await?);
    answer.expect(&[&[STATUS][..], &SESSION].concat())?;
    let variables = variables(&mut answer)?;
    report(&variables, players_of_table(answer).unwrap_or_default())
}

fn variables(answer: &mut Bytes<'_>) -> Result<Variables, Failure> {
    let mut variables = Variables::new();
    loop {
        let name = answer.until(0)?;
        if name.is_empty() {
            return Ok(variables);
        }
        variables.insert(text(name), text(answer.until(0)?));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How many rows, the names of the columns, and then the rows.
fn players_of_table(mut table: Bytes<'_>) -> Result<Vec<Player>, Failure> {
    table.expect(&[0])?;
    let rows = table.u8()?;
    let mut columns = Vec::new();
    loop {
        match text(table.until(0)?) {
            end if end.is_empty() => break,
            column => columns.push(column),
        }
    }
    let mut players = Vec::new();
    for _ in 0..rows {
        let mut row = Variables::new();
        for column in &columns {
            row.insert(column.clone(), text(table.until(0)?));
        }
        let name = row.get("player_").ok_or(Failure::Protocol)?;
        players.push(named(name, row.get("score_")));
    }
    Ok(tidy_players(players))
}

/// A handshake first; then numbered packets, of which the first begins with the variables.
pub async fn ask_three(wire: &mut Wire) -> Result<Report, Failure> {
    wire.send(&[&MAGIC[..], &[HANDSHAKE], &SESSION].concat())
        .await?;
    let mut answer = Bytes(wire.receive().await?);
    answer.expect(&[&[HANDSHAKE][..], &SESSION].concat())?;
    let challenge: i32 = text(answer.until(0)?)
        .trim()
        .parse()
        .map_err(|_| Failure::Protocol)?;
    let challenge = challenge.to_be_bytes();
    let challenge: &[u8] = if challenge == [0; 4] { &[] } else { &challenge };
    let all = [0xff, 0xff, 0xff, 0x01];
    let question = [&MAGIC[..], &[STATUS], &SESSION, challenge, &all].concat();
    wire.send(&question).await?;

    let mut packets = BTreeMap::new();
    let mut total = None;
    while total.is_none_or(|total| packets.len() < total) {
        let mut packet = Bytes(wire.receive().await?);
        packet.expect(&[&[STATUS][..], &SESSION, b"splitnum\0"].concat())?;
        let [place, _] = packet.array()?;
        let number = place & 0x7f;
        if place & 0x80 != 0 {
            total = Some(usize::from(number) + 1);
        }
        packets.insert(number, packet.0.to_vec());
    }
    let first = packets.get(&0).ok_or(Failure::Protocol)?.clone();
    let mut first = Bytes(&first);
    let variables = variables(&mut first)?;
    packets.insert(0, first.0.to_vec());
    let rest: Vec<Vec<u8>> = packets.into_values().collect();
    report(&variables, players_of_fields(&rest))
}

/// Each field by itself: its name, with which player it begins, and their values.
fn players_of_fields(packets: &[Vec<u8>]) -> Vec<Player> {
    let mut names: BTreeMap<u8, String> = BTreeMap::new();
    let mut scores: HashMap<u8, String> = HashMap::new();
    for packet in packets {
        let mut packet = Bytes(packet);
        while let Ok((field, values)) = field(&mut packet) {
            for (number, value) in values {
                match field.as_str() {
                    "player_" => drop(names.insert(number, value)),
                    "score_" => drop(scores.insert(number, value)),
                    _ => {}
                }
            }
        }
    }
    let player = |(number, name): (u8, String)| named(&name, scores.get(&number));
    tidy_players(names.into_iter().map(player))
}

fn field(packet: &mut Bytes<'_>) -> Result<(String, Vec<(u8, String)>), Failure> {
    // Marks of sections stand between the fields.
    while packet.0.first().is_some_and(|byte| *byte < 3) {
        packet.take(1)?;
    }
    let name = text(packet.until(0)?);
    let mut number = packet.u8()?;
    let mut values = Vec::new();
    while !packet.is_empty() {
        let value = packet.until(0)?;
        if value.is_empty() {
            break;
        }
        values.push((number, text(value)));
        number = number.checked_add(1).ok_or(Failure::Protocol)?;
    }
    Ok((name, values))
}

fn report(variables: &Variables, players: Vec<Player>) -> Result<Report, Failure> {
    let number = |name: &str| {
        let number = variables.get(name)?.trim().parse::<u16>().ok()?;
        Some(i64::from(number))
    };
    let text = |name: &str| variables.get(name).and_then(|text| tidy_or_none(text));
    let listed = players.len() as i64;
    Ok(Report {
        name: text("hostname"),
        map: text("mapname").ok_or(Failure::Protocol)?,
        version: text("gamever"),
        players_online: number("numplayers").unwrap_or(listed).max(listed),
        max_players: number("maxplayers").ok_or(Failure::Protocol)?,
        players,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = variables_one(&String::from_utf8_lossy(&bytes)).map(|vars| players_by_number(&vars));
            let _ = variables(&mut Bytes(&bytes));
            let _ = players_of_table(Bytes(&bytes));
            let _ = players_of_fields(&[bytes]);
        }
    }

    #[test]
    fn a_player_of_a_huge_number_takes_no_room() {
        let variables = variables_one("\\player_18446744073709551614\\x\\player_1\\y\\frags_1\\7");
        let players = players_by_number(&variables.expect("variables"));
        assert_eq!(players, [named("y", Some(&"7".to_owned()))]);
    }
}
