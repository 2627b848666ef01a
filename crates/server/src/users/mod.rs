//! Users: the members of the community.

mod blocks;
pub mod body;
mod bulk;
pub mod devices;
mod erasure;
mod expired_blocks;
pub mod http;
mod included;
mod input;
mod listing;
mod load;
mod lookup;
mod parts;
mod search;
pub mod sign_in;
mod social;
mod steam_id;
mod store;

use db::Conn;
use serde::Serialize;

use crate::operators::{self, Act};
use crate::{console, roles, sessions};
use kernel::input::{Faults, Ids, Partial, Patch, TAKEN};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::write::{Change, Edit, Resource, Target, serialised};
use kernel::{Error, ErrorCode, Result};

pub use self::blocks::{Block, PastBlock};
pub use self::erasure::mask_audit_log;
pub use self::expired_blocks::clear_expired_blocks;
use self::input::UserRoles;
pub use self::input::{
    ACTIVE, BLOCKED, Email, NewDevice, NewUser, Password, UserChanges, Username,
};
pub use self::listing::{Listed, UserFilters, UserKey, count, list, list_and_count};
pub use self::load::{Member, first_id, load};
pub use self::search::Searches;
pub use self::social::SocialLink;

#[derive(Clone, Debug, Serialize)]
pub struct User {
    pub id: i64,
    pub username: String,
    pub email: String,
    /// At the moment of reading: a user with an expired block is active.
    pub status: String,
    pub block: Option<Block>,
    pub roles: Vec<HeldRole>,
    /// Counts the changes of links and devices, so that the entity tag changes with them.
    #[serde(skip)]
    pub part_changes: i64,
    #[serde(skip)]
    pub password_hash: Secret<String>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Resource for User {
    const PLURAL: &'static str = "users";
    const SINGULAR: &'static str = "user";
    const SECRETS: &'static [&'static str] = &["password"];

    fn id(&self) -> i64 {
        self.id
    }

    fn state(&self) -> Vec<u8> {
        let Self {
            id,
            username,
            email,
            status,
            block,
            roles,
            part_changes,
            password_hash,
            created_at: _,
            updated_at: _,
        } = self;
        // The end tells two passwords apart. It is no help in guessing one: that takes the salt.
        let hash = password_hash.reveal();
        let password = hash.get(hash.len().saturating_sub(12)..);
        let visible = (id, username, email, status, block, roles, part_changes);
        serialised(&(visible, password))
    }
}

/// The fields of a role that a user shows.
#[derive(Clone, Debug, Serialize)]
pub struct HeldRole {
    pub id: i64,
    pub name: String,
    pub description: String,
}

impl From<roles::Role> for HeldRole {
    fn from(role: roles::Role) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
        }
    }
}

/// The fields of a user that other slices show.
#[derive(Clone, Debug)]
pub struct Brief {
    pub id: i64,
    pub username: String,
    pub email: String,
}

/// A user who cannot be deleted until the end of the transaction.
pub async fn held(edit: &mut Edit, id: i64) -> Result<Option<Brief>> {
    Ok(store::brief_and_lock(edit, id).await?)
}

pub async fn brief(conn: &mut Conn, id: i64) -> Result<Option<Brief>> {
    Ok(store::brief(conn, id).await?)
}

/// The ids of a user's roles, in order.
pub async fn role_ids(conn: &mut Conn, id: i64) -> Result<Vec<i64>> {
    Ok(store::role_ids(conn, id).await?)
}

/// A user with their roles, without links and devices.
pub async fn get(conn: &mut Conn, now: Timestamp, id: i64) -> Result<User> {
    let user = store::find(conn, now, id).await?;
    user.ok_or(Error::NotFound(User::SINGULAR))
}

/// Fails with 404 if there is no such user.
pub async fn require(conn: &mut Conn, id: i64) -> Result<()> {
    let user = store::brief(conn, id).await?;
    user.map(|_| ()).ok_or(Error::NotFound(User::SINGULAR))
}

async fn held_roles(conn: &mut Conn, ids: &[i64]) -> Result<Vec<HeldRole>> {
    let held = roles::by_ids(conn, ids).await?;
    Ok(held.into_iter().map(HeldRole::from).collect())
}

/// The user to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<User>> {
    store::lock(edit, id).await?;
    let now = edit.core().expiry_now();
    let user = store::find(edit, now, id).await?;
    edit.target(user)
}

/// The same for a change of what leads to the access of an operator. The functions that make such
/// changes refuse a caller who has fewer permissions than the operator.
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
    let mut faults = taken(edit, 0, &user.username, &user.email).await?;
    faults.gather(roles::require(edit, "role_ids", &role_ids).await)?;
    faults.check()?;
    user.id = store::insert(edit, &user)
        .await
        .map_err(taken_concurrently)?;
    store::replace_roles(edit, user.id, role_ids.as_slice()).await?;
    user.roles = held_roles(edit, role_ids.as_slice()).await?;
    Ok(Change::created(user))
}

