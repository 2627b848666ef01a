//! The report of a query. Its content is untrusted, so texts and lists are limited in length and
//! control characters are removed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The largest answer that is accepted, in bytes, after reassembly and decompression.
pub const MAX_ANSWER: usize = 512 << 10;
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

/// A connected player, as far as the protocol describes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "openapi",
    derive(schemars::JsonSchema),
    schemars(rename = "ServerPlayer")
)]
pub struct Player {
    pub name: String,
    pub score: Option<i64>,
    /// How long the player has been connected.
    pub seconds: Option<i64>,
}

/// Why a query failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No complete answer arrived in time.
    Timeout,
    /// The port is closed, or the network is unreachable.
    Refused,
    /// The answer does not follow the protocol.
    Protocol,
}

/// The result of a query.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub answer: Result<Report, Failure>,
    /// The time from the first packet sent to the first one received.
    pub latency: Option<Duration>,
}

impl Outcome {
    pub fn failed(failure: Failure) -> Self {
        Self {
            answer: Err(failure),
            latency: None,
        }
    }
}

/// Removes control characters, truncates to `MAX_TEXT` characters and trims.
pub fn sanitize(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TEXT)
        .collect();
    clean.trim().to_owned()
}

/// Like `sanitize`, for bytes that may not be valid UTF-8.
pub fn sanitize_bytes(bytes: &[u8]) -> String {
    // Truncate first, to avoid converting a long text. A character has at most 4 bytes.
    sanitize(&String::from_utf8_lossy(
        &bytes[..bytes.len().min(4 * MAX_TEXT)],
    ))
}

/// Like `sanitize`, but an empty text becomes `None`.
pub fn sanitize_or_none(text: &str) -> Option<String> {
    Some(sanitize(text)).filter(|text| !text.is_empty())
}

/// Keeps the first `MAX_PLAYERS` players.
pub fn limit_players(players: impl IntoIterator<Item = Player>) -> Vec<Player> {
    players.into_iter().take(MAX_PLAYERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_truncated_and_control_characters_are_removed() {
        assert_eq!(sanitize(" a\0b\u{1b}[31m\nc\u{9f}\t "), "ab[31mc");
        assert_eq!(sanitize(&"é".repeat(300)).chars().count(), 255);
        assert_eq!(sanitize_bytes(&[0xff; 5000]).chars().count(), 255);
        assert_eq!(sanitize_or_none("\u{7}"), None);
    }
}
