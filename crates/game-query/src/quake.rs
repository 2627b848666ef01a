//! The status of Quake servers, and of games whose engine derives from Quake's.

use std::collections::HashMap;

use super::byte_reader::ByteReader;
use super::udp::UdpExchange;
use crate::report::{Failure, Player, Report, limit_players, sanitize, sanitize_or_none};

const PREFIX: [u8; 4] = [0xff; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    One,
    Two,
    Three,
}

impl Version {
    fn request(self) -> &'static [u8] {
        match self {
            Self::One | Self::Two => b"status\n",
            Self::Three => b"getstatus\n",
        }
    }

    fn answer_prefix(self) -> &'static [u8] {
        match self {
            Self::One => b"n",
            Self::Two => b"print\n",
            Self::Three => b"statusResponse\n",
        }
    }
}

pub async fn query(udp: &mut UdpExchange, version: Version) -> Result<Report, Failure> {
    udp.send(&[&PREFIX, version.request()].concat()).await?;
    let mut answer = ByteReader(udp.receive().await?);
    answer.expect(&PREFIX)?;
    answer.expect(version.answer_prefix())?;
    parse(&String::from_utf8_lossy(answer.0), version)
}

/// Parses a line of variables, then a line for each player.
fn parse(answer: &str, version: Version) -> Result<Report, Failure> {
    let mut lines = answer.lines();
    let variables = parse_variables(lines.next().ok_or(Failure::Protocol)?);
    let find = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| variables.get(name));
        found.next().copied()
    };
    let map = find(&["mapname", "map"]).ok_or(Failure::Protocol)?;
    let max_players = find(&["sv_maxclients", "maxclients"])
        .and_then(|number| number.trim().parse::<u16>().ok())
        .ok_or(Failure::Protocol)?;
    let players: Vec<Player> = lines
        .filter_map(|line| parse_player(line, version))
        .collect();
    Ok(Report {
        name: find(&["sv_hostname", "hostname"])
            .and_then(|name| sanitize_or_none(&strip_colours(name))),
        map: sanitize(map),
        version: find(&["version", "*version"]).and_then(sanitize_or_none),
        players_online: players.len() as i64,
        max_players: max_players.into(),
        players: limit_players(players),
    })
}

/// Parses `\name\value\name\value`.
fn parse_variables(line: &str) -> HashMap<&str, &str> {
    let mut words = line.strip_prefix('\\').unwrap_or(line).split('\\');
    std::iter::from_fn(|| Some((words.next()?, words.next()?))).collect()
}

/// Parses `score ping "name"` or, in Quake 1, `id score minutes ping "name" "skin"` and more.
fn parse_player(line: &str, version: Version) -> Option<Player> {
    let (numbers, quoted) = line.split_once('"')?;
    let name = quoted.rsplit_once('"').map_or(quoted, |(name, _)| name);
    let numbers: Vec<i64> = numbers
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let (score, minutes) = match version {
        Version::One => (numbers.get(1)?, numbers.get(2).copied()),
        Version::Two | Version::Three => (numbers.first()?, None),
    };
    // In Quake 1 a quoted skin name follows the player's name.
    let name = match version {
        Version::One => name.split('"').next().unwrap_or(name),
        Version::Two | Version::Three => name,
    };
    Some(Player {
        name: sanitize(&strip_colours(name)),
        score: Some(*score),
        seconds: minutes.map(|minutes| minutes.saturating_mul(60)),
    })
}

/// Removes colour codes such as `^1`.
fn strip_colours(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(colour) if c == '^' && colour.is_ascii_alphanumeric() => {
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn player(name: &str, score: i64, seconds: Option<i64>) -> Player {
        Player {
            name: name.into(),
            score: Some(score),
            seconds,
        }
    }

    #[test]
    fn players_are_counted_and_named() {
        let answer = "\\sv_hostname\\^1Red ^7Arena\\mapname\\q3dm17\\sv_maxclients\\16\
                      \\version\\ioq3 1.36\n3 50 \"^2Sarge\"\n-1 0 \"Major \"the\" Tom\"\n";
        let report = parse(answer, Version::Three).expect("an answer");
        assert_eq!(report.name.as_deref(), Some("Red Arena"));
        assert_eq!((report.map.as_str(), report.max_players), ("q3dm17", 16));
        assert_eq!(report.version.as_deref(), Some("ioq3 1.36"));
        let players = [
            player("Sarge", 3, None),
            player("Major \"the\" Tom", -1, None),
        ];
        assert_eq!(report.players, players);
        assert_eq!(report.players_online, 2);
    }

    #[test]
    fn quake_1_reports_the_connection_time_of_a_player() {
        let answer = "\\hostname\\Old\\map\\dm3\\maxclients\\8\n7 12 5 40 \"grunt\" \"base\" 4 4\n";
        let report = parse(answer, Version::One).expect("an answer");
        assert_eq!(report.players, [player("grunt", 12, Some(300))]);
    }

    #[test]
    fn an_answer_without_map_or_max_players_is_a_protocol_failure() {
        for answer in [
            "",
            "\n",
            "\\sv_maxclients\\8",
            "\\mapname\\q3dm1\\sv_maxclients\\x",
        ] {
            assert_eq!(
                parse(answer, Version::Three),
                Err(Failure::Protocol),
                "{answer}"
            );
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(answer in "(?s)\\PC*[\\\\\\n\"^]*.*") {
            for version in [Version::One, Version::Two, Version::Three] {
                let _ = parse(&answer, version);
                let whole = format!("\\map\\a\\maxclients\\1\n{answer}");
                let report = parse(&whole, version).expect("an answer");
                prop_assert!(report.players.len() <= 256);
            }
        }
    }
}
