//! Optional parts of listed users. Each part is read for all users at once.

pub mod http;
mod store;

use std::collections::HashMap;

use db::Conn;

pub use self::store::roles;
use super::blocks::Block;
use super::{HeldRole, SocialLink};
use kernel::input::{Place, Raw, Rule, some_of};
use kernel::types::Timestamp;
use kernel::{Result, inline_schema};
use platform::audit::events::StoredActor;

/// Optional parts of users in a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    pub roles: bool,
    pub social: bool,
    pub block: bool,
}

impl Include {
    /// Without the roles, for users that have been read with them.
    pub fn besides_roles(self) -> Self {
        Self {
            roles: false,
            ..self
        }
    }
}

impl Rule for Include {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let [roles, social, block] = some_of(raw, place, &["roles", "social", "block"])?;
        Some(Self {
            roles,
            social,
            block,
        })
    }
}

/// Like [`Include`], for a single user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownInclude {
    pub parts: Include,
    /// Whether the user is an operator.
    pub operator: bool,
}

impl Rule for ShownInclude {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let names = &["roles", "social", "block", "operator"];
        let [roles, social, block, operator] = some_of(raw, place, names)?;
        let parts = Include {
            roles,
            social,
            block,
        };
        Some(Self { parts, operator })
    }
}

inline_schema!(ShownInclude, {
    "type": "string",
    "pattern": "^(roles|social|block|operator)(,(roles|social|block|operator))*$",
});

inline_schema!(Include, {
    "type": "string",
    "pattern": "^(roles|social|block)(,(roles|social|block))*$",
});

/// The requested parts, by user id. Users without an entry have none.
#[derive(Debug, Default)]
pub struct Included {
    roles: Option<HashMap<i64, Vec<HeldRole>>>,
    social_networks: Option<HashMap<i64, Vec<SocialLink>>>,
    blocks: Option<HashMap<i64, CurrentBlock>>,
}

/// The block in force, with its beginning.
#[derive(Debug)]
pub struct CurrentBlock {
    pub terms: Block,
    pub at: Timestamp,
    pub by: StoredActor,
}

pub async fn read(
    conn: &mut Conn,
    now: Timestamp,
    include: Include,
    user_ids: &[i64],
) -> Result<Included> {
    let mut included = Included::default();
    if include.roles {
        included.roles = Some(roles(conn, now, user_ids).await?);
    }
    if include.social {
        included.social_networks = Some(store::social_links(conn, user_ids).await?);
    }
    if include.block {
        included.blocks = Some(store::blocks(conn, now, user_ids).await?);
    }
    Ok(included)
}

/// Each part can be taken once; `None` if it was not requested.
impl Included {
    pub fn take_roles(&mut self, user_id: i64) -> Option<Vec<HeldRole>> {
        let roles = self.roles.as_mut()?;
        Some(roles.remove(&user_id).unwrap_or_default())
    }

    pub fn take_social_networks(&mut self, user_id: i64) -> Option<Vec<SocialLink>> {
        let links = self.social_networks.as_mut()?;
        Some(links.remove(&user_id).unwrap_or_default())
    }

    pub fn take_block(&mut self, user_id: i64) -> Option<Option<CurrentBlock>> {
        let blocks = self.blocks.as_mut()?;
        Some(blocks.remove(&user_id))
    }
}
