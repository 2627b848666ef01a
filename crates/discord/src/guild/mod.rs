//! The connection to a server at Discord, on which roles of members follow the roles of users.
//!
//! One way only: what Steward says of a role decides. A member should have a role at Discord exactly
//! if their user holds a role that it [follows](mappings) and is not blocked. [`members`] knows who
//! is due for a visit and makes it, [`repair`] finds those who differ for another reason, [`check`]
//! finds out what is wrong, and [`api`] sends the requests.

mod api;
pub mod check;
mod connection;
pub mod http;
mod input;
pub mod mappings;
pub mod members;
pub mod repair;
mod resource;
mod store;

use db::{AdvisoryLock, Conn};
use futures_util::future::BoxFuture;

pub use self::api::{MAX_CONCURRENT, Settings};
use self::connection::{CONTEXT, begin_repair};
pub use self::connection::{
    NOT_CONNECTED, State, connected, find, forget_token, get, reseal, target,
};
pub use self::input::{
    BotToken, DiscordChanges, DiscordMemberFilters, DiscordRepair, DiscordRoleChanges, Mappings,
};
pub use self::resource::{
    Connection, ConnectionState, MemberState, Problem, Repair, RepairStep, Snowflake,
};
use kernel::input::{Faults, Partial, Patch};
use kernel::secret::Secret;
use kernel::write::{Change, Edit, Fact, Target};
use kernel::{Error, Result};

/// Connects a server, or changes the connection.
pub async fn put(
    edit: &mut Edit,
    changes: impl FnOnce() -> Result<DiscordChanges>,
) -> Result<Change<Connection>> {
    // There may be no row to lock.
    edit.lock_advisory(AdvisoryLock::Discord).await?;
    let before = match store::lock_and_find(edit).await? {
        Some(found) => Some(edit.target(Some(found))?),
        None => {
            edit.require_absent()?;
            None
        }
    };
    let DiscordChanges {
        guild_id,
        bot_token,
        active,
        trust_links,
    } = changes()?;
    let (guild_id, bot_token) = (guild_id.given(), bot_token.given());
    missing(before.as_deref(), guild_id, bot_token.is_some()).check()?;
    let has_token = bot_token.is_some();
    let sealed = match bot_token {
        Some(BotToken(token)) => {
            let sealed = edit.seal(CONTEXT, token.reveal().as_bytes()).await?;
            Some(Secret::new(sealed))
        }
        None => None,
    };
    let Some(before) = before else {
        let (Some(guild_id), Some(bot_token)) = (guild_id, sealed) else {
            return Err(Error::internal("a checked field is missing"));
        };
        let connection = Connection {
            guild_id,
            bot_token,
            active: active.or(true),
            trust_links: trust_links.or(false),
            problem: None,
            checked_at: None,
            repair: None,
        };
        let connection = begin_repair(edit, connection).await?;
        return Ok(Change::created(connection));
    };
    let guild_id = guild_id.unwrap_or(before.guild_id);
    if guild_id != before.guild_id {
        members::delete_all(edit).await?;
        mappings::delete_all(edit).await?;
    }
    let is_checked = guild_id == before.guild_id && !has_token;
    let connection = Connection {
        checked_at: before.checked_at.filter(|_| is_checked),
        guild_id,
        bot_token: sealed.unwrap_or_else(|| before.bot_token.clone()),
        active: active.or(before.active),
        trust_links: trust_links.or(before.trust_links),
        problem: None,
        ..before.clone()
    };
    // An empty body changes nothing.
    let is_same = connection.guild_id == before.guild_id
        && connection.active == before.active
        && connection.trust_links == before.trust_links
        && !has_token;
    if !connection.is_same_bot(&before) {
        // Discord asked the former one to pause.
        store::pause(edit, 0).await?;
    }
    let connection = match is_same {
        true => before.clone(),
        // Everybody is compared with it.
        false => begin_repair(edit, connection).await?,
    };
    let change = Change::updated("update", &before, connection);
    Ok(match has_token {
        true => change.with_new_secret("bot_token"),
        false => change,
    })
}

/// The fields that a change of the connection lacks.
fn missing(before: Option<&Connection>, guild_id: Option<Snowflake>, has_token: bool) -> Faults {
    match before {
        None => input::required(guild_id.is_some(), has_token),
        // The token would be sent for a server that nobody has named with it.
        Some(before) => {
            let is_other = guild_id.is_some_and(|guild_id| guild_id != before.guild_id);
            let is_lost = before.bot_token.reveal().is_empty();
            input::required(true, has_token || !(is_other || is_lost))
        }
    }
}

/// Checks a change of the connection against the database.
pub async fn check_changes(conn: &mut Conn, changes: Partial<DiscordChanges>) -> Result<Faults> {
    let before = find(conn).await?;
    // A field that cannot be read is not missing.
    let has_token = !matches!(changes.bot_token, Some(Patch::Keep));
    match (changes.guild_id, &before) {
        (None, None) => Ok(input::required(true, has_token)),
        (guild_id, _) => {
            let guild_id = guild_id.and_then(Patch::given);
            Ok(missing(before.as_ref(), guild_id, has_token))
        }
    }
}

/// Disconnects the server. Roles at Discord stay as they are.
pub async fn delete(edit: &mut Edit, before: Target<Connection>) -> Result<Change<Connection>> {
    members::delete_all(edit).await?;
    mappings::delete_all(edit).await?;
    store::delete(edit).await?;
    Ok(Change::deleted(before))
}

/// Follows changes of users that concern members of the server.
pub fn follow<'a>(edit: &'a mut Edit, fact: Fact<'a>) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        match fact {
            Fact::UsersChanged { user_ids } => members::mark(edit, user_ids).await,
            Fact::RolesEnded { ended } => {
                let user_ids: Vec<i64> = ended.iter().map(|(user_id, _)| *user_id).collect();
                members::mark(edit, &user_ids).await
            }
            Fact::RoleDeleted { role_id } => members::mark_holders(edit, role_id).await,
            Fact::UserDeleted { user_id } => members::mark_deleted(edit, user_id).await,
            Fact::UserErased { user_id } => members::erase(edit, user_id).await,
            Fact::RoleEndSet { .. } | Fact::ServerDeleted { .. } => Ok(()),
        }
    })
}
