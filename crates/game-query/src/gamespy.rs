//! The three GameSpy protocols. All of them report the server's variables by name.

use std::collections::{BTreeMap, HashMap};

use super::byte_reader::ByteReader;
use super::udp::UdpExchange;
use crate::report::{Failure, Player, Report, limit_players, sanitize, sanitize_or_none};

/// The session id of our requests. A server repeats it in its answers.
const SESSION: [u8; 4] = [0, 0, 0, 1];
const MAGIC: [u8; 2] = [0xfe, 0xfd];
const STATUS: u8 = 0;
const HANDSHAKE: u8 = 9;

type Variables = HashMap<String, String>;

/// Version 1: `\name\value\…` in numbered packets. The last one contains `final`.
pub async fn query_v1(udp: &mut UdpExchange) -> Result<Report, Failure> {
    udp.send(b"\\status\\").await?;
    let mut packets = HashMap::new();
    let mut total = None;
    while total.is_none_or(|total| packets.len() < total) {
        let packet = parse_variables_v1(&String::from_utf8_lossy(udp.receive().await?))?;
        let number = packet.get("queryid").and_then(|id| id.split_once('.'));
        let number = number.map_or(Ok(1), |(_, number)| number.parse::<u8>());
        let number = number.map_err(|_| Failure::Protocol)?;
        if packet.contains_key("final") {
            total = Some(usize::from(number));
        }
        packets.insert(number, packet);
    }
    let variables: Variables = packets.into_values().flatten().collect();
    build_report(&variables, numbered_players(&variables))
}

fn parse_variables_v1(packet: &str) -> Result<Variables, Failure> {
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

/// Version 1 lists players as numbered variables: `player_0`, `frags_0`.
fn numbered_players(variables: &Variables) -> Vec<Player> {
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
        build_player(name, score)
    };
    limit_players(by_number.into_iter().map(player))
}

fn build_player(name: &str, score: Option<&String>) -> Player {
    Player {
        name: sanitize(name),
        score: score.and_then(|score| score.parse().ok()),
        seconds: None,
    }
}

/// Version 2: zero-terminated names and values, then a table of the players.
pub async fn query_v2(udp: &mut UdpExchange) -> Result<Report, Failure> {
    let request = [&MAGIC[..], &[STATUS], &SESSION, &[0xff; 3]].concat();
    udp.send(&request).await?;
    let mut answer = ByteReader(udp.receive().await?);
    answer.expect(&[&[STATUS][..], &SESSION].concat())?;
    let variables = parse_variables(&mut answer)?;
    build_report(&variables, parse_player_table(answer).unwrap_or_default())
}

