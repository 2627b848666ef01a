//! What game servers say. All of it comes from strangers, so nothing here is longer, or holds
//! anything else, than it must.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MAX_TEXT: usize = 255;
const MAX_PLAYERS: usize = 256;

/// The answer of a game server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub name: Option<String>,
    pub map: String,
    pub version: Option<String>,
    pub players_online: i64,
    pub max_players: i64,
    pub players: Vec<Player>,
}

/// Somebody who plays, as far as the game tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    pub name: String,
    pub score: Option<i64>,
    /// How long they have been there.
    pub seconds: Option<i64>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing came, or not enough of it in time.
    Timeout,
    /// Nobody listens there, or the network does not lead there.
    Refused,
    /// What came was no answer.
    Protocol,
}

/// Text without control characters, cut to what is worth keeping.
pub fn tidy(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TEXT)
        .collect();
    clean.trim().to_owned()
}

/// The same for bytes that may or may not be UTF-8.
pub fn tidy_bytes(bytes: &[u8]) -> String {
    // Cut first, so that a long text is not turned into a longer one. A character has 4 bytes at
    // most.
    tidy(&String::from_utf8_lossy(
        &bytes[..bytes.len().min(4 * MAX_TEXT)],
    ))
}

/// The same for what may be missing.
pub fn tidy_or_none(text: &str) -> Option<String> {
    Some(tidy(text)).filter(|text| !text.is_empty())
}

/// As many players as are worth keeping.
pub fn tidy_players(players: impl IntoIterator<Item = Player>) -> Vec<Player> {
    players.into_iter().take(MAX_PLAYERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_and_cleaned() {
        assert_eq!(tidy(" a\0b\u{1b}[31m\nc\u{9f}\t "), "ab[31mc");
        assert_eq!(tidy(&"é".repeat(300)).chars().count(), 255);
        assert_eq!(tidy_bytes(&[0xff; 5000]).chars().count(), 255);
        assert_eq!(tidy_or_none("\u{7}"), None);
    }
}