/// The faults of a user to create that need the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewUser>) -> Result<Faults> {
    let username = new.username.map_or_else(String::new, Username::into_string);
    let email = new.email.map_or_else(String::new, Email::into_string);
    let mut faults = taken(conn, 0, &username, &email).await?;
    if let Some(Some(role_ids)) = new.role_ids {
        roles::check(conn, "role_ids", &role_ids, &mut faults).await?;
    }
    Ok(faults)
}

/// The faults of changes to a user that need the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<UserChanges>,
) -> Result<Faults> {
    let username = changes.username.and_then(Patch::given);
    let username = username.map_or_else(String::new, Username::into_string);
    let email = changes.email.and_then(Patch::given);
    let email = email.map_or_else(String::new, Email::into_string);
    taken(conn, id, &username, &email).await
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
    let changes_access =
        has_new_password || !matches!(email, Patch::Keep) || !matches!(status, Patch::Keep);
    let is_operator =
        changes_access && operators::require_covered(edit, &[before.id], Act::TakesOver).await?;
    let mut user = User {
        username: username.or(&before.username).into_string(),
        email: email.or(&before.email).into_string(),
        password_hash: password_hash.unwrap_or_else(|| before.password_hash.clone()),
        ..before.clone()
    };
    taken(edit, user.id, &user.username, &user.email)
        .await?
        .check()?;
    match status {
        Patch::Set(status) if status.as_str() == BLOCKED => {
            blocks::impose(edit, &mut user, Block::default()).await?;
        }
        Patch::Set(status) => blocks::lift(edit, &mut user, status.as_str()).await?,
        Patch::Keep => {}
    }
    save(edit, &before, &mut user).await?;
    let change = Change::updated("update", &before, user);
    Ok(if has_new_password {
        // A session that was opened with the old password ends.
        sessions::end_all_of(edit, before.id).await?;
        if is_operator {
            console::end_all_of(edit, before.id).await?;
        }
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
    store::replace_roles(edit, before.id, role_ids.as_slice()).await?;
    let mut user = User {
        roles: held_roles(edit, role_ids.as_slice()).await?,
        ..before.clone()
    };
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("roles", &before, user))
}

/// The faults of new roles of a user that need the database.
pub async fn check_roles(conn: &mut Conn, roles: Partial<UserRoles>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(role_ids) = roles.role_ids {
        roles::check(conn, "role_ids", &role_ids, &mut faults).await?;
    }
    Ok(faults)
}

/// Deletes a user with roles, blocks, links, devices and sessions. A user with invoices is refused,
/// and can be erased instead.
pub async fn delete(edit: &mut Edit, user: Target<User>) -> Result<Change<User>> {
    operators::require_covered(edit, &[user.id], Act::Excludes).await?;
    let links = social::list(edit, user.id).await?;
    let devices = devices::list(edit, user.id).await?;
    store::delete(edit, user.id).await.map_err(invoiced)?;
    let change = Change::deleted(user).with_deleted_part("social_networks", &links);
    Ok(change.with_deleted_part("devices", &devices))
}

fn invoiced(error: db::Error) -> Error {
    match &error {
        db::Error::ForeignKey(name) if name == "payment_invoices_user_id_fkey" => Error::Conflict {
            code: ErrorCode::UserHasInvoices,
            message: "This user has invoices. Erase the user instead: \
                      POST /api/users/{id}/erase keeps the invoices.",
        },
        _ => error.into(),
    }
}

async fn save(edit: &mut Edit, before: &Target<User>, user: &mut User) -> Result<()> {
    user.updated_at = edit.updated_at(&**before, user, before.updated_at);
    store::update(edit, user).await.map_err(taken_concurrently)
}

/// Counts a change of the user's links or devices.
async fn count_part_change(edit: &mut Edit, user: &mut User) -> Result<()> {
    store::count_part_change(edit, user.id).await?;
    user.part_changes += 1;
    Ok(())
}

/// Which of the two another user has already. An empty one is not looked for: no user has it.
async fn taken(conn: &mut Conn, id: i64, username: &str, email: &str) -> Result<Faults> {
    let (username, email) = (fold(username), fold(email));
    let (username, email) = store::taken(conn, id, &username, &email).await?;
    let mut faults = Faults::default();
    for (field, taken) in [("username", username), ("email", email)] {
        if taken {
            faults.at(field).add(TAKEN);
        }
    }
    Ok(faults)
}

/// A concurrent request took the name or address. The database names only the first violation.
fn taken_concurrently(error: db::Error) -> Error {
    let field = match &error {
        db::Error::Unique(name) if name == "users_username_folded_key" => "username",
        db::Error::Unique(name) if name == "users_email_folded_key" => "email",
        _ => return error.into(),
    };
    Faults::one(field, TAKEN).into()
}
