use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use schemars::JsonSchema;
use serde::Serialize;

use super::Live;
use super::games::{GAMES, Game};
use crate::app::App;
use crate::http::context::Caller;
use crate::http::openapi::named;
use crate::http::page::Place;
use crate::http::path::Id;
use crate::http::reply::{Done, List};
use crate::permission::{Servers, ServersRead};
use crate::{Result, live, servers};

#[derive(Serialize, JsonSchema)]
struct LiveReply {
    live: Live,
}

#[derive(Serialize, JsonSchema)]
struct GameList {
    games: &'static [Game],
}

async fn show(caller: Caller<ServersRead>, id: Id) -> Result<Done<LiveReply>> {
    let mut read = caller.read().await?;
    let server = servers::get(&mut read, id.0).await?;
    let live = live::get(caller.app(), &mut read, &server).await?;
    Done::new(&LiveReply { live })
}

async fn query(caller: Caller<Servers>, id: Id) -> Result<Done<LiveReply>> {
    let live = live::query(caller.app(), id.0).await?;
    Done::new(&LiveReply { live })
}

async fn games(_caller: Caller<ServersRead>) -> Result<List<GameList>> {
    List::new(Place::whole(GAMES.len()), &GameList { games: GAMES })
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
