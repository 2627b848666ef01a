//! The live status of game servers: queried in the background, stored, and shown at once.
//!
//! [`poller`] queries servers that are due, [`querier`] runs queries, [`answers`] stores what
//! comes back, [`schedule`] decides when a server is due again, [`gauges`] shows the status in
//! `/metrics`, [`games`] knows which game speaks which protocol. The protocols themselves are in the crate `game_query`.

mod answers;
mod failure;
pub mod games;
pub mod gauges;
pub mod http;
pub mod poller;
mod querier;
mod schedule;
mod store;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use db::Conn;

pub use self::querier::Querier;
pub use game_query::Player;

use self::failure::Failure;
use crate::app::App;
use crate::servers::{self, Networks, Server};
use kernel::auth::Actor;
use kernel::types::Timestamp;
use kernel::write::Edit;
use kernel::{Core, Error, Result};

/// The operator's settings for queries.
#[derive(Clone, Debug)]
pub struct Settings {
    /// If false, no packet is ever sent to a game server.
    pub enabled: bool,
    pub interval: Duration,
    /// The longest time that one query may take in total.
    pub timeout: Duration,
    /// How many queries may run at the same time.
    pub concurrency: usize,
    pub networks: Networks,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            interval: Duration::from_secs(30),
            timeout: Duration::from_secs(2),
            concurrency: 64,
            networks: Networks::default(),
        }
    }
}

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
    /// At most 256 players; empty where the server does not list them.
    pub players: Vec<Player>,
    /// Why there is no answer; one of the words of [`Failure`].
    pub error: Option<&'static str>,
}

impl LiveStatus {
    fn disabled() -> Self {
        Self {
            error: Some(Failure::Disabled.as_str()),
            ..Self::default()
        }
    }
}

/// Where and how a server is queried.
#[derive(Clone, Debug)]
struct Endpoint {
    server_id: i64,
    /// Grows whenever the endpoint changes, so that late answers are recognised.
    epoch: i64,
    address: SocketAddr,
    game: String,
}

impl Endpoint {
    fn new(server: &Server, epoch: i64) -> Option<Self> {
        let address: IpAddr = server.ip.as_str().parse().ok()?;
        let port = server.query_port.unwrap_or(server.port);
        Some(Self {
            server_id: server.id,
            epoch,
            address: SocketAddr::new(address.to_canonical(), u16::try_from(port).ok()?),
            game: server.game.as_str().to_owned(),
        })
    }
}

/// Creates the live status of a new server. If the server is enabled, it is due at once.
pub async fn create(edit: &mut Edit, server: &Server) -> Result<()> {
    let next = server.enabled.then(|| now(edit.core()));
    Ok(store::insert(edit, server.id, next).await?)
}

/// Clears the live status if the server's endpoint has changed or it was enabled or disabled. The
/// answer of a query that is still running is dropped then.
pub async fn reset_if_changed(edit: &mut Edit, before: &Server, after: &Server) -> Result<()> {
    let relevant = |server: &Server| {
        let Server {
            ip,
            port,
            query_port,
            game,
            enabled,
            ..
        } = server.clone();
        (ip, port, query_port, game, enabled)
    };
    if relevant(before) == relevant(after) {
        return Ok(());
    }
    let next = after.enabled.then(|| now(edit.core()));
    Ok(store::reset(edit, after.id, next).await?)
}

/// The stored live status of a server.
pub async fn get(app: &App, conn: &mut Conn, server: &Server) -> Result<LiveStatus> {
    if !app.live.settings().enabled || !server.enabled {
        return Ok(LiveStatus::disabled());
    }
    Ok(store::find(conn, server.id).await?.unwrap_or_default())
}

/// Queries a server now and returns its new live status. The log says who had it queried, and
/// where.
pub async fn query(app: &App, id: i64, actor: &Actor) -> Result<LiveStatus> {
    loop {
        let mut read = app.db.read().await?;
        // Read the epoch first: if the server changes between the two reads, the answer is dropped
        // and the loop tries again. The other way round, it would be stored for the wrong address.
        let epoch = store::epoch(&mut read, id).await?;
        let server = servers::get(&mut read, id).await?;
        drop(read);
        if !app.live.settings().enabled || !server.enabled {
            return Ok(LiveStatus::disabled());
        }
        let endpoint = epoch.and_then(|epoch| Endpoint::new(&server, epoch));
        let endpoint = endpoint.ok_or_else(|| Error::internal("a server without a live status"))?;
        tracing::info!(
            request_id = actor.request_id,
            key_id = actor.key_id,
            server_id = id,
            address = %endpoint.address,
            "querying a game server on request"
        );
        // `None`: the server was changed while it was queried.
        if let Some(status) = querier::query_for_request(app, endpoint).await? {
            return Ok(status);
        }
    }
}

/// In milliseconds since 1970.
fn now(core: &Core) -> i64 {
    i64::try_from(core.clock.millis()).unwrap_or(i64::MAX)
}
