//! Roles of users, and their blocks.

use std::collections::{BTreeSet, HashMap};

use accounts::roles::held::{self, PastRole, Source};
use accounts::users::imported::{self, Known};
use accounts::users::{Block, PastBlock};
use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::types::Timestamp;
use kernel::write::Edit;
use platform::audit::events::StoredActor;

use crate::pass::Stage;
use crate::record::{Kept, Record};
use crate::report::Output;
use crate::text::cut;
use crate::users::INACTIVE;

const USER_ROLES: &str = "user_roles";
const BLOCKS: &str = "user_blocks";
const MOST_REASON: usize = 1_000;

/// Those of the users that are there, by id.
pub async fn users_by_id(
    edit: &mut Edit,
    ids: impl Iterator<Item = i64>,
) -> Result<HashMap<i64, Known>> {
    let mut ids: Vec<i64> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    let known = imported::known(edit, &ids).await?.into_iter();
    Ok(known.map(|user| (user.id, user)).collect())
}

pub fn user_is_absent(id: i64) -> String {
    format!("user {id} is not taken over")
}

pub struct UserRoles<'a> {
    pub now: Timestamp,
    pub roles: &'a HashMap<i64, String>,
    pub batch: Vec<(Kept, i64, i64)>,
}

impl UserRoles<'_> {
    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|(_, user_id, _)| *user_id)).await?;
        let mut given = Vec::with_capacity(batch.len());
        for (kept, user_id, role_id) in batch {
            let role_name = match self.roles.get(&role_id) {
                _ if !users.contains_key(&user_id) => Err(user_is_absent(user_id)),
                None => Err(format!("role {role_id} is not there")),
                Some(name) => Ok(name.clone()),
            };
            let role_name = match role_name {
                Ok(name) => name,
                Err(reason) => {
                    output.leave_out(USER_ROLES, &kept, &reason)?;
                    continue;
                }
            };
            let role = PastRole {
                id: 0,
                role_id,
                role_name,
                granted_at: self.now,
                expires_at: None,
                ended_at: None,
                ended_by: None,
                source: Source::Import,
            };
            given.push((user_id, [role]));
            output.write(USER_ROLES, kept.id, &[])?;
        }
        let given = given.iter().map(|(user_id, role)| (*user_id, &role[..]));
        held::load(edit, &given.collect::<Vec<_>>()).await?;
        Ok(())
    }
}

impl Stage for UserRoles<'_> {
    fn table(&self) -> &'static str {
        USER_ROLES
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let size = kept.size();
        let (user_id, role_id) = (record.required("user_id")?, record.required("role_id")?);
        self.batch.push((kept, user_id, role_id));
        Ok(size)
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

/// A block as the dump has it.
struct Found {
    kept: Kept,
    user_id: i64,
    by_id: i64,
    reason: String,
    at: Timestamp,
    until: Option<Timestamp>,
    is_active: bool,
    changes: Vec<String>,
}

impl Found {
    /// When the block ends, for comparison: one without an end is the last.
    fn end(until: Option<Timestamp>) -> i64 {
        until.map_or(i64::MAX, Timestamp::unix)
    }
}

/// Blocks. All are in the history; of those that are active, the one that ends last is in force.
pub struct Blocks {
    pub now: Timestamp,
    batch: Vec<Found>,
}

/// The block of a user that is in force so far, and its place in the batch if it is not written yet.
#[derive(Clone, Copy)]
struct InForce {
    id: i64,
    until: Option<Timestamp>,
    at: Option<usize>,
}

