use game_query::Player;

use super::failure::Failure;
use kernel::types::Timestamp;

/// The last known live status of a server.
#[derive(Clone, Debug, Default)]
pub struct LiveStatus {
    /// Whether the server answered its last query.
    pub reachable: bool,
    /// When the server was last queried; `None` before the first query.
    pub checked_at: Option<Timestamp>,
    /// The time until the first packet of the answer.
    pub latency_ms: Option<i64>,
    pub players_online: i64,
    pub max_players: i64,
    pub map: String,
    pub name: Option<String>,
    pub version: Option<String>,
    /// At most 256 players; empty if the server does not list them.
    pub players: Vec<Player>,
    /// The reason why there is no answer, from [`Failure`].
    pub error: Option<&'static str>,
}

impl LiveStatus {
    pub fn disabled() -> Self {
        Self {
            error: Some(Failure::Disabled.as_str()),
            ..Self::default()
        }
    }
}
