//! Erases a person: the user stays, with invoices and roles, but without personal data. The audit
//! log is masked afterwards, since it may be too long for one transaction.

pub mod http;
mod masked;
mod store;

use std::time::Duration;

use db::Db;
use serde::Serialize;

use super::save::{count_part_change, save};
use super::{User, blocks, devices, identities, social};
use crate::operators;
use kernel::secret::Secret;
use kernel::types::{Timestamp, random};
use kernel::write::{Change, Edit, Fact, Target};
use kernel::{Error, ErrorCode, Result};
use platform::audit::{self, events::Events};
use platform::webhooks;

/// Enough that no other user has the same name, by chance or on purpose.
const RANDOM_DIGITS: usize = 12;
/// How long a request waits for masking of the audit log, which then continues in the background.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a sign-in attempt from before the erasure can still add an audit entry.
const LATE_SECONDS: i64 = 60;

/// A stored erasure.
pub struct Erasure {
    pub erased_at: Timestamp,
    /// The audit log is masked up to this entry.
    pub position: i64,
    pub done: bool,
}

/// The audit entry: the new values, never the old ones.
#[derive(Serialize)]
struct Neutral<'a> {
    username: &'a str,
    email: &'a str,
}

#[derive(Serialize)]
struct Nothing {}

/// Replaces name and address by neutral ones, and removes password, links, identities, devices and
/// sessions.
/// Reasons of blocks are masked, since they are free text about the person.
pub async fn erase(edit: &mut Edit, before: Target<User>) -> Result<Change<()>> {
    if operators::find(edit, before.id).await?.is_some() {
        return Err(Error::Conflict {
            code: ErrorCode::UserIsOperator,
            message: "This user is an operator. Remove the access to the console first.",
        });
    }
    let now = edit.now();
    if !store::insert(edit, before.id, now).await? {
        return Err(Error::Conflict {
            code: ErrorCode::AlreadyErased,
            message: "This user was erased before.",
        });
    }
    let name = format!("erased-{}-{}", before.id, random::digits(RANDOM_DIGITS));
    let mut user = User {
        email: format!("{name}@erased.invalid"),
        username: name,
        // No password has this hash.
        password_hash: Secret::new(String::new()),
        ..before.clone()
    };
    edit.tell(Fact::UserErased { user_id: user.id }).await?;
    social::delete_all(edit, user.id).await?;
    identities::delete_all(edit, user.id).await?;
    // Deleting the devices ends the sessions.
    devices::delete_all(edit, user.id).await?;
    blocks::mask_person(edit, user.id, masked::MASK).await?;
    webhooks::mask_saver(edit, user.id, masked::MASK).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let neutral = Neutral {
        username: &user.username,
        email: &user.email,
    };
    Ok(Change::of_part("erase", &before, &Nothing {}, &neutral, ()))
}

/// Masks the audit log, and waits a while for it to finish.
pub async fn mask_soon(events: &Events) {
    let events = events.clone();
    let masking = tokio::spawn(async move {
        if let Err(error) = mask_audit_log(&events).await {
            tracing::warn!(%error, "the audit log was not masked to its end; retrying later");
        }
    });
    let _ = tokio::time::timeout(PATIENCE, masking).await;
}

/// Masks erased users in the audit log. Several instances may do this at the same time.
pub async fn mask_audit_log(events: &Events) -> Result<()> {
    let mut last = 0;
    loop {
        let next = store::next_pending(&mut *events.kernel().core.db.read().await?, last).await?;
        let Some(user_id) = next else {
            return match last {
                0 => Ok(()),
                _ => empty_log(&events.kernel().core.db).await,
            };
        };
        let end = events.complete_to().await?;
        while !mask_part(events, user_id, end).await? {}
        last = user_id;
    }
}

/// Removes the erased values from SQLite's log, too. If readers need it, the job that follows a
/// minute after the erasure tries again.
async fn empty_log(db: &Db) -> Result<()> {
    if !db.empty_log().await? {
        tracing::info!("the write-ahead log is in use and still has erased values");
    }
    Ok(())
}

/// Masks some entries up to `end`, in one transaction. Returns true if there are no more.
async fn mask_part(events: &Events, user_id: i64, end: i64) -> Result<bool> {
    let mut tx = events.kernel().core.db.begin().await?;
    let erasure = store::lock_and_find(&mut tx, user_id).await?;
    let Some(erasure) = erasure.filter(|erasure| !erasure.done) else {
        return Ok(true);
    };
    let part = audit::personal_entries(&mut tx, user_id, erasure.position, end).await?;
    for entry in part.entries {
        webhooks::deliveries::forget_replies(&mut tx, entry.id).await?;
        if entry.is_about {
            let before = masked::masked(user_id, &entry.resource, &entry.before);
            let after = masked::masked(user_id, &entry.resource, &entry.after);
            audit::replace_fields(&mut tx, entry.id, &before, &after).await?;
            audit::forget_visitor(&mut tx, entry.id).await?;
        }
        if entry.is_actor {
            audit::mask_actor(&mut tx, entry.id, masked::MASK).await?;
        }
    }
    let is_end = part.position >= end;
    let is_late =
        events.kernel().core.expiry_now().unix() - erasure.erased_at.unix() > LATE_SECONDS;
    let position = erasure.position.max(part.position);
    store::advance(&mut tx, user_id, position, is_end && is_late).await?;
    tx.commit().await?;
    Ok(is_end)
}
