//! Retrying and resolving a step that failed, or of which it is uncertain whether it ran.

use serde::Serialize;

use super::giving::{check, enqueue, recipient};
use super::taking_back::{begin_undo, is_taken_back, step_of};
use super::{Grant, StepKind, StepResolution, StepState, role_steps, save_step, store};
use accounts::users::User;
use kernel::queue;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, ErrorCode, Result};

const NOT_RETRYABLE: Error = Error::Conflict {
    code: ErrorCode::StepNotRetryable,
    message: "Only a step that has failed or is uncertain can be retried or resolved.",
};

/// The audit entry of a retry.
#[derive(Serialize)]
struct Retried {
    step_id: i64,
    state: StepState,
}

/// Carries a step out again, with the links that the user has now.
pub async fn retry(
    edit: &mut Edit,
    before: Target<Grant>,
    mut user: User,
    step_id: i64,
) -> Result<Change<Grant>> {
    let mut grant = before.clone();
    let state = step_of(&mut grant, step_id)?.state;
    if !step_of(&mut grant, step_id)?.needs_attention() {
        return Err(NOT_RETRYABLE);
    }
    grant.recipient = recipient(edit, user.id, &user.username).await?;
    let (grant_id, known) = (grant.id, grant.clone());
    let now = queue::now(edit.core());
    let step = step_of(&mut grant, step_id)?;
    step.state = StepState::Pending;
    step.error = None;
    step.queued_at = edit.now();
    match step.kind {
        StepKind::Role => role_steps::carry_out(edit, &mut user, grant_id, step).await?,
        StepKind::Rcon | StepKind::Plugin => check(edit, &known, step).await?,
    }
    enqueue(edit, step, now).await?;
    let retried = Retried { step_id, state };
    finish(edit, "retry", &before, grant, step_id, &retried).await
}

/// The audit entry of a resolution.
#[derive(Serialize)]
struct Resolved<'a> {
    step_id: i64,
    note: &'a str,
}

/// Marks a step as carried out by hand.
pub async fn resolve(
    edit: &mut Edit,
    before: Target<Grant>,
    step_id: i64,
    StepResolution { note }: StepResolution,
) -> Result<Change<Grant>> {
    let mut grant = before.clone();
    let now = edit.now();
    let step = step_of(&mut grant, step_id)?;
    if !step.needs_attention() {
        return Err(NOT_RETRYABLE);
    }
    step.finish(now);
    if step.state == StepState::Done && is_taken_back(&before) {
        begin_undo(edit, &before, step).await?;
    }
    let resolved = Resolved {
        step_id,
        note: note.as_str(),
    };
    finish(edit, "resolve", &before, grant, step_id, &resolved).await
}

/// Stores the grant. The entry shows what was done with the step; a further one, that the grant is
/// done.
async fn finish(
    edit: &mut Edit,
    verb: &str,
    before: &Target<Grant>,
    mut grant: Grant,
    step_id: i64,
    what: &impl Serialize,
) -> Result<Change<Grant>> {
    let progress = save_step(edit, before.state, &mut grant, step_id).await?;
    // Read again, since the queue has the next attempt.
    let grant = store::find(edit, grant.id).await?;
    let grant = grant.ok_or_else(|| Error::internal("a grant that was just changed is gone"))?;
    let change = Change::of_action(verb, before, what, ());
    let change = change.with_etag_of(&grant).followed_by(progress);
    Ok(change.map(|()| grant))
}
