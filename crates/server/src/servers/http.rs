//! Operations of `/api/servers`.

use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::live::LiveStatus;
use super::{Address, Game, NewServer, RconCommand, Server, ServerChanges, ServerQuery};
use crate::app::App;
use crate::servers::{self, live, rcon};
use kernel::Result;
use kernel::auth::permission::{Servers, ServersRcon, ServersRead};
use kernel::http::openapi::{named, named_failing};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::types::Timestamp;
use kernel::write::etag;

/// Shown in place of every password, so that not even its length is revealed.
const MASK: &str = "********";

#[derive(Serialize, JsonSchema)]
struct ServerItem {
    id: i64,
    name: String,
    ip: Address,
    port: i64,
    enabled: bool,
    game: Game,
}

impl From<Server> for ServerItem {
    fn from(server: Server) -> Self {
        Self {
            id: server.id,
            name: server.name,
            ip: server.ip,
            port: server.port,
            enabled: server.enabled,
            game: server.game,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct CreatedServer {
    #[serde(flatten)]
    item: ServerItem,
    created_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
struct UpdatedServer {
    #[serde(flatten)]
    item: ServerItem,
    updated_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
struct ServerDetail {
    #[serde(flatten)]
    item: ServerItem,
    rcon_password: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    stats: ServerStats,
    /// Only with `include=query_port`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>", default)]
    query_port: Option<Option<i64>>,
}

/// The last known live status of a server; zeros until it has answered.
#[derive(Serialize, JsonSchema)]
struct ServerStats {
    players_online: i64,
    max_players: i64,
    map: String,
}

impl From<LiveStatus> for ServerStats {
    fn from(status: LiveStatus) -> Self {
        Self {
            players_online: status.players_online,
            max_players: status.max_players,
            map: status.map,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ServerList {
    servers: Vec<ServerItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleServer {
    server: ServerDetail,
}

#[derive(Serialize, JsonSchema)]
struct CreatedServerReply {
    message: &'static str,
    server: CreatedServer,
}

#[derive(Serialize, JsonSchema)]
struct UpdatedServerReply {
    message: &'static str,
    server: UpdatedServer,
}

#[derive(Serialize, JsonSchema)]
struct ServerToggleReply {
    message: &'static str,
    /// Whether the server is enabled now.
    enabled: bool,
}

#[derive(Serialize, JsonSchema)]
struct RconCommandReply {
    message: &'static str,
    /// The answer of the game server, at most 64 KiB.
    answer: String,
    /// Whether the answer was longer than that.
    truncated: bool,
}

async fn list(
    caller: Caller<ServersRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<ServerList>> {
    let mut read = caller.read_alone().await?;
    let total = servers::count(&mut read).await?;
    let mut found = servers::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |server| server.id);
    let servers = found.into_iter().map(ServerItem::from).collect();
    List::new(headers, &ServerList { servers })
}

async fn get(
    State(app): State<App>,
    caller: Caller<ServersRead>,
    id: Id,
    Query(query): Query<ServerQuery>,
) -> Result<Single<SingleServer>> {
    let mut read = caller.read().await?;
    let server = servers::get(&mut read, id.0).await?;
    let tag = etag::of(&server);
    let detail = ServerDetail {
        rcon_password: MASK,
        created_at: server.created_at,
        updated_at: server.updated_at,
        stats: live::get(&app, &mut read, &server).await?.into(),
        query_port: query.include.map(|_| server.query_port),
        item: server.into(),
    };
    caller.single(tag, &SingleServer { server: detail })
}

async fn create(writer: Writer<Servers, NewServer>) -> Result<Created<CreatedServerReply>> {
    let run = writer.run(async |edit, body| {
        let created = servers::create(edit, body.valid()?).await?;
        Ok(created.map(|server| CreatedServerReply {
            message: "Server created.",
            server: CreatedServer {
                created_at: server.created_at,
                item: server.into(),
            },
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Servers, ServerChanges>,
) -> Result<Done<UpdatedServerReply>> {
    let run = writer.run(async |edit, body| {
        let server = servers::target(edit, id.0).await?;
        let updated = servers::update(edit, server, body.valid()?).await?;
        Ok(updated.map(|server| UpdatedServerReply {
            message: "Server updated.",
            server: UpdatedServer {
                updated_at: server.updated_at,
                item: server.into(),
            },
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Servers>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let server = servers::target(edit, id.0).await?;
        let deleted = servers::delete(edit, server).await?;
        Ok(deleted.map(|_| Message::new("Server deleted.")))
    });
    run.await
}

async fn toggle(id: Id, writer: Writer<Servers>) -> Result<Done<ServerToggleReply>> {
    let run = writer.run(async |edit, _| {
        let server = servers::target(edit, id.0).await?;
        let toggled = servers::toggle(edit, server).await?;
        Ok(toggled.map(|server| ServerToggleReply {
            message: match server.enabled {
                true => "Server enabled.",
                false => "Server disabled.",
            },
            enabled: server.enabled,
        }))
    });
    run.await
}

async fn run_command(
    State(app): State<App>,
    id: Id,
    writer: Writer<ServersRcon, RconCommand>,
) -> Result<Done<RconCommandReply>> {
    let run = writer.run_external(
        async |edit, body| {
            let server = servers::target(edit, id.0).await?;
            rcon::record(edit, app.live.settings(), server, body.valid()?).await
        },
        async |recorded| {
            let sent = rcon::send(recorded).await;
            sent.map(|answer| RconCommandReply {
                message: "The server has answered.",
                answer: answer.text,
                truncated: answer.truncated,
            })
        },
    );
    run.await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/servers",
            get_with(list, named("listServers", "List servers"))
                .post_with(create, named("createServer", "Create a server")),
        )
        .api_route(
            "/api/servers/{id}",
            get_with(get, named("getServer", "Show a server and its live status"))
                .put_with(update, named("updateServer", "Change a server"))
                .delete_with(delete, named("deleteServer", "Delete a server")),
        )
        .api_route(
            "/api/servers/{id}/toggle",
            post_with(toggle, named("toggleServer", "Toggle a server")),
        )
        .api_route(
            "/api/servers/{id}/rcon",
            post_with(
                run_command,
                named_failing(
                    "runServerCommand",
                    "Run a command on a server's console",
                    502,
                    "The game server did not accept the command; `code` says why.",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Servers"))
}
