//! What a list shows of its users beyond their own fields. Each part is read for all of them at once.

use std::collections::HashMap;

use db::Conn;

use super::input::Include;
use super::{Block, HeldRole, SocialLink, store};
use kernel::Result;
use kernel::types::Timestamp;

/// The parts that were asked for, by the id of the user. Users without an entry have none.
#[derive(Debug, Default)]
pub struct Included {
    roles: Option<HashMap<i64, Vec<HeldRole>>>,
    social_networks: Option<HashMap<i64, Vec<SocialLink>>>,
    blocks: Option<HashMap<i64, Block>>,
}

pub async fn read(
    conn: &mut Conn,
    now: Timestamp,
    include: Include,
    user_ids: &[i64],
) -> Result<Included> {
    let mut included = Included::default();
    if include.roles {
        included.roles = Some(store::included::roles(conn, user_ids).await?);
    }
    if include.social {
        included.social_networks = Some(store::included::social_links(conn, user_ids).await?);
    }
    if include.block {
        included.blocks = Some(store::included::blocks(conn, now, user_ids).await?);
    }
    Ok(included)
}

/// Each part can be taken once; `None` if it was not asked for.
impl Included {
    pub fn take_roles(&mut self, user_id: i64) -> Option<Vec<HeldRole>> {
        let roles = self.roles.as_mut()?;
        Some(roles.remove(&user_id).unwrap_or_default())
    }

    pub fn take_social_networks(&mut self, user_id: i64) -> Option<Vec<SocialLink>> {
        let links = self.social_networks.as_mut()?;
        Some(links.remove(&user_id).unwrap_or_default())
    }

    pub fn take_block(&mut self, user_id: i64) -> Option<Option<Block>> {
        let blocks = self.blocks.as_mut()?;
        Some(blocks.remove(&user_id))
    }
}
