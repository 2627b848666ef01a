//! Operations of `/api/servers`.

use axum::extract::{FromRef, State};
use serde::Serialize;

use super::live::LiveStatus;
use super::resolve::{self, ServerAddress};
use super::{Address, Game, NewServer, RconCommand, Refusal, Server, ServerChanges, ServerQuery};
use crate::servers::{self, live, rcon};
use kernel::auth::permission::{Servers, ServersRcon, ServersRead};
use kernel::http::body::Body;
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

/// Replaces every password, so that not even its length is revealed.
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
    /// Whether the answer was longer and was truncated.
    truncated: bool,
}

/// The address of a host.
#[derive(Serialize, JsonSchema)]
struct ResolvedAddress {
    /// An IPv4 or IPv6 address. Of several, one that may be contacted.
    ip: String,
    /// The port in `address`; null if it has none.
    port: Option<u16>,
    /// Whether the service may contact this address.
    allowed: bool,
    /// Absent if `allowed`. `not_a_host`: a multicast, broadcast or unspecified address.
    /// `internal`: an address of this machine, or one that only it can reach. `not_named`: outside
    /// the networks of `--server-networks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Refusal", default)]
    reason: Option<Refusal>,
    /// The value of `--server-networks` with which this address and the present servers may be
    /// contacted. Absent if `allowed`, and for `not_a_host`, which no value allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    server_networks: Option<Vec<String>>,
}

async fn resolve_address(
    State(state): State<servers::State>,
    caller: Caller<Servers>,
    body: Body<ServerAddress>,
) -> Result<Done<ResolvedAddress>> {
    caller.confirm().await?;
    let live::Settings {
        networks, resolver, ..
    } = state.live.settings();
    let found = resolve::resolve(&**resolver, networks, body.valid()?).await?;
    let mut read = caller.read_alone().await?;
    Done::new(&ResolvedAddress {
        ip: found.ip.to_string(),
        port: found.port,
        allowed: found.refusal.is_none(),
        reason: found.refusal,
        server_networks: resolve::networks_with(&mut read, networks, &found).await?,
    })
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
    State(state): State<servers::State>,
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
        stats: live::get(&state, &mut read, &server).await?.into(),
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
    State(state): State<servers::State>,
    id: Id,
    writer: Writer<ServersRcon, RconCommand>,
) -> Result<Done<RconCommandReply>> {
    let run = writer.run_external(
        async |edit, body| {
            let server = servers::target(edit, id.0).await?;
            rcon::record(edit, state.live.settings(), server, body.valid()?).await
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

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<servers::State> for Kernel {
    fn from_ref(state: &servers::State) -> Self {
        state.kernel.clone()
    }
}

pub fn routes() -> ApiRouter<servers::State> {
    ApiRouter::new()
        .api_route(
            "/api/servers",
            get_with(list, named("listServers", "List servers"))
                .post_with(create, named("createServer", "Create a server")),
        )
        .api_route(
            "/api/servers/resolve",
            post_with(
                resolve_address,
                named("resolveServerAddress", "Find the IP address of a host"),
            ),
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
