//! Loading many users at once, with their roles, blocks, links and devices.

use super::blocks::BlockedUntil;
use super::devices::Device;
use super::{PastBlock, SocialLink, User, store};
use kernel::Result;
use kernel::write::Edit;

/// A user with links, devices and the history of their blocks. The last block may be open; then the user's status is
/// `blocked`.
#[derive(Debug)]
pub struct Member {
    pub user: User,
    pub blocks: Vec<PastBlock>,
    pub social_networks: Vec<SocialLink>,
    pub devices: Vec<Device>,
}

impl Member {
    pub(super) fn blocked_until(&self) -> Option<BlockedUntil> {
        let open = self.blocks.iter().find(|block| block.lifted_at.is_none());
        BlockedUntil::of(open.map(|block| &block.terms))
    }
}

/// Reserves ids for users to load, and returns the first; the others follow it.
pub async fn first_id(edit: &mut Edit, count: i64) -> Result<i64> {
    Ok(store::load::first_id(edit, count).await?)
}

/// Adds users who are valid, and whose roles and networks exist.
pub async fn load(edit: &mut Edit, members: &[Member]) -> Result<()> {
    store::load::users(edit, members).await?;
    store::load::roles(edit, members).await?;
    store::load::blocks(edit, members).await?;
    store::load::social_links(edit, members).await?;
    Ok(store::load::devices(edit, members).await?)
}
