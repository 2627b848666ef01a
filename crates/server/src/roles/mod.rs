//! Roles: named sets of permissions that users and navigation items refer to.

pub mod http;
mod store;

use db::Conn;
use serde::Serialize;

use kernel::auth::permission::PermissionSet;
use kernel::input::{Faults, Ids, Patch, Place, Raw, Rule, Text, text_that};
use kernel::list::Window;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, inline_schema, input};

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

input! {
    /// A role to create.
    pub struct NewRole {
        name: Text<1, 100>,
        description: Option<Text<0, 1000>>,
        /// How the role is shown; `#808080` unless given.
        color: Option<Color>,
    }
}

input! {
    /// What to change about a role. What is absent keeps its value.
    pub struct RoleChanges {
        name: Patch<Text<1, 100>>,
        description: Patch<Text<0, 1000>>,
        /// How the role is shown.
        color: Patch<Color>,
    }
}

input! {
    /// The permissions that a role is to have.
    pub struct RolePermissions {
        /// Ids out of the catalogue of permissions. They replace the list there was.
        permission_ids: PermissionSet,
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Role>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Role> {
    let role = store::find(conn, id).await?;
    role.ok_or(Error::NotFound(Role::SINGULAR))
}

/// The roles of these ids, in order, without their permissions.
pub async fn of(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Role>> {
    Ok(store::of(conn, ids).await?)
}

/// The role to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Role>> {
    store::lock(edit, id).await?;
    let role = store::find(edit, id).await?;
    edit.target(role)
}

/// Makes sure that all of `ids` are roles, and that they stay so until the end of the
/// transaction. Every other id is a fault at `field`.
pub async fn require(edit: &mut Edit, field: &str, ids: &Ids) -> Result<()> {
    store::hold(edit, ids.as_slice()).await?;
    let mut faults = Faults::default();
    check(edit, field, ids, &mut faults).await?;
    faults.check()
}

/// Adds a fault at `field` for every id that is not one of a role.
pub async fn check(conn: &mut Conn, field: &str, ids: &Ids, faults: &mut Faults) -> Result<()> {
    let known = store::existing(conn, ids.as_slice()).await?;
    ids.check_known(known, field, "is not the id of a role", faults);
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
    store::delete(edit, role.id).await?;
    Ok(Change::deleted(role))
}

/// A colour as `#rrggbb`, kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Color(String);

impl Color {
    fn from_stored(color: String) -> Self {
        Self(color)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Color {
    fn default() -> Self {
        Self("#808080".into())
    }
}

impl Rule for Color {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_color = |text: &str| {
            let digits = text.strip_prefix('#').unwrap_or_default();
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        text_that(raw, place, is_color, "must be a colour such as #1e90ff").map(Self)
    }
}

inline_schema!(Color, { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" });