impl Blocks {
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let ids = batch.iter().flat_map(|found| [found.user_id, found.by_id]);
        let users = users_by_id(edit, ids).await?;
        let user_ids: Vec<i64> = users.keys().copied().collect();
        let open = imported::open_blocks(edit, &user_ids).await?.into_iter();
        let mut in_force: HashMap<i64, InForce> = open
            .map(|block| {
                let (id, until) = (block.id, block.until);
                (
                    block.user_id,
                    InForce {
                        id,
                        until,
                        at: None,
                    },
                )
            })
            .collect();
        let (mut blocked, mut lifted) = (BTreeSet::new(), Vec::new());
        let mut blocks: Vec<(i64, PastBlock)> = Vec::with_capacity(batch.len());
        let mut notes: Vec<(i64, Vec<String>)> = Vec::with_capacity(batch.len());
        for mut found in batch {
            let Some(user) = users.get(&found.user_id) else {
                let reason = user_is_absent(found.user_id);
                output.leave_out(BLOCKS, &found.kept, &reason)?;
                continue;
            };
            let mut lifted_at = self.lifted_at(&mut found, user);
            let id = found.kept.id;
            if lifted_at.is_none() {
                let new = InForce {
                    id,
                    until: found.until,
                    at: Some(blocks.len()),
                };
                let other = in_force.get(&user.id).copied();
                let rank = |block: &InForce| (Found::end(block.until), block.id);
                match other.filter(|other| rank(other) > rank(&new)) {
                    Some(other) => {
                        lifted_at = Some(self.now);
                        found.changes.push(outlasted_by(other.id));
                    }
                    None => {
                        in_force.insert(user.id, new);
                        blocked.insert(user.id);
                        let change = outlasted_by(id);
                        match other.map(|other| (other.id, other.at)) {
                            Some((_, Some(at))) => {
                                blocks[at].1.lifted_at = Some(self.now);
                                notes[at].1.push(change);
                            }
                            Some((other, None)) => {
                                lifted.push(other);
                                let note = format!("changed: {change}");
                                output.note(BLOCKS, Some(other), &note)?;
                            }
                            None => {}
                        }
                    }
                }
            }
            let block = PastBlock {
                id,
                terms: Block {
                    reason: found.reason,
                    until: found.until,
                },
                at: found.at,
                lifted_at,
                by: person(found.by_id, &users),
            };
            blocks.push((user.id, block));
            notes.push((id, found.changes));
        }
        // Before the blocks: a user has one that is not lifted.
        imported::lift(edit, &lifted, self.now).await?;
        imported::load_blocks(edit, &blocks).await?;
        let blocked: Vec<i64> = blocked.into_iter().collect();
        imported::set_blocked(edit, &blocked).await?;
        for (id, changes) in notes {
            output.write(BLOCKS, id, &changes)?;
        }
        Ok(())
    }

    /// When the block ended; `None` if it may be in force.
    fn lifted_at(&self, found: &mut Found, user: &Known) -> Option<Timestamp> {
        if let Some(until) = found.until.filter(|until| *until <= self.now) {
            if until < found.at {
                found
                    .changes
                    .push("the block ended before it began".to_owned());
            }
            return Some(until.max(found.at));
        }
        if !found.is_active {
            let change = "it is not known when the block was lifted, so it is now";
            found.changes.push(change.to_owned());
            return Some(self.now);
        }
        if user.status == INACTIVE {
            // Without this the user would be active again once the block is over.
            let change = "the block is lifted, because the user is deleted and stays inactive";
            found.changes.push(change.to_owned());
            return Some(self.now);
        }
        None
    }
}

fn outlasted_by(id: i64) -> String {
    format!("the block is lifted, because block {id} of this user ends later")
}

/// Who blocked a user. One who is not taken over has no name here.
fn person(id: i64, users: &HashMap<i64, Known>) -> StoredActor {
    let known = users.get(&id);
    StoredActor {
        key_id: None,
        user_id: known.map(|user| user.id),
        name: known.map_or_else(|| format!("user {id}"), |user| user.username.clone()),
    }
}

impl Stage for Blocks {
    fn table(&self) -> &'static str {
        BLOCKS
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        let mut changes = Vec::new();
        let at = record.moment("blocked_from")?;
        let found = Found {
            kept: record.keep()?,
            user_id: record.required("user_id")?,
            by_id: record.required("blockedBy_id")?,
            reason: cut(
                record.string("reason")?,
                MOST_REASON,
                "the reason",
                &mut changes,
            ),
            at: at.or("blocked_from", self.now, &mut changes),
            until: record
                .moment("blocked_until")?
                .or_none("blocked_until", &mut changes),
            is_active: record.is_set("is_active")?,
            changes,
        };
        self.batch.push(found);
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}
