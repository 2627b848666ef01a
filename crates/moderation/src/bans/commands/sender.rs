//! Sends the commands of bans to game servers, in the background.
//!
//! A player who is to be kicked is playing now or not at all, so a command is retried for a minute
//! only. Sending one twice harms nobody: after an attempt whose outcome is unknown it is sent again.

use std::sync::Arc;
use std::time::Duration;

use db::Conn;
use futures_util::future::BoxFuture;

use super::{BanCommand, COMMANDS, CommandKind, CommandState, bans, find, store};
use crate::bans::Ban;
use game_servers::command_template::{BanCommandTemplate, Values};
use game_servers::servers::rcon::{self, RecordedCommand};
use game_servers::servers::{self, CommandLine, RconCommand, Server};
use kernel::queue::{self, Lease, Queue, Stop, Work};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Outcome, Target};
use kernel::{Core, Error, Kernel, Result};

/// The delay after a failed attempt.
const DELAY_MILLIS: i64 = 5_000;
/// For how long a command is retried.
const PATIENCE_MILLIS: i64 = 60_000;
/// The minimum time between two commands for a server: at most 20 a second.
const PACE: Duration = Duration::from_millis(50);
const ENDED: &str = "The ban has ended.";
const NO_COMMAND: &str = "The server has no such command any more.";
const DELETED: &str = "The server was deleted.";

/// The state of the sender. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub servers: servers::State,
    pub stop: Arc<Stop>,
}

/// Sends due commands until the service stops, and returns when the outcomes are stored.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(queue::run(Arc::new(state)))
}

/// Sends all due commands, and returns when the outcomes are stored.
pub async fn once(state: &State) -> Result<()> {
    queue::once(Arc::new(state.clone())).await
}

/// A line of the queue is a server, an item the id of a command.
impl Work for State {
    fn queue(&self) -> &'static Queue {
        &COMMANDS
    }

    fn core(&self) -> &Core {
        &self.kernel.core
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn open_lines<'a>(
        &'a self,
        _: &'a mut Conn,
        servers: Vec<i64>,
        _: i64,
    ) -> BoxFuture<'a, Result<Vec<i64>>> {
        Box::pin(async move { Ok(servers) })
    }

    fn work_on(&self, server_id: i64) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(send_next(self, server_id))
    }
}

/// The next step for a leased command.
enum Ready {
    /// Its audit entry is committed.
    Send(RecordedCommand),
    NotDone(Error),
    /// It is not to be sent any more.
    Settled,
}

/// Sends the next command of a server. Returns the pause before the next one.
async fn send_next(state: &State, server_id: i64) -> Result<Option<Duration>> {
    if state.stop.is_stopping() {
        return Ok(None);
    }
    let Some((lease, id, ready)) = claim(state, server_id).await? else {
        return Ok(None);
    };
    let error = match ready {
        Ready::Settled => return Ok(Some(Duration::ZERO)),
        Ready::NotDone(error) => Some(error),
        Ready::Send(command) => match rcon::send(command).await {
            Outcome::Done(_) => None,
            Outcome::NotDone(error) | Outcome::Unknown(error) => Some(error),
        },
    };
    settle(state, &lease, id, error).await?;
    Ok(Some(PACE))
}

