//! Blocks: keeping a user out, for a while or for good.

use db::Conn;
use serde::Serialize;

use super::input::{ACTIVE, BLOCKED};
use super::{User, save, store};
use kernel::input::{Faults, Moment, Partial, Text};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Result, input};

/// Why, and until when; for good, if there is no end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    pub reason: String,
    pub until: Option<Timestamp>,
}

impl Block {
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Makes sure that it would have an effect; `field` is where its end was given.
    pub fn check(&self, now: Timestamp, field: &str) -> Result<()> {
        if self.is_over(now) {
            return Err(Faults::one(field, "must be in the future").into());
        }
        Ok(())
    }
}

/// A block of the past, or the one in force.
#[derive(Clone, Debug)]
pub struct PastBlock {
    pub id: i64,
    pub terms: Block,
    pub blocked_at: Timestamp,
    /// When it ended: it was lifted, another took its place, or it ran out.
    pub lifted_at: Option<Timestamp>,
    pub key_id: Option<i64>,
    pub key_name: String,
}

/// Every block there was, newest first.
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

input! {
    /// The terms of a block.
    pub struct BlockTerms {
        reason: Option<Text<0, 1000>>,
        /// When the block ends by itself, in the future; never unless given.
        until: Option<Moment>,
    }
}

impl From<BlockTerms> for Block {
    fn from(terms: BlockTerms) -> Self {
        let BlockTerms { reason, until } = terms;
        Self {
            reason: reason.unwrap_or_default().into_string(),
            until: until.map(|Moment(until)| until),
        }
    }
}

/// Blocks a user. If there is a block already, this one takes its place.
pub async fn block(edit: &mut Edit, before: Target<User>, block: Block) -> Result<Change<User>> {
    block.check(edit.now(), "until")?;
    let mut user = before.clone();
    impose(edit, &mut user, block).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("block", &before, user))
}

/// The faults of the terms of a block that depend on the time.
pub fn check_terms(now: Timestamp, terms: Partial<BlockTerms>) -> Result<Faults> {
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

/// Ends the block there may be; from then on the user has another status.
pub(super) async fn lift(edit: &mut Edit, user: &mut User, status: &str) -> Result<()> {
    let now = edit.now();
    store::blocks::lift(edit, &[user.id], now).await?;
    user.block = None;
    user.status = status.to_owned();
    Ok(())
}
