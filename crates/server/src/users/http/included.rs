//! Users as lists, look-ups and single reads show them, with what `include` asks for.

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

use super::social::SocialLinkItem;
use super::{HeldRoleItem, role_items};
use crate::users::included::{self, Included};
use crate::users::input::Include;
use crate::users::{Block, Listed, SocialLink, User, social};
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// What to show of a user.
    pub struct UserQuery {
        /// What to show as well: `roles`, `social` and `block`, separated by commas. `roles` are
        /// always there.
        include: Option<Include>,
    }
}

/// The block in force.
#[derive(Clone, Serialize, JsonSchema)]
pub struct CurrentBlock {
    reason: String,
    /// When it expires; null is never.
    until: Option<Timestamp>,
}

impl From<Block> for CurrentBlock {
    fn from(block: Block) -> Self {
        Self {
            reason: block.reason,
            until: block.until,
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
    #[schemars(with = "Option<CurrentBlock>", default)]
    block: Option<Option<CurrentBlock>>,
}

impl ListedUser {
    fn new(user: Listed, included: &mut Included) -> Self {
        Self {
            roles: included.take_roles(user.id).map(role_items),
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
    /// The users of a page, with what is read for all of them.
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
    #[schemars(with = "Option<CurrentBlock>", default)]
    block: Option<Option<CurrentBlock>>,
}

impl UserDetail {
    /// `links` are those of the user, if they were asked for.
    pub fn new(user: User, include: Option<Include>, links: Option<Vec<SocialLink>>) -> Self {
        let shows_block = include.is_some_and(|include| include.block);
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            status: user.status,
            created_at: user.created_at,
            updated_at: user.updated_at,
            roles: role_items(user.roles),
            social_networks: links.map(link_items),
            block: shows_block.then(|| block_item(user.block)),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct SingleUser {
    user: UserDetail,
}

impl SingleUser {
    pub async fn read(conn: &mut Conn, include: Option<Include>, user: User) -> Result<Self> {
        let links = match include {
            Some(include) if include.social => Some(social::list(conn, user.id).await?),
            _ => None,
        };
        Ok(Self {
            user: UserDetail::new(user, include, links),
        })
    }
}

fn link_items(links: Vec<SocialLink>) -> Vec<SocialLinkItem> {
    links.into_iter().map(SocialLinkItem::from).collect()
}

fn block_item(block: Option<Block>) -> Option<CurrentBlock> {
    block.map(CurrentBlock::from)
}
