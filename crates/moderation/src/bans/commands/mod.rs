//! Commands for the consoles of servers: they kick a banned player who is playing now, and mute and
//! unmute players.
//!
//! [`sender`] sends them. A server has its own commands, because games differ; without one, nothing
//! is sent to it.

pub mod http;
pub mod sender;
mod store;

use db::Conn;
use serde::Serialize;

use super::{Ban, store as bans};
use game_servers::command_template::BanCommandTemplate;
use game_servers::servers;
use kernel::Result;
use kernel::input::{Nullable, Patch};
use kernel::queue::{self, Queue};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{input, named};

pub use self::store::of_ban;

/// The queue: one line for each server. A crash gives a command back after 10 seconds.
const COMMANDS: Queue = Queue::by_time("ban_commands", 10_000);
/// How many servers one ban sends commands to.
const MOST_SERVERS: i64 = 1_000;

input! {
    /// Changes to the commands of a server. Absent fields keep their value.
    pub struct ServerCommandChanges {
        /// Sent when a player is banned; null is nothing.
        kick_command: Patch<Nullable<BanCommandTemplate>>,
        /// Sent when a player is muted, gagged or silenced; null is nothing.
        mute_command: Patch<Nullable<BanCommandTemplate>>,
        /// Sent when that is lifted; null is nothing.
        unmute_command: Patch<Nullable<BanCommandTemplate>>,
    }
}

/// The commands of a server, as they were written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ServerCommands {
    #[serde(skip)]
    pub server_id: i64,
    pub kick_command: Option<String>,
    pub mute_command: Option<String>,
    pub unmute_command: Option<String>,
}

impl Resource for ServerCommands {
    const PLURAL: &'static str = "servers";
    const SINGULAR: &'static str = "server";

    fn id(&self) -> i64 {
        self.server_id
    }
}

named! {
    /// The effect of a command on a player.
    CommandKind {
        Kick = "kick",
        Mute = "mute",
        Unmute = "unmute",
    }
}

named! {
    /// Whether a command was sent.
    CommandState {
        Pending = "pending",
        Sent = "sent",
        Failed = "failed",
    }
}

/// The last command of a kind for a ban on one server.
#[derive(Clone, Debug)]
pub struct BanCommand {
    pub id: i64,
    pub ban_id: i64,
    pub server_id: i64,
    pub kind: CommandKind,
    pub state: CommandState,
    pub error: Option<String>,
    /// In milliseconds since 1970.
    pub queued_at: i64,
}

impl ServerCommands {
    /// The template for a kind of command.
    fn template(&self, kind: CommandKind) -> Option<&str> {
        match kind {
            CommandKind::Kick => self.kick_command.as_deref(),
            CommandKind::Mute => self.mute_command.as_deref(),
            CommandKind::Unmute => self.unmute_command.as_deref(),
        }
    }
}

/// The commands of a server; 404 if there is no such server.
pub async fn get(conn: &mut Conn, server_id: i64) -> Result<ServerCommands> {
    servers::get(conn, server_id).await?;
    Ok(find(conn, server_id).await?)
}

async fn find(conn: &mut Conn, server_id: i64) -> db::Result<ServerCommands> {
    let found = store::find(conn, server_id).await?;
    Ok(found.unwrap_or(ServerCommands {
        server_id,
        ..ServerCommands::default()
    }))
}

/// The commands to change. Their server is locked.
pub async fn target(edit: &mut Edit, server_id: i64) -> Result<Target<ServerCommands>> {
    match servers::locked(edit, server_id).await? {
        Some(_) => {
            let commands = find(edit, server_id).await?;
            edit.target(Some(commands))
        }
        None => edit.target(None),
    }
}

pub async fn update(
    edit: &mut Edit,
    before: Target<ServerCommands>,
    changes: ServerCommandChanges,
) -> Result<Change<ServerCommands>> {
    let ServerCommandChanges {
        kick_command,
        mute_command,
        unmute_command,
    } = changes;
    let changed = |patch: Patch<Nullable<BanCommandTemplate>>, before: &Option<String>| match patch
    {
        Patch::Set(Nullable(command)) => command.map(|command| command.0.as_str().to_owned()),
        Patch::Keep => before.clone(),
    };
    let commands = ServerCommands {
        server_id: before.server_id,
        kick_command: changed(kick_command, &before.kick_command),
        mute_command: changed(mute_command, &before.mute_command),
        unmute_command: changed(unmute_command, &before.unmute_command),
    };
    store::upsert(edit, &commands).await?;
    Ok(Change::updated("commands", &before, commands))
}

/// Queues a command for all servers of a ban that have one and can be reached: those that are
/// enabled and have a password. Returns them. Nobody is kicked by an address alone.
pub async fn queue(edit: &mut Edit, ban: &Ban, kind: CommandKind) -> Result<Vec<i64>> {
    if ban.subject.steam_id.is_none() {
        return Ok(Vec::new());
    }
    let mut ids = store::servers_with(edit, kind, MOST_SERVERS).await?;
    ids.retain(|id| ban.is_in_scope(*id));
    let found = servers::by_ids(edit, &ids).await?;
    let reachable = found
        .iter()
        .filter(|server| server.enabled && server.has_password());
    let ids: Vec<i64> = reachable.map(|server| server.id).collect();
    let now = queue::now(edit.core());
    for server_id in &ids {
        let id = store::insert(edit, ban.id, *server_id, kind, now).await?;
        COMMANDS.schedule(edit, *server_id, id, now).await?;
    }
    Ok(ids)
}
