//! Operations on the live status of servers, and the list of known games.

use axum::extract::State;
use game_query::Protocol;
use serde::Serialize;

use super::games::{self, GAMES};
use super::{LiveStatus, Player};
use crate::servers::{self, live};
use kernel::Result;
use kernel::auth::permission::{Servers, ServersRead};
use kernel::http::Caller;
use kernel::http::paging::ListHeaders;
use kernel::http::path::Id;
use kernel::http::reply::{Done, List};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

/// The last known live status of a server.
#[derive(Serialize, JsonSchema)]
struct ServerLiveStatus {
    /// Whether the server answered its last query.
    reachable: bool,
    /// When the server was last queried; null before the first query.
    checked_at: Option<Timestamp>,
    /// The time until the first packet of the answer.
    latency_ms: Option<i64>,
    players_online: i64,
    max_players: i64,
    map: String,
    name: Option<String>,
    version: Option<String>,
    /// At most 256 players; empty if the server does not list them.
    players: Vec<Player>,
    /// The reason why there is no answer.
    #[schemars(extend("enum" = ["timeout", "refused", "protocol", "forbidden", "disabled", null]))]
    error: Option<&'static str>,
}

impl From<LiveStatus> for ServerLiveStatus {
    fn from(status: LiveStatus) -> Self {
        let LiveStatus {
            reachable,
            checked_at,
            latency_ms,
            players_online,
            max_players,
            map,
            name,
            version,
            players,
            error,
        } = status;
        Self {
            reachable,
            checked_at,
            latency_ms,
            players_online,
            max_players,
            map,
            name,
            version,
            players,
            error,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ServerLiveReply {
    live: ServerLiveStatus,
}

/// A known game.
#[derive(Serialize, JsonSchema)]
struct Game {
    /// The value for the field `game` of a server.
    id: &'static str,
    name: &'static str,
    protocol: Protocol,
    /// The default query port of such servers.
    default_query_port: u16,
    /// Steam app ids, which the field `game` accepts as well, as text.
    steam_app_ids: &'static [u32],
    /// Other names that the field `game` accepts.
    aliases: &'static [&'static str],
}

impl From<&games::Game> for Game {
    fn from(game: &games::Game) -> Self {
        Self {
            id: game.id,
            name: game.name,
            protocol: game.protocol,
            default_query_port: game.default_query_port,
            steam_app_ids: game.steam_app_ids,
            aliases: game.aliases,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct GameList {
    games: Vec<Game>,
}

async fn show(
    State(state): State<servers::State>,
    caller: Caller<ServersRead>,
    id: Id,
) -> Result<Done<ServerLiveReply>> {
    let mut read = caller.read().await?;
    let server = servers::get(&mut read, id.0).await?;
    let status = live::get(&state, &mut read, &server).await?;
    Done::new(&ServerLiveReply {
        live: status.into(),
    })
}

async fn query(
    State(state): State<servers::State>,
    caller: Caller<Servers>,
    id: Id,
) -> Result<Done<ServerLiveReply>> {
    let status = live::query(&state, id.0, caller.actor()).await?;
    Done::new(&ServerLiveReply {
        live: status.into(),
    })
}

async fn games(_caller: Caller<ServersRead>) -> Result<List<GameList>> {
    let games = GAMES.iter().map(Game::from).collect();
    List::new(ListHeaders::whole(GAMES.len()), &GameList { games })
}

pub fn routes() -> ApiRouter<servers::State> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/live",
            get_with(
                show,
                named("getServerLive", "Show the live status of a server"),
            ),
        )
        .api_route(
            "/api/servers/{id}/query",
            post_with(query, named("queryServer", "Query a server now")),
        )
        .api_route(
            "/api/games",
            get_with(games, named("listGames", "List known games")),
        )
        .with_path_items(|item| item.tag("Servers"))
}