fn parse_variables(answer: &mut ByteReader<'_>) -> Result<Variables, Failure> {
    let mut variables = Variables::new();
    loop {
        let name = answer.take_until(0)?;
        if name.is_empty() {
            return Ok(variables);
        }
        variables.insert(text(name), text(answer.take_until(0)?));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Parses the number of rows, the names of the columns, then the rows.
fn parse_player_table(mut table: ByteReader<'_>) -> Result<Vec<Player>, Failure> {
    table.expect(&[0])?;
    let rows = table.u8()?;
    let mut columns = Vec::new();
    loop {
        match text(table.take_until(0)?) {
            end if end.is_empty() => break,
            column => columns.push(column),
        }
    }
    let mut players = Vec::new();
    for _ in 0..rows {
        let mut row = Variables::new();
        for column in &columns {
            row.insert(column.clone(), text(table.take_until(0)?));
        }
        let name = row.get("player_").ok_or(Failure::Protocol)?;
        players.push(build_player(name, row.get("score_")));
    }
    Ok(limit_players(players))
}

/// Version 3: a handshake, then numbered packets. The first begins with the variables.
pub async fn query_v3(udp: &mut UdpExchange) -> Result<Report, Failure> {
    udp.send(&[&MAGIC[..], &[HANDSHAKE], &SESSION].concat())
        .await?;
    let mut answer = ByteReader(udp.receive().await?);
    answer.expect(&[&[HANDSHAKE][..], &SESSION].concat())?;
    let challenge: i32 = text(answer.take_until(0)?)
        .trim()
        .parse()
        .map_err(|_| Failure::Protocol)?;
    let challenge = challenge.to_be_bytes();
    let challenge: &[u8] = if challenge == [0; 4] { &[] } else { &challenge };
    let all = [0xff, 0xff, 0xff, 0x01];
    let request = [&MAGIC[..], &[STATUS], &SESSION, challenge, &all].concat();
    udp.send(&request).await?;

    let mut packets = BTreeMap::new();
    let mut total = None;
    while total.is_none_or(|total| packets.len() < total) {
        let mut packet = ByteReader(udp.receive().await?);
        packet.expect(&[&[STATUS][..], &SESSION, b"splitnum\0"].concat())?;
        let [header, _] = packet.take_array()?;
        let number = header & 0x7f;
        if header & 0x80 != 0 {
            total = Some(usize::from(number) + 1);
        }
        packets.insert(number, packet.0.to_vec());
    }
    let first = packets.get(&0).ok_or(Failure::Protocol)?.clone();
    let mut first = ByteReader(&first);
    let variables = parse_variables(&mut first)?;
    packets.insert(0, first.0.to_vec());
    let rest: Vec<Vec<u8>> = packets.into_values().collect();
    build_report(&variables, parse_player_fields(&rest))
}

/// Version 3 lists players by field: the field's name, the number of the first player, and a value
/// for each player from there on.
fn parse_player_fields(packets: &[Vec<u8>]) -> Vec<Player> {
    let mut names: BTreeMap<u8, String> = BTreeMap::new();
    let mut scores: HashMap<u8, String> = HashMap::new();
    for packet in packets {
        let mut packet = ByteReader(packet);
        while let Ok((field, values)) = parse_field(&mut packet) {
            for (number, value) in values {
                match field.as_str() {
                    "player_" => drop(names.insert(number, value)),
                    "score_" => drop(scores.insert(number, value)),
                    _ => {}
                }
            }
        }
    }
    let player = |(number, name): (u8, String)| build_player(&name, scores.get(&number));
    limit_players(names.into_iter().map(player))
}

fn parse_field(packet: &mut ByteReader<'_>) -> Result<(String, Vec<(u8, String)>), Failure> {
    // Section markers separate the fields.
    while packet.0.first().is_some_and(|byte| *byte < 3) {
        packet.take(1)?;
    }
    let name = text(packet.take_until(0)?);
    let mut number = packet.u8()?;
    let mut values = Vec::new();
    while !packet.is_empty() {
        let value = packet.take_until(0)?;
        if value.is_empty() {
            break;
        }
        values.push((number, text(value)));
        number = number.checked_add(1).ok_or(Failure::Protocol)?;
    }
    Ok((name, values))
}

fn build_report(variables: &Variables, players: Vec<Player>) -> Result<Report, Failure> {
    let number = |name: &str| {
        let number = variables.get(name)?.trim().parse::<u16>().ok()?;
        Some(i64::from(number))
    };
    let text = |name: &str| variables.get(name).and_then(|text| sanitize_or_none(text));
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
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_variables_v1(&String::from_utf8_lossy(&bytes)).map(|vars| numbered_players(&vars));
            let _ = parse_variables(&mut ByteReader(&bytes));
            let _ = parse_player_table(ByteReader(&bytes));
            let _ = parse_player_fields(&[bytes]);
        }
    }

    #[test]
    fn a_player_with_a_huge_number_is_ignored() {
        let variables =
            parse_variables_v1("\\player_18446744073709551614\\x\\player_1\\y\\frags_1\\7");
        let players = numbered_players(&variables.expect("variables"));
        assert_eq!(players, [build_player("y", Some(&"7".to_owned()))]);
    }
}