/// Leases the next command of a server, and commits its audit entry.
async fn claim(state: &State, server_id: i64) -> Result<Option<(Lease, i64, Ready)>> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let server = match servers::target(&mut edit, server_id).await {
        Ok(server) => Some(server),
        Err(Error::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    // Every transaction locks a command before its row of the queue.
    let now = queue::now(core);
    let Some(id) = COMMANDS.next_due(&mut edit, server_id, now).await? else {
        return Ok(None);
    };
    let command = store::lock_and_find(&mut edit, id).await?;
    let lease = COMMANDS.lease(&mut edit, server_id, now, 1).await?;
    if lease.items != [id] {
        return Ok(None);
    }
    let ready = match command.filter(|command| command.state == CommandState::Pending) {
        Some(command) => record(state, &mut edit, &command, server).await?,
        None => Err(Ready::Settled),
    };
    let ready = match ready {
        Ok(recorded) => Ready::Send(edit.commit(recorded).await?),
        Err(Ready::Settled) => {
            COMMANDS.remove(&mut edit, server_id, &[id]).await?;
            edit.commit_as_system(&[]).await?;
            Ready::Settled
        }
        Err(other) => {
            edit.commit_as_system(&[]).await?;
            other
        }
    };
    Ok(Some((lease, id, ready)))
}

/// The audit entry of the command, or why it is not sent.
async fn record(
    state: &State,
    edit: &mut Edit,
    command: &BanCommand,
    server: Option<Target<Server>>,
) -> Result<Result<Change<RecordedCommand>, Ready>> {
    let Some(server) = server else {
        return fail(edit, command, DELETED).await;
    };
    let now = edit.core().expiry_now();
    let ban = bans::find(edit, command.ban_id).await?;
    let is_wanted = |ban: &Ban| command.kind == CommandKind::Unmute || ban.is_active(now);
    let Some(ban) = ban.filter(is_wanted) else {
        return fail(edit, command, ENDED).await;
    };
    let commands = find(edit, server.id).await?;
    let template = commands.template(command.kind);
    let template = template.and_then(|text| BanCommandTemplate::parse(text).ok());
    let rendered =
        template.and_then(|template| template.0.render(&values(&ban, server.id, now)).ok());
    let Some(rendered) = rendered else {
        return fail(edit, command, NO_COMMAND).await;
    };
    let line = RconCommand {
        command: CommandLine::rendered(rendered),
    };
    match rcon::record(edit, state.servers.live.settings(), server, line).await {
        Ok(change) => Ok(Ok(change.about_user(ban.subject.user_id))),
        Err(error @ (Error::Rejected { .. } | Error::GameServer { .. })) => {
            Ok(Err(Ready::NotDone(error)))
        }
        Err(error) => Err(error),
    }
}

async fn fail(
    edit: &mut Edit,
    command: &BanCommand,
    why: &str,
) -> Result<Result<Change<RecordedCommand>, Ready>> {
    store::set_state(edit, command.id, CommandState::Failed, Some(why)).await?;
    Ok(Err(Ready::Settled))
}

fn values(ban: &Ban, server_id: i64, now: Timestamp) -> Values {
    let end = ban.expires_at.time();
    Values {
        steam_id: ban.subject.steam_id,
        user_id: ban.subject.user_id.unwrap_or(0),
        server_id,
        seconds: end.map_or(0, |end| (end.unix() - now.unix()).max(0)),
        expires_unix: end.map_or(0, Timestamp::unix),
        ban_id: ban.id,
        ..Values::default()
    }
}

/// Stores the outcome of an attempt, if the lease is still held.
async fn settle(state: &State, lease: &Lease, id: i64, error: Option<Error>) -> Result<()> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let Some(command) = store::lock_and_find(&mut edit, id).await? else {
        return Ok(());
    };
    let now = queue::now(core);
    if COMMANDS.release(&mut edit, lease, &[id], now).await? != [id] {
        return Ok(());
    }
    let message = error.map(|error| error.to_string());
    let state = match message {
        None => CommandState::Sent,
        Some(_) if now - command.queued_at >= PATIENCE_MILLIS => CommandState::Failed,
        Some(_) => CommandState::Pending,
    };
    store::set_state(&mut edit, id, state, message.as_deref()).await?;
    let outcome = match state {
        CommandState::Sent => "sent",
        CommandState::Pending => "retried",
        CommandState::Failed => "failed",
    };
    let labels = [("outcome", outcome)];
    let counter = core.metrics.counter("steward_ban_commands_total", &labels);
    match state {
        CommandState::Pending => {
            let at = now + DELAY_MILLIS;
            COMMANDS.schedule(&mut edit, lease.line(), id, at).await?;
        }
        CommandState::Sent | CommandState::Failed => {
            COMMANDS.remove(&mut edit, lease.line(), &[id]).await?;
        }
    }
    edit.commit_as_system(&[]).await?;
    counter.increment(1);
    Ok(())
}
