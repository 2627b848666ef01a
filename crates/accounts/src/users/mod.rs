//! Users: the members of the community.

mod blocks;
pub mod body;
mod bulk;
pub mod devices;
mod erasure;
mod held_roles;
pub mod http;
pub mod identities;
pub mod imported;
mod included;
mod input;
mod listing;
mod load;
mod lookup;
mod resource;
mod save;
mod search;
pub mod sign_in;
mod social;
mod store;

use std::sync::Arc;

use db::Conn;

use crate::operators::{self, Act};
use crate::passwords::Passwords;
use crate::roles::{
    self,
    held::{self, Given},
};
use kernel::auth::console;
use kernel::input::{Faults, Ids, Partial, Patch, taken};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::write::{Change, Edit, Fact, Resource, Target};
use kernel::{Error, ErrorCode, Kernel, Result};
use platform::audit::events::Events;

pub use self::blocks::{Block, PastBlock, clear_expired_blocks};
pub use self::devices::NewDevice;
pub use self::erasure::mask_audit_log;
pub use self::held_roles::{
    Extension, end_expired_roles, extend_role, give_role, set_role_end, take_role,
};
pub use self::included::http::{HeldRoleItem, role_items};
use self::input::UserRoles;
pub use self::input::{ACTIVE, BLOCKED, Email, NewUser, UserChanges, Username};
pub use self::listing::{UserFilters, count, list};
pub use self::load::{Member, first_id, load};
pub use self::lookup::{by_steam_id, first_linked, users as with_roles};
pub use self::resource::{Brief, HeldRole, Listed, User};
use self::save::save;
pub use self::search::Searches;
pub use self::social::{
    DISCORD, ProfileUrl, SocialLink, add_verified as add_verified_link, canonical,
    list as social_links,
};
use self::store::{EMAIL, UNIQUE, USERNAME};
pub use self::store::{brief, held, role_ids};

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub passwords: Arc<Passwords>,
    pub searches: Arc<Searches>,
    pub events: Events,
}

/// A user with their roles, without links and devices.
pub async fn get(conn: &mut Conn, now: Timestamp, id: i64) -> Result<User> {
    let user = store::find(conn, now, id).await?;
    user.ok_or(Error::NotFound(User::SINGULAR))
}

/// Fails with 404 if there is no such user.
pub async fn require(conn: &mut Conn, id: i64) -> Result<()> {
    let user = brief(conn, id).await?;
    user.map(|_| ()).ok_or(Error::NotFound(User::SINGULAR))
}

/// The user to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<User>> {
    let user = locked(edit, id).await?;
    edit.target(user)
}

/// A user, locked until the end of the transaction, whose expired roles have been ended.
pub async fn locked(edit: &mut Edit, id: i64) -> Result<Option<User>> {
    store::lock(edit, id).await?;
    let now = edit.core().expiry_now();
    let Some((user, has_expired)) = store::find_to_change(edit, now, id).await? else {
        return Ok(None);
    };
    if has_expired {
        let entries = held::end_expired(edit, now, &[id]).await?;
        edit.record_as_system(&entries).await?;
    }
    Ok(Some(user))
}

/// Like [`target`], for a change that affects an operator's access. Such changes refuse a caller
/// who has fewer permissions than the operator.
pub async fn access_target(edit: &mut Edit, id: i64) -> Result<Target<User>> {
    operators::lock_if_operators(edit, &[id]).await?;
    target(edit, id).await
}

pub async fn create(
    edit: &mut Edit,
    new: NewUser,
    password_hash: Secret<String>,
) -> Result<Change<User>> {
    let NewUser {
        username,
        email,
        password: _,
        role_ids,
    } = new;
    let role_ids = role_ids.unwrap_or_default();
    let mut user = User {
        id: 0,
        username: username.into_string(),
        email: email.into_string(),
        status: ACTIVE.into(),
        block: None,
        roles: Vec::new(),
        part_changes: 0,
        password_hash,
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    let mut faults = check_unique(edit, 0, Some(&user.username), Some(&user.email)).await?;
    faults.gather(roles::require(edit, "role_ids", &role_ids).await)?;
    faults.check()?;
    user.id = store::insert(edit, &user).await.map_err(taken(UNIQUE))?;
    give_roles(edit, &mut user, role_ids.as_slice()).await?;
    Ok(Change::created(user))
}

/// Checks a user to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewUser>) -> Result<Faults> {
    let username = new.username.map(Username::into_string);
    let email = new.email.map(Email::into_string);
    let mut faults = check_unique(conn, 0, username.as_deref(), email.as_deref()).await?;
    if let Some(Some(role_ids)) = new.role_ids {
        roles::check(conn, "role_ids", &role_ids, &mut faults).await?;
    }
    Ok(faults)
}

/// Checks changes to a user against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<UserChanges>,
) -> Result<Faults> {
    let username = changes.username.and_then(Patch::given);
    let username = username.map(Username::into_string);
    let email = changes.email.and_then(Patch::given);
    let email = email.map(Email::into_string);
    check_unique(conn, id, username.as_deref(), email.as_deref()).await
}

