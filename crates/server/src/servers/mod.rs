//! Game servers: address, game, RCON password, and whether they are enabled.
//!
//! [`live`] queries them, [`history`] keeps their player counts, [`rcon`] sends console commands,
//! [`networks`] decides which addresses may be contacted, [`password`] seals RCON passwords.

pub mod history;
pub mod http;
mod input;
pub mod live;
mod masked_command;
mod networks;
mod password;
pub mod rcon;
mod store;

use std::net::{IpAddr, SocketAddr};

use db::{Conn, Tx};
use serde::Serialize;

use kernel::input::{Int, Patch};
use kernel::list::Window;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result};

pub use self::input::{
    Address, CommandLine, Game, Include, NewServer, RconCommand, RconPassword, ServerChanges,
    ServerQuery,
};
pub use self::networks::Networks;
pub use self::password::{bind_to_rows, forget_all, reseal};

#[derive(Clone, Debug, Serialize)]
pub struct Server {
    pub id: i64,
    pub name: String,
    pub ip: Address,
    pub port: i64,
    pub enabled: bool,
    pub game: Game,
    /// The port for live queries, where it is not `port`.
    pub query_port: Option<i64>,
    /// Sealed; see [`password`]. Empty if the server has none.
    #[serde(skip)]
    pub rcon_password: Secret<Vec<u8>>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Server {
    /// The address that players and RCON clients connect to, in one form for all its spellings.
    pub fn address(&self) -> Result<SocketAddr> {
        let ip: IpAddr = self.ip.as_str().parse().map_err(Error::internal)?;
        let port = u16::try_from(self.port).map_err(Error::internal)?;
        Ok(SocketAddr::new(ip.to_canonical(), port))
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

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Server>> {
    Ok(store::list(conn, window).await?)
}

/// The servers with these ids, ordered by id. Unknown ids are skipped.
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

/// Locks these servers against deletion until the end of the transaction.
async fn prevent_deletion(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    Ok(store::lock_shared(tx, ids).await?)
}

/// The server to change, locked until the end of the transaction.
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
        rcon_password: password::none(),
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    // The password is bound to the id, which is known now.
    server.id = store::insert(edit, &server).await?;
    server.rcon_password = password::seal(edit, server.id, &rcon_password).await?;
    store::set_password(edit, server.id, server.rcon_password.reveal()).await?;
    live::create(edit, &server).await?;
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
    let has_other_address = server.address()? != before.address()?;
    let change_of_password = match rcon_password {
        Patch::Set(password) => {
            server.rcon_password = password::seal(edit, server.id, &password).await?;
            PasswordChange::Replaced
        }
        // Otherwise a client that cannot read the password could have it sent to a server of its
        // own.
        Patch::Keep if has_other_address && password::is_set(&before.rcon_password) => {
            server.rcon_password = password::none();
            PasswordChange::Removed
        }
        Patch::Keep => PasswordChange::None,
    };
    save(edit, &before, &mut server).await?;
    let change = Change::updated("update", &before, server);
    Ok(match change_of_password {
        PasswordChange::None => change,
        PasswordChange::Replaced => change.with_new_secret("rcon_password"),
        PasswordChange::Removed => change.with_removed_secret("rcon_password"),
    })
}

/// What an update does to the RCON password.
enum PasswordChange {
    None,
    Replaced,
    Removed,
}

/// Enables a disabled server and disables an enabled one.
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
    live::reset_if_changed(edit, before, server).await
}

pub async fn delete(edit: &mut Edit, server: Target<Server>) -> Result<Change<Server>> {
    store::delete(edit, server.id).await?;
    Ok(Change::deleted(server))
}
