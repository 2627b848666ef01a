//! Game servers: address, game, RCON password, and whether they are enabled.
//!
//! [`live`] queries them, [`history`] keeps their player counts, [`rcon`] sends console commands,
//! [`networks`] decides which addresses may be contacted, [`resolve`] looks up host names,
//! [`password`] seals RCON passwords.

mod commands;
pub mod history;
pub mod http;
mod input;
pub mod live;
mod masked_command;
mod networks;
mod password;
pub mod rcon;
pub mod resolve;
mod resource;
mod state;
mod store;

use db::Conn;

use kernel::input::{Int, Patch};
use kernel::queue;
use kernel::write::{Change, Edit, Fact, Resource, Target};
use kernel::{Error, Result};

pub use self::commands::COMMANDS;
pub use self::input::{
    Address, CommandLine, Game, Include, NewServer, RconCommand, RconPassword, ServerChanges,
    ServerQuery,
};
pub use self::networks::{Networks, Refusal};
pub use self::password::reseal;
pub use self::resource::Server;
pub use self::state::State;
pub use self::store::{by_ids, count, existing_ids, forget_passwords, list, lock_shared};

pub async fn get(conn: &mut Conn, id: i64) -> Result<Server> {
    let server = store::find(conn, id).await?;
    server.ok_or(Error::NotFound(Server::SINGULAR))
}

/// The server to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Server>> {
    let server = locked(edit, id).await?;
    edit.target(server)
}

/// A server, locked until the end of the transaction.
pub async fn locked(edit: &mut Edit, id: i64) -> Result<Option<Server>> {
    store::lock(edit, id).await?;
    Ok(store::find(edit, id).await?)
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
    // The password is bound to the id, so the row comes first.
    server.id = store::insert(edit, &server).await?;
    server.rcon_password = password::seal(edit, server.id, &rcon_password).await?;
    store::set_password(edit, server.id, server.rcon_password.reveal()).await?;
    live::create(edit, &server).await?;
    Ok(Change::created(server))
}

/// Inserts a server that is valid already, with its id and its password, if it has one.
pub async fn load(
    edit: &mut Edit,
    mut server: Server,
    rcon_password: Option<&RconPassword>,
) -> Result<()> {
    if let Some(password) = rcon_password {
        server.rcon_password = password::seal(edit, server.id, password).await?;
    }
    store::load(edit, &server).await?;
    live::create(edit, &server).await
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
        // Otherwise a client that cannot read the password could have it sent to its own server.
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

/// The change of the RCON password by an update.
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
    live::reset_if_changed(edit, before, server).await?;
    // Whatever made its commands fail may be mended.
    let now = queue::now(edit.core());
    COMMANDS.wake(edit, &[server.id], now).await
}

pub async fn delete(edit: &mut Edit, server: Target<Server>) -> Result<Change<Server>> {
    let server_id = server.id;
    edit.tell(Fact::ServerDeleted { server_id }).await?;
    store::delete(edit, server_id).await?;
    Ok(Change::deleted(server))
}
