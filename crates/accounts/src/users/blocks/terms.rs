//! The terms of a block: its reason and its end.

use serde::Serialize;

use crate::users::input::ACTIVE;
use kernel::input::{Fault, Faults, Moment, Text};
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// The terms of a block.
    pub struct UserBlockTerms {
        reason: Option<Text<0, 1000>>,
        /// When the block expires; must be in the future. The default is never.
        until: Option<Moment>,
    }
}

/// The reason and the end of a block; permanent without an end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    pub reason: String,
    pub until: Option<Timestamp>,
}

impl Block {
    pub fn has_expired(&self, now: Timestamp) -> bool {
        !BlockedUntil::from(self).is_in_force(now)
    }

    /// Refuses a block that would expire at once; `field` is the input field of its end.
    pub fn check(&self, now: Timestamp, field: &str) -> Result<()> {
        if self.has_expired(now) {
            return Err(Faults::one(field, Fault::NotInFuture {}).into());
        }
        Ok(())
    }
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

/// The column `blocked_until` of a user: the second at which the block ends. It alone decides
/// whether a user is blocked; `has_expired_block!` is the same rule in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedUntil(i64);

impl BlockedUntil {
    /// A block without an end.
    const FOR_GOOD: Self = Self(i64::MAX);

    pub fn from_stored(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The stored value for a user with or without a block.
    pub fn of(block: Option<&Block>) -> Option<Self> {
        block.map(Self::from)
    }

    pub fn is_in_force(self, now: Timestamp) -> bool {
        now.unix() < self.0
    }

    /// The end of the block; `None` if it is permanent.
    pub fn end(self) -> Option<Timestamp> {
        (self != Self::FOR_GOOD).then_some(Timestamp::from_unix(self.0))
    }

    /// The status of a user at `now`. `stored` is [`BLOCKED`] exactly if `blocked_until` is set;
    /// the status becomes [`ACTIVE`] when the block expires.
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
