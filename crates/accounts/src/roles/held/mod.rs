//! The roles that users hold, each from a time until its end or without one, and the history of
//! them.
//!
//! Every change needs the lock of the users, then of the roles. Deleting a role locks only the role,
//! which excludes all other changes of it.

mod store;

use db::Conn;
use serde::Serialize;

pub use self::store::{count_history, expired_users, find, list, load, set_end};
use super::store::lock_shared;
use super::{Color, Role};
use kernel::Result;
use kernel::list::Window;
use kernel::types::{Expiry, Timestamp};
use kernel::write::audit::{Entry, Side};
use kernel::write::{Edit, Fact};

/// A role that a user holds.
#[derive(Clone, Debug)]
pub struct UserRole {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub color: Color,
    pub granted_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// The origin of a user's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Api,
    Grant(i64),
    Import,
}

impl Source {
    pub fn kind(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Grant(_) => "grant",
            Self::Import => "import",
        }
    }

    /// The id of the grant.
    pub fn id(self) -> Option<i64> {
        match self {
            Self::Grant(id) => Some(id),
            Self::Api | Self::Import => None,
        }
    }

    fn from_stored(kind: &str, id: Option<i64>) -> Self {
        match (kind, id) {
            ("grant", Some(id)) => Self::Grant(id),
            ("import", _) => Self::Import,
            _ => Self::Api,
        }
    }
}

/// The terms on which roles are given.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub granted_at: Timestamp,
    pub expiry: Expiry,
    pub source: Source,
}

impl Given {
    /// Given by a request, without an end.
    pub fn for_good(now: Timestamp) -> Self {
        Self {
            granted_at: now,
            expiry: Expiry::NEVER,
            source: Source::Api,
        }
    }
}

/// One time that a user held a role, or holds it.
#[derive(Clone, Debug)]
pub struct PastRole {
    pub id: i64,
    pub role_id: i64,
    pub role_name: String,
    pub granted_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub ended_by: Option<String>,
    pub source: Source,
}

const REMOVED: &str = "removed";
const EXPIRED: &str = "expired";
const ROLE_DELETED: &str = "role_deleted";

/// The fields of a user's role in the audit log.
#[derive(Debug, Serialize)]
pub struct RoleFields {
    pub role_id: i64,
    pub role_name: String,
    pub expires_at: Option<Timestamp>,
}

/// Roles that have expired and are not ended yet.
enum Expired<'a> {
    OfUsers(&'a [i64]),
    OfRole(i64),
}

/// A role of a user that has expired.
struct ExpiredRole {
    user_id: i64,
    role: RoleFields,
}

impl ExpiredRole {
    fn entry(&self) -> Entry {
        Entry {
            action: "users.role_expired".to_owned(),
            resource: "users",
            resource_id: self.user_id,
            about_user_id: Some(self.user_id),
            before: Side::of(&self.role),
            after: Side::empty(),
        }
    }
}

/// Gives roles to users, except those that they hold. None of them may be expired.
pub async fn give(edit: &mut Edit, user_ids: &[i64], role_ids: &[i64], given: Given) -> Result<()> {
    if role_ids.is_empty() {
        return Ok(());
    }
    store::give(edit, user_ids, role_ids, given).await?;
    edit.tell(Fact::UsersChanged { user_ids }).await
}

/// Gives one role to one user, both of whom exist.
pub async fn give_one(edit: &mut Edit, user_id: i64, role: &Role, given: Given) -> Result<()> {
    store::give_one(edit, user_id, role, given).await?;
    edit.tell(Fact::UsersChanged {
        user_ids: &[user_id],
    })
    .await
}

/// Takes roles away from users, as far as they hold them. None of them may be expired.
pub async fn remove(edit: &mut Edit, user_ids: &[i64], role_ids: &[i64]) -> Result<()> {
    if role_ids.is_empty() {
        return Ok(());
    }
    let pairs = |user_id: &i64| {
        let user_id = *user_id;
        role_ids.iter().map(move |role_id| (user_id, *role_id))
    };
    let ended: Vec<(i64, i64)> = user_ids.iter().flat_map(pairs).collect();
    // Told first: deleting a role, too, locks what follows before the roles that users hold.
    edit.tell(Fact::RolesEnded { ended: &ended }).await?;
    // Not the start of the transaction, which may have waited for one that gave the role.
    let now = edit.core().expiry_now();
    Ok(store::remove(edit, user_ids, role_ids, now, REMOVED).await?)
}

/// Takes a role that is about to be deleted away from everyone.
pub(super) async fn end_all_of(edit: &mut Edit, role_id: i64) -> Result<()> {
    let now = edit.core().expiry_now();
    let expired = end(edit, now, &Expired::OfRole(role_id)).await?;
    edit.record_as_system(&expired).await?;
    Ok(store::remove_all_of(edit, role_id, now, ROLE_DELETED).await?)
}

/// Ends the expired roles of locked users. Returns the audit entries, one for each end.
pub async fn end_expired(edit: &mut Edit, now: Timestamp, user_ids: &[i64]) -> Result<Vec<Entry>> {
    end(edit, now, &Expired::OfUsers(user_ids)).await
}

async fn end(edit: &mut Edit, now: Timestamp, which: &Expired<'_>) -> Result<Vec<Entry>> {
    let mut expired = store::expired(edit, now, which).await?;
    if expired.is_empty() {
        return Ok(Vec::new());
    }
    if let Expired::OfUsers(_) = which {
        let roles: Vec<i64> = expired.iter().map(|ended| ended.role.role_id).collect();
        lock_shared(edit, &roles).await?;
        // A role may have been deleted before it was locked.
        expired = store::expired(edit, now, which).await?;
    }
    store::end_expired(edit, now, which, EXPIRED).await?;
    if let Expired::OfUsers(_) = which {
        let ended = expired
            .iter()
            .map(|ended| (ended.user_id, ended.role.role_id));
        let ended: Vec<(i64, i64)> = ended.collect();
        edit.tell(Fact::RolesEnded { ended: &ended }).await?;
    }
    Ok(expired.iter().map(ExpiredRole::entry).collect())
}

/// The history of a user's roles, newest first. A role that is not ended yet ended when it expired.
pub async fn history(
    conn: &mut Conn,
    now: Timestamp,
    user_id: i64,
    window: Window,
) -> Result<Vec<PastRole>> {
    let mut found = store::history(conn, user_id, window).await?;
    for past in &mut found {
        let has_expired = Expiry::at(past.expires_at).has_passed(now);
        if past.ended_at.is_none() && has_expired {
            past.ended_at = past.expires_at;
            past.ended_by = Some(EXPIRED.to_owned());
        }
    }
    Ok(found)
}

impl From<(&Role, Option<Timestamp>)> for RoleFields {
    fn from((role, expires_at): (&Role, Option<Timestamp>)) -> Self {
        Self {
            role_id: role.id,
            role_name: role.name.clone(),
            expires_at,
        }
    }
}
