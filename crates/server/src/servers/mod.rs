//! Game servers: where they are, what they run, and whether they are switched on.

pub mod history;
pub mod http;
pub mod live;
pub mod rcon;
mod rules;
mod store;

use std::net::{IpAddr, SocketAddr};

use db::{Conn, Tx};
use schemars::JsonSchema;
use serde::Serialize;

use kernel::input::{Int, Nullable, Patch, Text};
use kernel::list::Window;
use kernel::secret::{Secret, SecretKey};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, input};

pub use self::rules::{Address, Game, Include, RconPassword};

/// What RCON passwords are sealed for.
const PLACE: &str = "servers.rcon_password";

#[derive(Clone, Debug, Serialize)]
pub struct Server {
    pub id: i64,
    pub name: String,
    pub ip: Address,
    pub port: i64,
    pub enabled: bool,
    pub game: Game,
    /// Where to ask for live figures, if not at `port`.
    pub query_port: Option<i64>,
    /// Sealed; see [`Edit::seal`].
    #[serde(skip)]
    pub rcon_password: Secret<Vec<u8>>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Server {
    /// Where its players, and its console, connect to.
    pub fn address(&self) -> Result<SocketAddr> {
        let ip: IpAddr = self.ip.as_str().parse().map_err(Error::internal)?;
        let port = u16::try_from(self.port).map_err(Error::internal)?;
        Ok(SocketAddr::new(ip, port))
    }
}

impl Resource for Server {
    const PLURAL: &'static str = "servers";
    const SINGULAR: &'static str = "server";
    const SECRETS: &'static [&'static str] = &["rcon_password"];

    fn id(&self) -> i64 {
        self.id
    }

    fn hidden(&self) -> &[u8] {
        self.rcon_password.reveal()
    }
}

/// The last known live figures of a server; zeros as long as it has not answered.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Stats {
    pub players_online: i64,
    pub max_players: i64,
    pub map: String,
}

type Port = Int<1, 65535>;

input! {
    /// A server to create.
    pub struct NewServer {
        name: Text<1, 255>,
        /// An IPv4 or IPv6 address.
        ip: Address,
        port: Port,
        /// Whether the server is switched on; true unless given.
        enabled: Option<bool>,
        /// The game, such as `cs2` or `csgo`.
        game: Game,
        /// 1 to 255 bytes. It is stored encrypted and never shown.
        rcon_password: RconPassword,
        /// Where to ask for live figures; at `port` unless given.
        query_port: Option<Port>,
    }
}

input! {
    /// What to change about a server. What is absent keeps its value.
    pub struct ServerChanges {
        name: Patch<Text<1, 255>>,
        /// An IPv4 or IPv6 address.
        ip: Patch<Address>,
        port: Patch<Port>,
        enabled: Patch<bool>,
        /// The game, such as `cs2` or `csgo`.
        game: Patch<Game>,
        /// 1 to 255 bytes. It is stored encrypted and never shown.
        rcon_password: Patch<RconPassword>,
        /// Where to ask for live figures; `null` for `port`.
        query_port: Patch<Nullable<Port>>,
    }
}

input! {
    /// What to show of a server.
    pub struct ServerQuery {
        /// `query_port` to show that field as well.
        include: Option<Include>,
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Server>> {
    Ok(store::list(conn, window).await?)
}

/// By ascending id.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Server>> {
    Ok(store::by_ids(conn, ids).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Server> {
    let server = store::find(conn, id).await?;
    server.ok_or(Error::NotFound(Server::SINGULAR))
}

/// Keeps these servers from being deleted until the end of the transaction.
async fn prevent_deletion(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    Ok(store::lock_shared(tx, ids).await?)
}

/// The server to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Server>> {
    store::lock(edit, id).await?;
    let server = store::find(edit, id).await?;
    edit.target(server)
}

pub async fn create(edit: &mut Edit, new: NewServer) -> Result<Change<Server>> {
    let NewServer {
        name,
        ip,
        port,
        enabled,
        game,
        rcon_password,
        query_port,
    } = new;
    let mut server = Server {
        id: 0,
        name: name.into_string(),
        ip,
        port: port.0,
        enabled: enabled.unwrap_or(true),
        game,
        query_port: query_port.map(|port| port.0),
        rcon_password: seal(edit, &rcon_password).await?,
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    server.id = store::insert(edit, &server).await?;
    live::watch(edit, &server).await?;
    Ok(Change::created(server))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Server>,
    changes: ServerChanges,
) -> Result<Change<Server>> {
    let ServerChanges {
        name,
        ip,
        port,
        enabled,
        game,
        rcon_password,
        query_port,
    } = changes;
    let mut server = Server {
        name: name.or(&before.name).into_string(),
        ip: ip.or(before.ip.clone()),
        port: port.or(Int(before.port)).0,
        enabled: enabled.or(before.enabled),
        game: game.or(before.game.clone()),
        query_port: query_port
            .or(before.query_port.map(Int))
            .0
            .map(|port| port.0),
        ..before.clone()
    };
    let has_new_password = match rcon_password {
        Patch::Keep => false,
        Patch::Set(password) => {
            server.rcon_password = seal(edit, &password).await?;
            true
        }
    };
    save(edit, &before, &mut server).await?;
    let change = Change::updated("update", &before, server);
    Ok(match has_new_password {
        true => change.with_new_secret("rcon_password"),
        false => change,
    })
}

/// Switches the server on if it is off, and off if it is on.
pub async fn toggle(edit: &mut Edit, before: Target<Server>) -> Result<Change<Server>> {
    let mut server = Server {
        enabled: !before.enabled,
        ..before.clone()
    };
    save(edit, &before, &mut server).await?;
    Ok(Change::updated("toggle", &before, server))
}

async fn save(edit: &mut Edit, before: &Server, server: &mut Server) -> Result<()> {
    server.updated_at = edit.updated_at(before, server, before.updated_at);
    store::update(edit, server).await?;
    live::follow(edit, before, server).await
}

async fn seal(edit: &mut Edit, password: &RconPassword) -> Result<Secret<Vec<u8>>> {
    let sealed = edit.seal(PLACE, password.reveal().as_bytes()).await?;
    Ok(Secret::new(sealed))
}

pub async fn delete(edit: &mut Edit, server: Target<Server>) -> Result<Change<Server>> {
    store::delete(edit, server.id).await?;
    Ok(Change::deleted(server))
}

/// Seals every password, which `old` opens, under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    for (id, sealed) in store::passwords(edit).await? {
        let sealed = old.reseal(new, PLACE, &sealed)?;
        store::set_password(edit, id, &sealed).await?;
    }
    Ok(())
}
