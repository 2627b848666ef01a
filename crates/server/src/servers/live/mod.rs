//! What game servers say of themselves: asked in the background, stored, and shown at once.
//!
//! [`poller`] decides who is asked next, [`desk`] asks and stores, [`query`](::query) speaks with the
//! servers, [`games`] knows who speaks what, and [`history`] keeps what was said.

mod failure;
pub mod games;
pub mod http;
pub mod poller;
mod querier;
mod store;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::querier::Querier;
pub use game_query::Player;

use self::failure::Failure;
use crate::app::App;
use crate::servers::{self, Server, Stats};
use kernel::types::{IpNetworks, Timestamp};
use kernel::write::Edit;
use kernel::{Core, Result};

/// How the operator wants game servers to be asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Otherwise nothing is ever sent.
    pub enabled: bool,
    pub interval: Duration,
    /// How long one question may take, all in all.
    pub timeout: Duration,
    /// How many are asked at once.
    pub concurrency: usize,
    /// Where servers may be; `None` is anywhere.
    pub networks: Option<IpNetworks>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            interval: Duration::from_secs(30),
            timeout: Duration::from_secs(2),
            concurrency: 64,
            networks: None,
        }
    }
}

impl Settings {
    /// What is meant for many at once, or for nobody, is never asked.
    pub fn allow(&self, address: IpAddr) -> bool {
        let one = match address.to_canonical() {
            IpAddr::V4(address) => {
                !(address.is_unspecified() || address.is_multicast() || address.is_broadcast())
            }
            IpAddr::V6(address) => !(address.is_unspecified() || address.is_multicast()),
        };
        let networks = self.networks.as_ref();
        one && networks.is_none_or(|networks| networks.contains(address))
    }
}

/// The last known state of a server.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Live {
    /// Whether it answered when it was last asked.
    pub reachable: bool,
    /// When it was last asked; null before that.
    pub checked_at: Option<Timestamp>,
    /// How long its first packet took.
    pub latency_ms: Option<i64>,
    pub players_online: i64,
    pub max_players: i64,
    pub map: String,
    pub name: Option<String>,
    pub version: Option<String>,
    /// At most 256, and none where the server does not tell.
    pub players: Vec<Player>,
    /// Why there is no answer: `timeout`, `refused`, `protocol`, `forbidden` or `disabled`.
    pub error: Option<&'static str>,
}

impl Live {
    fn disabled() -> Self {
        Self {
            error: Some(Failure::Disabled.as_str()),
            ..Self::default()
        }
    }
}

/// A server as it is asked.
#[derive(Clone, Debug)]
struct Subject {
    server_id: i64,
    epoch: i64,
    address: SocketAddr,
    game: String,
}

impl Subject {
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

/// Begins to watch a server that was just made.
pub async fn watch(edit: &mut Edit, server: &Server) -> Result<()> {
    let next = server.enabled.then(|| now(edit.core()));
    Ok(store::insert(edit, server.id, next).await?)
}

/// Forgets what a server said that was somewhere else, or something else, until now. Whoever is
/// still asking it finds that nobody is interested any more.
pub async fn follow(edit: &mut Edit, before: &Server, after: &Server) -> Result<()> {
    let asked = |server: &Server| {
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
    if asked(before) == asked(after) {
        return Ok(());
    }
    let next = after.enabled.then(|| now(edit.core()));
    Ok(store::reset(edit, after.id, next).await?)
}

pub async fn get(app: &App, conn: &mut Conn, server: &Server) -> Result<Live> {
    if !app.live.settings().enabled || !server.enabled {
        return Ok(Live::disabled());
    }
    Ok(store::find(conn, server.id).await?.unwrap_or_default())
}

/// The part of it that a server is shown with.
pub async fn stats(app: &App, conn: &mut Conn, server: &Server) -> Result<Stats> {
    let live = get(app, conn, server).await?;
    Ok(Stats {
        players_online: live.players_online,
        max_players: live.max_players,
        map: live.map,
    })
}

/// Asks a server now.
pub async fn query(app: &App, id: i64) -> Result<Live> {
    loop {
        let mut read = app.db.read().await?;
        // The epoch comes first: with a server that is newer the answer would just be dropped.
        let epoch = store::epoch(&mut read, id).await?;
        let server = servers::get(&mut read, id).await?;
        drop(read);
        if !app.live.settings().enabled || !server.enabled {
            return Ok(Live::disabled());
        }
        let subject = epoch.and_then(|epoch| Subject::new(&server, epoch));
        let subject = subject.ok_or_else(|| kernel::Error::internal("a server without a state"))?;
        // If the server has changed meanwhile, the answer is not about it.
        if let Some(live) = querier::ask(app, subject).await? {
            return Ok(live);
        }
    }
}

/// In milliseconds since 1970.
fn now(core: &Core) -> i64 {
    i64::try_from(core.clock.millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn what_is_not_one_host_is_never_asked() {
        let anywhere = Settings::default();
        let all = ["0.0.0.0/0", "::/0"].map(|all| all.parse().expect("a network"));
        let told = Settings {
            networks: Some(all.into_iter().collect()),
            ..Settings::default()
        };
        for (address, allowed) in [
            ("192.0.2.1", true),
            ("127.0.0.1", true),
            ("2001:db8::1", true),
            ("0.0.0.0", false),
            ("255.255.255.255", false),
            ("224.0.0.1", false),
            ("239.1.2.3", false),
            ("::", false),
            ("ff02::1", false),
            ("::ffff:224.0.0.1", false),
            ("::ffff:255.255.255.255", false),
        ] {
            let parsed = address.parse().expect("an address");
            assert_eq!(anywhere.allow(parsed), allowed, "{address}");
            assert_eq!(told.allow(parsed), allowed, "{address}");
        }
    }
}
