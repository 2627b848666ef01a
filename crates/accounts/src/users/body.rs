//! Response bodies that other slices show as well.

use serde::Serialize;

use super::devices::Device;
use super::included::http::{HeldRoleItem, role_items};
use super::{Listed, User};
use kernel::inline_schema;
use kernel::input::{Fault, Place, Raw, Rule, text};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

#[derive(Serialize, JsonSchema)]
pub struct UserItem {
    id: i64,
    username: String,
    email: String,
    created_at: Timestamp,
    status: String,
}

impl From<Listed> for UserItem {
    fn from(user: Listed) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
        }
    }
}

impl From<User> for UserItem {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct DeviceItem {
    id: i64,
    name: String,
    last_active: Timestamp,
    user_agent: String,
}

impl From<Device> for DeviceItem {
    fn from(device: Device) -> Self {
        Self {
            id: device.id,
            name: device.name,
            last_active: device.last_active,
            user_agent: device.user_agent,
        }
    }
}

/// The user of a session.
#[derive(Serialize, JsonSchema)]
pub struct VerifiedUser {
    id: i64,
    username: String,
    email: String,
    created_at: Timestamp,
    status: String,
    /// Only with `include=roles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HeldRoleItem>", default)]
    roles: Option<Vec<HeldRoleItem>>,
}

impl VerifiedUser {
    pub fn new(user: User, with_roles: bool) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
            roles: with_roles.then(|| role_items(user.roles, true)),
        }
    }
}

/// The value `roles` of `include`. Links and blocks need another permission than sessions.
#[derive(Debug)]
pub struct IncludeRoles;

impl Rule for IncludeRoles {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_roles = text(raw, place)? == "roles";
        if !is_roles {
            place.add(Fault::not_one_of(&["roles"]));
        }
        is_roles.then_some(Self)
    }
}

inline_schema!(IncludeRoles, { "type": "string", "pattern": "^roles$" });
