//! Users in lists, look-ups and single reads, with the parts of `include`.

use db::Conn;
use serde::Serialize;

use super::{CurrentBlock, Include, Included};
use crate::users::blocks::http::BlockActor;
use crate::users::social::http::SocialLinkItem;
use crate::users::{HeldRole, Listed, SocialLink, User, included};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// Optional parts of a user to show.
    pub struct UserQuery {
        /// Additional parts to show: `roles`, `social` and `block`, separated by commas. Roles are
        /// always shown; `roles` adds their ends.
        include: Option<Include>,
    }
}

/// The fields of a user's role.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "UserRole")]
pub struct HeldRoleItem {
    id: i64,
    name: String,
    description: String,
    /// Only with `include=roles`; null if the role has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Timestamp>", default)]
    expires_at: Option<Option<Timestamp>>,
}

pub fn role_items(roles: Vec<HeldRole>, with_ends: bool) -> Vec<HeldRoleItem> {
    let item = |role: HeldRole| HeldRoleItem {
        id: role.id,
        name: role.name,
        description: role.description,
        expires_at: with_ends.then_some(role.expires_at),
    };
    roles.into_iter().map(item).collect()
}

/// The current block.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "CurrentBlock")]
pub struct CurrentBlockItem {
    reason: String,
    /// When the block expires; null is never.
    until: Option<Timestamp>,
    /// When the user was blocked.
    at: Timestamp,
    by: BlockActor,
}

impl From<CurrentBlock> for CurrentBlockItem {
    fn from(CurrentBlock { terms, at, by }: CurrentBlock) -> Self {
        Self {
            reason: terms.reason,
            until: terms.until,
            at,
            by: by.into(),
        }
    }
}

/// A user in a list.
#[derive(Serialize, JsonSchema)]
pub struct ListedUser {
    id: i64,
    username: String,
    email: String,
    created_at: Timestamp,
    status: String,
    /// Only with `include=roles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HeldRoleItem>", default)]
    roles: Option<Vec<HeldRoleItem>>,
    /// Only with `include=social`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SocialLinkItem>", default)]
    social_networks: Option<Vec<SocialLinkItem>>,
    /// Only with `include=block`; null if the user is not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CurrentBlockItem>", default)]
    block: Option<Option<CurrentBlockItem>>,
}

impl ListedUser {
    fn new(user: Listed, included: &mut Included) -> Self {
        Self {
            roles: included
                .take_roles(user.id)
                .map(|roles| role_items(roles, true)),
            social_networks: included.take_social_networks(user.id).map(link_items),
            block: included.take_block(user.id).map(block_item),
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct UserList {
    users: Vec<ListedUser>,
}

impl UserList {
    /// Reads the parts of all users on a page.
    pub async fn read(
        conn: &mut Conn,
        now: Timestamp,
        include: Option<Include>,
        found: Vec<Listed>,
    ) -> Result<Self> {
        let mut included = Included::default();
        if let Some(include) = include {
            let ids: Vec<i64> = found.iter().map(|user| user.id).collect();
            included = included::read(conn, now, include, &ids).await?;
        }
        let users = found.into_iter();
        let users = users.map(|user| ListedUser::new(user, &mut included));
        Ok(Self {
            users: users.collect(),
        })
    }
}

/// A user with their roles.
#[derive(Clone, Serialize, JsonSchema)]
pub struct UserDetail {
    id: i64,
    username: String,
    email: String,
    status: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    roles: Vec<HeldRoleItem>,
    /// Only with `include=social`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SocialLinkItem>", default)]
    social_networks: Option<Vec<SocialLinkItem>>,
    /// Only with `include=block`; null if the user is not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CurrentBlockItem>", default)]
    block: Option<Option<CurrentBlockItem>>,
    /// Whether the user is an operator. Only with `include=operator`, on the read of one user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    pub operator: Option<bool>,
}

impl UserDetail {
    /// Roles have their ends if `with_ends`.
    pub fn new(user: User, with_ends: bool, included: &mut Included) -> Self {
        Self {
            social_networks: included.take_social_networks(user.id).map(link_items),
            block: included.take_block(user.id).map(block_item),
            id: user.id,
            username: user.username,
            email: user.email,
            status: user.status,
            created_at: user.created_at,
            updated_at: user.updated_at,
            roles: role_items(user.roles, with_ends),
            operator: None,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct SingleUser {
    pub user: UserDetail,
}

impl SingleUser {
    pub async fn read(
        conn: &mut Conn,
        now: Timestamp,
        include: Option<Include>,
        user: User,
    ) -> Result<Self> {
        let include = include.unwrap_or_default();
        let mut included = included::read(conn, now, include.besides_roles(), &[user.id]).await?;
        Ok(Self {
            user: UserDetail::new(user, include.roles, &mut included),
        })
    }
}

fn link_items(links: Vec<SocialLink>) -> Vec<SocialLinkItem> {
    links.into_iter().map(SocialLinkItem::from).collect()
}

fn block_item(block: Option<CurrentBlock>) -> Option<CurrentBlockItem> {
    block.map(CurrentBlockItem::from)
}
