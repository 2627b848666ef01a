//! Blocks: exclude a user for a time or permanently.

pub mod http;
mod store;
mod terms;

pub(super) use self::store::{blocked_by, mask_person};
pub use self::store::{count, list};
pub use self::terms::{Block, BlockedUntil, UserBlockTerms};

use super::User;
use super::input::{ACTIVE, BLOCKED};
use super::save::save;
use crate::operators::{self, Act};
use kernel::input::{Faults, Moment, Partial};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Fact, Target};
use kernel::{Core, Result};
use platform::audit::events::StoredActor;

/// A past or current block.
#[derive(Clone, Debug)]
pub struct PastBlock {
    pub id: i64,
    pub terms: Block,
    pub at: Timestamp,
    /// When the block was lifted, replaced or expired.
    pub lifted_at: Option<Timestamp>,
    /// Who blocked the user.
    pub by: StoredActor,
}

/// Blocks a user. Replaces an existing block.
pub async fn block(edit: &mut Edit, before: Target<User>, block: Block) -> Result<Change<User>> {
    block.check(edit.core().expiry_now(), "until")?;
    operators::require_covered(edit, &[before.id], Act::Excludes).await?;
    let mut user = before.clone();
    impose(edit, &mut user, block).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("block", &before, user))
}

/// Validates the end of a block against the current time.
pub fn check_terms(now: Timestamp, terms: Partial<UserBlockTerms>) -> Result<Faults> {
    let until = terms.until.flatten().map(|Moment(until)| until);
    let block = Block {
        reason: String::new(),
        until,
    };
    let mut faults = Faults::default();
    faults.gather(block.check(now, "until"))?;
    Ok(faults)
}

/// Lifts the block, if there is one.
pub async fn unblock(edit: &mut Edit, before: Target<User>) -> Result<Change<User>> {
    operators::require_covered(edit, &[before.id], Act::Restores).await?;
    let mut user = before.clone();
    if user.block.is_some() {
        lift(edit, &mut user, ACTIVE).await?;
        save(edit, &before, &mut user).await?;
    }
    Ok(Change::updated("unblock", &before, user))
}

pub(super) async fn impose(edit: &mut Edit, user: &mut User, block: Block) -> Result<()> {
    begin(edit, &[user.id], &block).await?;
    user.block = Some(block);
    user.status = BLOCKED.to_owned();
    Ok(())
}

/// Ends the user's block, if any, and sets another status.
pub(super) async fn lift(edit: &mut Edit, user: &mut User, status: &str) -> Result<()> {
    end(edit, &[user.id]).await?;
    user.block = None;
    user.status = status.to_owned();
    Ok(())
}

/// Adds a block to the history of each user, and ends those before it.
pub(super) async fn begin(edit: &mut Edit, user_ids: &[i64], block: &Block) -> Result<()> {
    end(edit, user_ids).await?;
    let (by, now) = (StoredActor::from(edit.actor()), edit.now());
    Ok(store::insert(edit, user_ids, block, &by, now).await?)
}

/// Ends the open blocks in the history of users.
pub(super) async fn end(edit: &mut Edit, user_ids: &[i64]) -> Result<()> {
    let now = edit.now();
    store::lift(edit, user_ids, now).await?;
    edit.tell(Fact::UsersChanged { user_ids }).await
}

const CLEARED_AT_ONCE: i64 = 200;

/// Removes expired blocks from the users. Readers compare a block with the clock, so nothing else
/// changes. Few should remain: every total of active or blocked users counts them.
pub async fn clear_expired_blocks(core: &Core) -> Result<()> {
    let now = core.retention_now();
    loop {
        let mut tx = core.db.begin().await?;
        let expired = store::expired(&mut tx, now, CLEARED_AT_ONCE).await?;
        if expired.is_empty() {
            return Ok(());
        }
        super::store::lock_many(&mut tx, &expired).await?;
        store::clear_expired(&mut tx, now, &expired).await?;
        tx.commit().await?;
    }
}
