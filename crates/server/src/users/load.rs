//! Many users at once, with everything that hangs on them.

use super::{PastBlock, User, store};
use kernel::Result;
use kernel::write::Edit;

/// A user, and the blocks that they have had. The last one need not be lifted.
#[derive(Debug)]
pub struct Member {
    pub user: User,
    pub blocks: Vec<PastBlock>,
}

/// The id of the first of so many users that are about to be loaded; the others follow it.
pub async fn first_id(edit: &mut Edit, count: i64) -> Result<i64> {
    Ok(store::load::first_id(edit, count).await?)
}

/// Adds users who keep all rules already, and whose roles and networks exist.
pub async fn load(edit: &mut Edit, members: &[Member]) -> Result<()> {
    store::load::users(edit, members).await?;
    store::load::roles(edit, members).await?;
    store::load::blocks(edit, members).await?;
    store::load::social_links(edit, members).await?;
    Ok(store::load::devices(edit, members).await?)
}
