//! Roles: named sets of permissions that users and navigation items refer to.

pub mod held;
pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::input::{Color, Include};
pub use self::store::{by_ids, count, existing_ids, list, load, lock_shared, members};
use kernel::auth::permission::PermissionSet;
use kernel::input::{Faults, Ids, Line, Patch, Referent, Text};
use kernel::write::{Change, Edit, Fact, Resource, Target};
use kernel::{Error, Result};

#[derive(Clone, Debug, Serialize)]
pub struct Role {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub color: Color,
    pub permissions: PermissionSet,
}

impl Resource for Role {
    const PLURAL: &'static str = "roles";
    const SINGULAR: &'static str = "role";

    fn id(&self) -> i64 {
        self.id
    }
}

kernel::input! {
    /// A role to create.
    pub struct NewRole {
        name: Line<1, 100>,
        description: Option<Text<0, 1000>>,
        /// The colour that the role is shown in; `#808080` by default.
        color: Option<Color>,
    }
}

kernel::input! {
    /// Changes to a role. Absent fields keep their value.
    pub struct RoleChanges {
        name: Patch<Line<1, 100>>,
        description: Patch<Text<0, 1000>>,
        /// The colour that the role is shown in.
        color: Patch<Color>,
    }
}

kernel::input! {
    /// The new permissions of a role.
    pub struct RolePermissions {
        /// Ids from the catalogue of permissions. They replace the previous list.
        permission_ids: PermissionSet,
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Role> {
    let role = store::find(conn, id).await?;
    role.ok_or(Error::NotFound(Role::SINGULAR))
}

/// The role to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Role>> {
    store::lock(edit, id).await?;
    let role = store::find(edit, id).await?;
    edit.target(role)
}

/// A role that cannot be deleted until the end of the transaction.
pub async fn hold(edit: &mut Edit, id: i64) -> Result<Role> {
    lock_shared(edit, &[id]).await?;
    get(edit, id).await
}

/// Like [`hold`], without permissions; `None` if there is no such role.
pub async fn find_and_hold(edit: &mut Edit, id: i64) -> Result<Option<Role>> {
    Ok(store::find_and_lock(edit, id).await?)
}

/// Requires a role for each of `ids`, and locks them against deletion until the end of the
/// transaction. Input errors are reported for `field`.
pub async fn require(edit: &mut Edit, field: &str, ids: &Ids) -> Result<()> {
    lock_shared(edit, ids.as_slice()).await?;
    let mut faults = Faults::default();
    check(edit, field, ids, &mut faults).await?;
    faults.check()
}

/// Adds a fault at `field` for every id that is not a role's.
pub async fn check(conn: &mut Conn, field: &str, ids: &Ids, faults: &mut Faults) -> Result<()> {
    let known = existing_ids(conn, ids.as_slice()).await?;
    ids.check_known(known, field, Referent::Role, faults);
    Ok(())
}

pub async fn create(edit: &mut Edit, new: NewRole) -> Result<Change<Role>> {
    let NewRole {
        name,
        description,
        color,
    } = new;
    let mut role = Role {
        id: 0,
        name: name.into_string(),
        description: description.unwrap_or_default().into_string(),
        color: color.unwrap_or_default(),
        permissions: PermissionSet::default(),
    };
    role.id = store::insert(edit, &role).await?;
    Ok(Change::created(role))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Role>,
    changes: RoleChanges,
) -> Result<Change<Role>> {
    let RoleChanges {
        name,
        description,
        color,
    } = changes;
    let role = Role {
        name: name.or(&before.name).into_string(),
        description: description.or(&before.description).into_string(),
        color: color.or(before.color.clone()),
        ..before.clone()
    };
    store::update(edit, &role).await?;
    Ok(Change::updated("update", &before, role))
}

pub async fn set_permissions(
    edit: &mut Edit,
    before: Target<Role>,
    permissions: PermissionSet,
) -> Result<Change<Role>> {
    store::replace_permissions(edit, before.id, permissions).await?;
    let role = Role {
        permissions,
        ..before.clone()
    };
    Ok(Change::updated("permissions", &before, role))
}

pub async fn delete(edit: &mut Edit, role: Target<Role>) -> Result<Change<Role>> {
    let role_id = role.id;
    edit.tell(Fact::RoleDeleted { role_id }).await?;
    held::end_all_of(edit, role_id).await?;
    store::delete(edit, role.id).await?;
    Ok(Change::deleted(role))
}
