//! A user, and parts of one that lists and other slices show.

use serde::Serialize;

use super::blocks::Block;
use crate::roles;
use kernel::secret::Secret;
use kernel::types::{Expiry, Timestamp};
use kernel::write::{Resource, serialised};

#[derive(Clone, Debug, Serialize)]
pub struct User {
    pub id: i64,
    pub username: String,
    pub email: String,
    /// The status when it was read: a user with an expired block is active.
    pub status: String,
    pub block: Option<Block>,
    pub roles: Vec<HeldRole>,
    /// Counts the changes of links, devices and identities, so that the entity tag changes with them.
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

    fn user_id(&self) -> Option<i64> {
        Some(self.id)
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
        // The end tells two passwords apart. It does not help to guess one: that takes the salt.
        let hash = password_hash.reveal();
        let password = hash.get(hash.len().saturating_sub(12)..);
        let visible = (id, username, email, status, block, roles, part_changes);
        serialised(&(visible, password))
    }
}

impl User {
    /// Whether the user can sign in with a password.
    pub fn has_password(&self) -> bool {
        !self.password_hash.reveal().is_empty()
    }

    /// The end of a role; `None` if the user does not hold it.
    pub fn role_end(&self, role_id: i64) -> Option<Expiry> {
        let held = self.roles.iter().find(|role| role.id == role_id);
        held.map(|role| Expiry::at(role.expires_at))
    }
}

/// The fields of a user's role.
#[derive(Clone, Debug, Serialize)]
pub struct HeldRole {
    pub id: i64,
    pub name: String,
    pub description: String,
    /// Absent from the audit log if the role has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl From<roles::Role> for HeldRole {
    fn from(role: roles::Role) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
            expires_at: None,
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

/// The fields of a listed user.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: i64,
    pub username: String,
    pub email: String,
    /// The current status: a user whose block has expired is active.
    pub status: String,
    pub created_at: Timestamp,
    /// The stored end of the block, for the order by it.
    pub blocked_until: Option<i64>,
}
