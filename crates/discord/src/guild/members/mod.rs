//! The people at Discord who belong to users.
//!
//! A change marks people as due, in its own transaction, and does not say what to do: [`wanted`]
//! works that out when they are [visited](visit). So ten changes become one visit, and a visit can
//! be repeated.

mod sender;
mod store;
mod visit;

use std::collections::{BTreeSet, HashMap};

use accounts::users;
use accounts::users::identities::{self, Provider};
use db::Conn;

pub use self::sender::{once, run};
pub(super) use self::store::{by_ids, lock, next_ids, set_absent, set_owner};
pub use self::store::{count, list};
use super::connection::{LINE, QUEUE, find};
use super::resource::{Mapping, MemberState, Snowflake};
use kernel::Result;
use kernel::queue;
use kernel::types::Timestamp;
use kernel::write::Edit;

/// A person at Discord who belongs to a user, or did until a moment ago.
#[derive(Clone, Debug)]
pub struct Member {
    pub discord_id: Snowflake,
    /// Whom they belonged to at the last visit.
    pub user_id: Option<i64>,
    pub state: MemberState,
    pub error: Option<String>,
    pub attempts: i64,
    /// Counts what made them due.
    pub changes: i64,
    pub synced_at: Option<Timestamp>,
}

/// The roles that a person at Discord should have.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub user_id: Option<i64>,
    /// Those of the pairs that are theirs.
    pub roles: BTreeSet<Snowflake>,
    /// When it changes because a block ends.
    pub until: Option<Timestamp>,
}

/// Marks the profiles of users as due. Does nothing if no server is connected.
pub async fn mark(edit: &mut Edit, user_ids: &[i64]) -> Result<()> {
    let profiles = store::profiles_of(edit, user_ids).await?;
    make_due(edit, profiles).await
}

/// The same for a user who is deleted.
pub async fn mark_deleted(edit: &mut Edit, user_id: i64) -> Result<()> {
    mark(edit, &[user_id]).await?;
    Ok(store::forget_user(edit, user_id).await?)
}

/// The same for those who hold a role that a role at Discord follows.
pub async fn mark_holders(edit: &mut Edit, role_id: i64) -> Result<()> {
    let profiles = store::profiles_of_holders(edit, role_id).await?;
    make_due(edit, profiles).await
}

/// Lets go of the profiles of a user whose data are erased. As long as requests are sent, they are
/// forgotten after their last visit.
pub async fn erase(edit: &mut Edit, user_id: i64) -> Result<()> {
    match find(edit).await? {
        Some(connection) if connection.active => mark(edit, &[user_id]).await,
        Some(_) => {
            let ids = plausible(store::profiles_of(edit, &[user_id]).await?);
            store::delete(edit, &ids).await?;
            QUEUE.remove(edit, LINE, &ids).await
        }
        None => Ok(()),
    }
}

async fn make_due(edit: &mut Edit, profiles: Vec<String>) -> Result<()> {
    let ids = plausible(profiles);
    make_ids_due(edit, &ids).await
}

/// Makes people due now, in the order of their ids.
pub(super) async fn make_ids_due(edit: &mut Edit, ids: &[i64]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    store::mark(edit, ids).await?;
    let now = queue::now(edit.core());
    QUEUE.schedule_all(edit, LINE, ids, now).await
}

/// Visits people once more whose visits fail. Unlike a change of them, it does not make their delays
/// begin anew.
pub(super) async fn retry(edit: &mut Edit, ids: &[i64]) -> Result<()> {
    let now = queue::now(edit.core());
    QUEUE.schedule_all(edit, LINE, ids, now).await
}

/// Adds people who are not known, without making them due.
pub(super) async fn add(edit: &mut Edit, profiles: Vec<String>) -> Result<()> {
    let ids = plausible(profiles);
    Ok(store::insert(edit, &ids).await?)
}

/// The ids among these texts, in order. A social link can be anything.
fn plausible(profiles: Vec<String>) -> Vec<i64> {
    let ids = profiles.iter().filter_map(|text| text.parse().ok());
    let ids: BTreeSet<Snowflake> = ids.collect();
    ids.into_iter().map(|id| id.0).collect()
}

/// Profiles that users sign in with, after this row: the profiles, and the last row.
pub(super) async fn identities_after(
    conn: &mut Conn,
    after: i64,
    limit: i64,
) -> Result<(Vec<String>, Option<i64>)> {
    Ok(store::identities_after(conn, after, limit).await?)
}

/// The same for social links.
pub(super) async fn links_after(
    conn: &mut Conn,
    after: i64,
    limit: i64,
) -> Result<(Vec<String>, Option<i64>)> {
    Ok(store::links_after(conn, after, limit).await?)
}

/// Inserts members of a server that is switched off.
pub async fn load(edit: &mut Edit, members: &[Member]) -> Result<()> {
    Ok(store::load(edit, members).await?)
}

pub(super) async fn delete_all(edit: &mut Edit) -> Result<()> {
    store::delete_all(edit).await?;
    QUEUE.clear_line(edit, LINE).await
}

/// The roles that these people should have now. A profile without a user, verified or linked,
/// should have none.
pub async fn wanted(
    conn: &mut Conn,
    now: Timestamp,
    trust_links: bool,
    pairs: &[Mapping],
    ids: &[Snowflake],
) -> Result<HashMap<Snowflake, Wanted>> {
    let texts: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
    let mut owners = HashMap::new();
    if trust_links {
        owners.extend(users::first_linked(conn, users::DISCORD, &texts).await?);
    }
    // A verified profile comes before one that somebody typed.
    owners.extend(identities::users_of(conn, Provider::Discord, &texts).await?);
    let mut user_ids: Vec<i64> = owners.values().copied().collect();
    user_ids.sort_unstable();
    user_ids.dedup();
    let found = users::with_roles(conn, now, &user_ids).await?;
    let users: HashMap<i64, users::User> = found.into_iter().map(|user| (user.id, user)).collect();
    let wanted = ids.iter().zip(&texts).map(|(id, text)| {
        let user = owners.get(text).and_then(|user_id| users.get(user_id));
        (
            *id,
            user.map_or_else(Wanted::default, |user| wanted_of(user, pairs)),
        )
    });
    Ok(wanted.collect())
}

fn wanted_of(user: &users::User, pairs: &[Mapping]) -> Wanted {
    let mut wanted = Wanted {
        user_id: Some(user.id),
        ..Wanted::default()
    };
    if let Some(block) = &user.block {
        wanted.until = block.until;
        return wanted;
    }
    let is_held = |pair: &&Mapping| user.roles.iter().any(|role| role.id == pair.role_id);
    let held = pairs.iter().filter(is_held);
    wanted.roles = held.map(|pair| pair.discord_role_id).collect();
    wanted
}

/// How the roles that somebody has differ from those they should have. Only roles that follow, and
/// that Discord lets the bot give, are ever added or removed.
pub struct Difference {
    pub add: Vec<Snowflake>,
    pub remove: Vec<Snowflake>,
}

impl Difference {
    pub fn of(wanted: &Wanted, has: &[Snowflake], pairs: &[Mapping]) -> Self {
        let usable = pairs.iter().filter(|pair| pair.problem.is_none());
        let usable: BTreeSet<Snowflake> = usable.map(|pair| pair.discord_role_id).collect();
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        for role in usable {
            match (wanted.roles.contains(&role), has.contains(&role)) {
                (true, false) => add.push(role),
                (false, true) => remove.push(role),
                (true, true) | (false, false) => {}
            }
        }
        Self { add, remove }
    }

    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }
}
