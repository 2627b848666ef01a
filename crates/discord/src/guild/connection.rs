//! The connection itself: the state in memory, the row and its token, and the line of the queue.

use std::sync::Arc;

use db::Conn;
use serde::Serialize;

use super::api::{Api, Settings};
use super::resource::{Connection, Problem, Repair};
use super::store;
use kernel::queue::{self, Queue, Stop};
use kernel::secret::{Secret, SecretKey};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Kernel, Result};

/// The context under which the token is sealed.
pub const CONTEXT: &str = "discord.bot_token";

/// How long an instance may work on an item, and go on sending without renewing its right to, in
/// milliseconds.
pub const LEASE: i64 = 60_000;
/// The queue: one line for the server; an item is the id of a person, or [`REPAIR`].
pub const QUEUE: Queue = Queue::by_time("discord", LEASE);
pub const LINE: i64 = 1;
/// The item of the next step of a repair. No person has this id.
pub const REPAIR: i64 = 0;

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub api: Arc<Api>,
    /// The name of this instance.
    pub sender: Arc<str>,
    pub stop: Arc<Stop>,
}

impl State {
    pub fn new(kernel: Kernel, settings: Settings) -> Self {
        Self {
            sender: kernel.core.new_request_id().into(),
            api: Arc::new(Api::new(settings)),
            stop: Arc::default(),
            kernel,
        }
    }

    pub fn settings(&self) -> &Settings {
        self.api.settings()
    }

    /// Makes [`run`](super::members::run) return once the visit under way has ended.
    pub fn stop(&self) {
        self.stop.stop();
    }
}

pub const NOT_CONNECTED: Error = Error::Conflict {
    code: ErrorCode::DiscordNotConnected,
    message: "Discord is not connected. Connect it first: PUT /api/discord.",
};

pub async fn find(conn: &mut Conn) -> Result<Option<Connection>> {
    Ok(store::find(conn).await?)
}

pub async fn get(conn: &mut Conn) -> Result<Connection> {
    let found = find(conn).await?;
    found.ok_or(Error::NotFound(Connection::SINGULAR))
}

/// The connection, for an operation that needs one.
pub async fn connected(conn: &mut Conn) -> Result<Connection> {
    find(conn).await?.ok_or(NOT_CONNECTED)
}

/// The connection to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit) -> Result<Target<Connection>> {
    let found = store::lock_and_find(edit).await?;
    edit.target(found)
}

/// Stores the connection with a repair that begins.
pub async fn begin_repair(edit: &mut Edit, mut connection: Connection) -> Result<Connection> {
    connection.repair = Some(Repair::BEGINNING);
    store::put(edit, &connection).await?;
    let now = queue::now(edit.core());
    QUEUE.schedule(edit, LINE, REPAIR, now).await?;
    Ok(connection)
}

/// Stops sending requests, because Discord refuses them.
pub async fn disable(edit: &mut Edit, problem: Problem) -> Result<Change<()>> {
    #[derive(Serialize)]
    struct Activity {
        active: bool,
        problem: Option<Problem>,
    }
    let found = store::lock_and_find(edit).await?;
    let before = edit.part(found)?;
    let connection = Connection {
        active: false,
        problem: Some(problem),
        ..before.clone()
    };
    store::put(edit, &connection).await?;
    tracing::warn!(
        problem = problem.as_str(),
        "the connection to Discord is disabled"
    );
    let side = |connection: &Connection| Activity {
        active: connection.active,
        problem: connection.problem,
    };
    let (on, off) = (side(&before), side(&connection));
    Ok(Change::of_part("disable", &before, &on, &off, ()))
}

/// The token, to send it.
pub async fn open_token(edit: &mut Edit, connection: &Connection) -> Result<Secret<String>> {
    let plain = edit.open(CONTEXT, connection.bot_token.reveal()).await?;
    String::from_utf8(plain)
        .map(Secret::new)
        .map_err(|_| Error::internal("the token of the Discord bot is not text"))
}

/// Decrypts the token with `old` and seals it under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    let Some(connection) = store::lock_and_find(edit).await? else {
        return Ok(());
    };
    if connection.bot_token.reveal().is_empty() {
        return Ok(());
    }
    let sealed = old.reseal(new, CONTEXT, connection.bot_token.reveal())?;
    Ok(store::set_token(edit, &sealed).await?)
}

/// Forgets a token that nothing can open any more. Returns how many there were.
pub async fn forget_token(edit: &mut Edit) -> Result<u64> {
    Ok(store::forget_token(edit, Problem::TokenRefused, &[]).await?)
}
