//! Blocks: excluding a user, for a time or for good.

use db::Conn;
use serde::Serialize;

use super::input::{ACTIVE, BLOCKED, UserBlockTerms};
use super::{User, save, store};
use crate::operators::{self, Act};
use kernel::Result;
use kernel::input::{Faults, Moment, Partial};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};

/// Why, and until when; for good without an end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    pub reason: String,
    pub until: Option<Timestamp>,
}

impl Block {
    pub fn has_expired(&self, now: Timestamp) -> bool {
        !BlockedUntil::from(self).is_in_force(now)
    }

    /// Refuses a block that would expire at once; `field` is the input field with its end.
    pub fn check(&self, now: Timestamp, field: &str) -> Result<()> {
        if self.has_expired(now) {
            return Err(Faults::one(field, "must be in the future").into());
        }
        Ok(())
    }
}

/// The column `blocked_until` of a user, where it is set: the second at which the block ends. It
/// alone decides whether a user is blocked; `has_expired_block!` is the same rule in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedUntil(i64);

impl BlockedUntil {
    /// A block without an end.
    const FOR_GOOD: Self = Self(i64::MAX);

    pub fn from_stored(seconds: i64) -> Self {
        Self(seconds)
    }

    /// What is stored for a user with or without a block.
    pub fn of(block: Option<&Block>) -> Option<Self> {
        block.map(Self::from)
    }

    pub fn is_in_force(self, now: Timestamp) -> bool {
        now.unix() < self.0
    }

    /// Nothing if the block is for good.
    pub fn end(self) -> Option<Timestamp> {
        (self != Self::FOR_GOOD).then_some(Timestamp::from_unix(self.0))
    }

    /// The status of a user at `now`. `stored` is [`BLOCKED`] exactly where `blocked_until` is set,
    /// but becomes [`ACTIVE`] when the block expires.
    pub fn status(blocked_until: Option<Self>, stored: String, now: Timestamp) -> String {
        match blocked_until {
            Some(until) if !until.is_in_force(now) => ACTIVE.to_owned(),
            _ => stored,
        }
    }
}

impl From<&Block> for BlockedUntil {
    fn from(block: &Block) -> Self {
        block
            .until
            .map_or(Self::FOR_GOOD, |until| Self(until.unix()))
    }
}

impl From<BlockedUntil> for db::Value<'_> {
    fn from(until: BlockedUntil) -> Self {
        until.0.into()
    }
}

/// An entry of the history: a past block, or the one in force.
#[derive(Clone, Debug)]
pub struct PastBlock {
    pub id: i64,
    pub terms: Block,
    pub blocked_at: Timestamp,
    /// When it ended: it was lifted, another block replaced it, or it expired.
    pub lifted_at: Option<Timestamp>,
    pub key_id: Option<i64>,
    pub key_name: String,
}

/// All blocks of a user, newest first.
pub async fn history(
    conn: &mut Conn,
    now: Timestamp,
    user_id: i64,
    window: Window,
) -> Result<Vec<PastBlock>> {
    Ok(store::blocks::list(conn, now, user_id, window).await?)
}

pub async fn count(conn: &mut Conn, user_id: i64) -> Result<i64> {
    Ok(store::blocks::count(conn, user_id).await?)
}

impl From<UserBlockTerms> for Block {
    fn from(terms: UserBlockTerms) -> Self {
        let UserBlockTerms { reason, until } = terms;
        Self {
            reason: reason.unwrap_or_default().into_string(),
            until: until.map(|Moment(until)| until),
        }
    }
}

/// Blocks a user. The block replaces the one there may be.
pub async fn block(edit: &mut Edit, before: Target<User>, block: Block) -> Result<Change<User>> {
    block.check(edit.core().expiry_now(), "until")?;
    operators::require_covered(edit, &[before.id], Act::Excludes).await?;
    let mut user = before.clone();
    impose(edit, &mut user, block).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("block", &before, user))
}

/// The faults of the terms of a block that depend on the time.
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
    operators::require_covered(edit, &[before.id], Act::Excludes).await?;
    let mut user = before.clone();
    if user.block.is_some() {
        lift(edit, &mut user, ACTIVE).await?;
        save(edit, &before, &mut user).await?;
    }
    Ok(Change::updated("unblock", &before, user))
}

pub(super) async fn impose(edit: &mut Edit, user: &mut User, block: Block) -> Result<()> {
    lift(edit, user, BLOCKED).await?;
    let (actor, now) = (edit.actor().clone(), edit.now());
    store::blocks::insert(edit, &[user.id], &block, &actor, now).await?;
    user.block = Some(block);
    Ok(())
}

/// Ends the block there may be, and sets another status.
pub(super) async fn lift(edit: &mut Edit, user: &mut User, status: &str) -> Result<()> {
    let now = edit.now();
    store::blocks::lift(edit, &[user.id], now).await?;
    user.block = None;
    user.status = status.to_owned();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Block, BlockedUntil};
    use crate::users::input::{ACTIVE, BLOCKED};
    use kernel::types::Timestamp;

    fn until(seconds: Option<i64>) -> Block {
        Block {
            reason: String::new(),
            until: seconds.map(Timestamp::from_unix),
        }
    }

    fn status(blocked_until: Option<BlockedUntil>, stored: &str, now: i64) -> String {
        BlockedUntil::status(blocked_until, stored.to_owned(), Timestamp::from_unix(now))
    }

    #[test]
    fn a_block_is_in_force_until_its_last_second() {
        let block = until(Some(100));
        let stored = BlockedUntil::of(Some(&block));
        assert_eq!(status(stored, BLOCKED, 99), BLOCKED);
        assert_eq!(status(stored, BLOCKED, 100), ACTIVE);
        assert!(!block.has_expired(Timestamp::from_unix(99)));
        assert!(block.has_expired(Timestamp::from_unix(100)));
        assert_eq!(stored.and_then(BlockedUntil::end), block.until);
    }

    #[test]
    fn a_block_without_an_end_never_expires() {
        let block = until(None);
        let stored = BlockedUntil::of(Some(&block));
        assert_eq!(stored, Some(BlockedUntil::from_stored(i64::MAX)));
        assert_eq!(stored.and_then(BlockedUntil::end), None);
        assert_eq!(status(stored, BLOCKED, i64::MAX - 1), BLOCKED);
        assert!(!block.has_expired(Timestamp::from_unix(i64::MAX - 1)));
    }

    #[test]
    fn a_user_without_a_block_has_the_stored_status() {
        assert_eq!(BlockedUntil::of(None), None);
        for stored in [ACTIVE, "pending", "on_leave"] {
            assert_eq!(status(None, stored, 0), stored);
        }
    }
}
