//! Erasing a person: the user stays, with invoices and roles, but without anything that tells who
//! it was. The audit log is masked afterwards, since it may be too long for one transaction.

mod masked;

use std::time::Duration;

use serde::Serialize;

use super::{User, count_part_change, save, store};
use crate::app::App;
use crate::audit::{self, events::Events};
use crate::operators;
use crate::webhooks;
use kernel::secret::Secret;
use kernel::types::{Timestamp, random};
use kernel::write::{Change, Edit, Target};
use kernel::{Error, ErrorCode, Result};

/// Enough that no other user has the same name, by chance or on purpose.
const RANDOM_DIGITS: usize = 12;
/// How long a request waits for the audit log to be masked, which then goes on without it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an attempt to sign in that began before the erasure can still leave an entry.
const LATE_SECONDS: i64 = 60;

/// What is stored of an erasure.
pub struct Erasure {
    pub erased_at: Timestamp,
    /// The audit log is masked up to this entry.
    pub position: i64,
    pub done: bool,
}

/// What the audit entry shows: the new values, never the old ones.
#[derive(Serialize)]
struct Neutral<'a> {
    username: &'a str,
    email: &'a str,
}

#[derive(Serialize)]
struct Nothing {}

/// Replaces name and address by neutral ones, and removes password, links, devices and sessions.
/// Reasons of blocks are masked, since they are free text about the person.
pub async fn erase(edit: &mut Edit, before: Target<User>) -> Result<Change<()>> {
    if operators::find(edit, before.id).await?.is_some() {
        return Err(Error::Conflict {
            code: ErrorCode::UserIsOperator,
            message: "This user is an operator. Remove the access to the console first.",
        });
    }
    let now = edit.now();
    if !store::erasure::insert(edit, before.id, now).await? {
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
    store::social::delete_all(edit, user.id).await?;
    // The sessions end with the devices.
    store::devices::delete_all(edit, user.id).await?;
    store::blocks::mask_reasons(edit, user.id, masked::MASK).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let neutral = Neutral {
        username: &user.username,
        email: &user.email,
    };
    Ok(Change::of_part("erase", &before, &Nothing {}, &neutral, ()))
}

/// Masks the audit log, and waits for it for a while.
pub async fn mask_soon(app: &App) {
    let app = app.clone();
    let masking = tokio::spawn(async move {
        if let Err(error) = mask_audit_log(&app).await {
            tracing::warn!(%error, "the audit log was not masked to its end; retrying later");
        }
    });
    let _ = tokio::time::timeout(PATIENCE, masking).await;
}

/// Masks what the audit log holds of erased users. Several instances may do this at the same time.
pub async fn mask_audit_log(app: &App) -> Result<()> {
    let mut last = 0;
    loop {
        let next = store::erasure::next_pending(&mut *app.db.read().await?, last).await?;
        let Some(user_id) = next else {
            return Ok(());
        };
        let end = Events::complete_to(app).await?;
        while !mask_part(app, user_id, end).await? {}
        last = user_id;
    }
}

/// Masks some entries up to `end`, in one transaction. True if there are no more.
async fn mask_part(app: &App, user_id: i64, end: i64) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let erasure = store::erasure::lock_and_find(&mut tx, user_id).await?;
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
        }
        if entry.is_actor {
            audit::mask_actor(&mut tx, entry.id, masked::MASK).await?;
        }
    }
    let is_end = part.position >= end;
    let is_late = app.expiry_now().unix() - erasure.erased_at.unix() > LATE_SECONDS;
    let position = erasure.position.max(part.position);
    store::erasure::advance(&mut tx, user_id, position, is_end && is_late).await?;
    tx.commit().await?;
    Ok(is_end)
}
