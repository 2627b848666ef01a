use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::Live;
use super::games::{GAMES, Game};
use crate::app::App;
use crate::servers::{self, live};
use kernel::Result;
use kernel::auth::permission::{Servers, ServersRead};
use kernel::http::Caller;
use kernel::http::openapi::named;
use kernel::http::paging::ListHeaders;
use kernel::http::path::Id;
use kernel::http::reply::{Done, List};

#[derive(Serialize, JsonSchema)]
struct LiveReply {
    live: Live,
}

#[derive(Serialize, JsonSchema)]
struct GameList {
    games: &'static [Game],
}

async fn show(
    State(app): State<App>,
    caller: Caller<ServersRead>,
    id: Id,
) -> Result<Done<LiveReply>> {
    let mut read = caller.read().await?;
    let server = servers::get(&mut read, id.0).await?;
    let live = live::get(&app, &mut read, &server).await?;
    Done::new(&LiveReply { live })
}

async fn query(
    State(app): State<App>,
    _caller: Caller<Servers>,
    id: Id,
) -> Result<Done<LiveReply>> {
    let live = live::query(&app, id.0).await?;
    Done::new(&LiveReply { live })
}

async fn games(_caller: Caller<ServersRead>) -> Result<List<GameList>> {
    List::new(ListHeaders::whole(GAMES.len()), &GameList { games: GAMES })
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/live",
            get_with(
                show,
                named("getServerLive", "Show what a server last said of itself"),
            ),
        )
        .api_route(
            "/api/servers/{id}/query",
            post_with(query, named("queryServer", "Ask a server now")),
        )
        .api_route(
            "/api/games",
            get_with(games, named("listGames", "List the games that are known")),
        )
        .with_path_items(|item| item.tag("Servers"))
}
