//! Bulk loading of users, with their roles, blocks, links and devices.

mod store;

pub use self::store::first_id;

use super::blocks::{BlockedUntil, PastBlock};
use super::devices::Device;
use super::{SocialLink, User};
use crate::roles::held::{self, PastRole};
use kernel::Result;
use kernel::write::Edit;

/// A user with links, devices, past blocks and the history of roles, of which those that have not
/// ended are held. If the last block is in force, the user's status is `blocked`.
#[derive(Debug)]
pub struct Member {
    pub user: User,
    pub roles: Vec<PastRole>,
    pub blocks: Vec<PastBlock>,
    pub social_networks: Vec<SocialLink>,
    pub devices: Vec<Device>,
}

impl Member {
    fn blocked_until(&self) -> Option<BlockedUntil> {
        let open = self.blocks.iter().find(|block| block.lifted_at.is_none());
        BlockedUntil::of(open.map(|block| &block.terms))
    }
}

/// Inserts users that are valid already, and whose roles and networks exist.
pub async fn load(edit: &mut Edit, members: &[Member]) -> Result<()> {
    store::users(edit, members).await?;
    let roles = members
        .iter()
        .map(|member| (member.user.id, &*member.roles));
    held::load(edit, &roles.collect::<Vec<_>>()).await?;
    store::blocks(edit, members).await?;
    store::social_links(edit, members).await?;
    Ok(store::devices(edit, members).await?)
}