pub async fn update(
    edit: &mut Edit,
    before: Target<User>,
    changes: UserChanges,
    password_hash: Option<Secret<String>>,
) -> Result<Change<User>> {
    let UserChanges {
        username,
        email,
        password: _,
        status,
    } = changes;
    let has_new_password = password_hash.is_some();
    // Name and address are logins.
    let changes_access = has_new_password
        || !matches!(username, Patch::Keep)
        || !matches!(email, Patch::Keep)
        || !matches!(status, Patch::Keep);
    let is_operator =
        changes_access && operators::require_covered(edit, &[before.id], Act::TakesOver).await?;
    let mut user = User {
        username: username.or(&before.username).into_string(),
        email: email.or(&before.email).into_string(),
        password_hash: password_hash.unwrap_or_else(|| before.password_hash.clone()),
        ..before.clone()
    };
    let username = Some(&*user.username).filter(|new| *new != before.username);
    let email = Some(&*user.email).filter(|new| *new != before.email);
    let faults = check_unique(edit, user.id, username, email).await?;
    faults.check()?;
    match status {
        Patch::Set(status) if status.as_str() == BLOCKED => {
            blocks::impose(edit, &mut user, Block::default()).await?;
        }
        Patch::Set(status) => blocks::lift(edit, &mut user, status.as_str()).await?,
        Patch::Keep => {}
    }
    save(edit, &before, &mut user).await?;
    // Another password or status ends all console sessions.
    if is_operator && (has_new_password || user.status != ACTIVE) {
        console::end_of(edit, before.id, None).await?;
    }
    let change = Change::updated("update", &before, user);
    Ok(if has_new_password {
        // The new password ends all sessions opened with the old one.
        devices::sign_out_all(edit, before.id).await?;
        change.with_new_secret("password")
    } else {
        change
    })
}

pub async fn set_roles(
    edit: &mut Edit,
    before: Target<User>,
    role_ids: Ids,
) -> Result<Change<User>> {
    roles::require(edit, "role_ids", &role_ids).await?;
    let mut user = before.clone();
    let (kept, removed): (Vec<HeldRole>, Vec<HeldRole>) = user
        .roles
        .into_iter()
        .partition(|role| role_ids.as_slice().contains(&role.id));
    let removed: Vec<i64> = removed.iter().map(|role| role.id).collect();
    held::remove(edit, &[user.id], &removed).await?;
    let is_kept = |id: &i64| kept.iter().any(|role| role.id == *id);
    let added = role_ids.as_slice().iter().filter(|id| !is_kept(id));
    let added: Vec<i64> = added.copied().collect();
    user.roles = kept;
    give_roles(edit, &mut user, &added).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("roles", &before, user))
}

/// Gives roles without an end that the user does not hold.
async fn give_roles(edit: &mut Edit, user: &mut User, role_ids: &[i64]) -> Result<()> {
    let given = Given::for_good(edit.core().expiry_now());
    held::give(edit, &[user.id], role_ids, given).await?;
    let given = roles::by_ids(edit, role_ids).await?;
    user.roles.extend(given.into_iter().map(HeldRole::from));
    user.roles.sort_unstable_by_key(|role| role.id);
    Ok(())
}

/// Checks new roles of a user against the database.
pub async fn check_roles(conn: &mut Conn, roles: Partial<UserRoles>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(role_ids) = roles.role_ids {
        roles::check(conn, "role_ids", &role_ids, &mut faults).await?;
    }
    Ok(faults)
}

/// Deletes a user with roles, blocks, links, devices and sessions. Refuses a user with invoices,
/// who can be erased instead.
pub async fn delete(edit: &mut Edit, user: Target<User>) -> Result<Change<User>> {
    operators::require_covered(edit, &[user.id], Act::Excludes).await?;
    let links = social::list(edit, user.id).await?;
    let devices = devices::list(edit, user.id).await?;
    edit.tell(Fact::UserDeleted { user_id: user.id }).await?;
    store::delete(edit, user.id).await.map_err(invoiced)?;
    let change = Change::deleted(user).with_deleted_part("social_networks", &links);
    Ok(change.with_deleted_part("devices", &devices))
}

fn invoiced(error: db::Error) -> Error {
    match &error {
        db::Error::ForeignKey(name) if name == "grants_user_id_fkey" => Error::Conflict {
            code: ErrorCode::UserHasGrants,
            message: "This user was given products. Erase the user instead: \
                      POST /api/users/{id}/erase keeps the grants.",
        },
        db::Error::ForeignKey(name) if name.starts_with("payment_invoices_") => Error::Conflict {
            code: ErrorCode::UserHasInvoices,
            message: "This user has invoices. Erase the user instead: \
                      POST /api/users/{id}/erase keeps the invoices.",
        },
        _ => error.into(),
    }
}

/// Faults for the name and the address that another user has already.
async fn check_unique(
    conn: &mut Conn,
    id: i64,
    username: Option<&str>,
    email: Option<&str>,
) -> Result<Faults> {
    let mut faults = USERNAME.check(conn, id, username.map(fold)).await?;
    faults.extend(EMAIL.check(conn, id, email.map(fold)).await?);
    Ok(faults)
}
