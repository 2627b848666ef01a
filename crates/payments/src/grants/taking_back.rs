//! Cancels what has not been carried out, and takes back what has.

use std::collections::BTreeMap;

use super::giving::{Obstacle, enqueue, obstacle};
use super::{Grant, GrantState, GrantStep, Recipient, StepKind, StepState, role_steps};
use super::{save, save_state, store};
use accounts::users::User;
use game_servers::servers::COMMANDS;
use kernel::queue;
use kernel::write::audit::Entry;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

const ERASED: &str = "The user was erased.";

/// Cancels pending steps. One that is being sent is cancelled if it surely did not run.
pub async fn cancel(edit: &mut Edit, before: Target<Grant>) -> Result<Change<Grant>> {
    let mut grant = before.clone();
    for step in &mut grant.steps {
        cancel_step(edit, step).await?;
    }
    save(edit, before.state, &mut grant).await?;
    Ok(Change::updated("cancel", &before, grant))
}

/// Cancels a step that is pending; one that is being taken back goes on.
async fn cancel_step(edit: &mut Edit, step: &mut GrantStep) -> Result<()> {
    match step.state {
        _ if step.undoing => {}
        StepState::Pending => {
            dequeue(edit, step).await?;
            step.state = StepState::Cancelled;
        }
        StepState::Sending => step.cancelling = true,
        _ => {}
    }
    Ok(())
}

async fn dequeue(edit: &mut Edit, step: &mut GrantStep) -> Result<()> {
    step.next_attempt_at = None;
    match (step.kind, step.server_id) {
        (StepKind::Rcon, Some(server_id)) => COMMANDS.remove(edit, server_id, &[step.id]).await,
        _ => Ok(()),
    }
}

/// Takes back what can be taken back. A second time changes nothing.
pub async fn revoke(
    edit: &mut Edit,
    before: Target<Grant>,
    mut user: User,
) -> Result<Change<Grant>> {
    let mut grant = before.clone();
    revoke_in_place(edit, &mut grant, &mut user).await?;
    Ok(Change::updated("revoke", &before, grant))
}

/// Revokes the grant of an invoice that is no longer paid. The user must be locked. Returns the audit
/// entries.
pub async fn revoke_of_invoice(
    edit: &mut Edit,
    user: &mut User,
    invoice_id: i64,
) -> Result<Vec<Entry>> {
    let Some(id) = store::live_of_invoice(edit, invoice_id).await? else {
        return Ok(Vec::new());
    };
    store::lock(edit, id).await?;
    let grant = store::find(edit, id).await?;
    let before = edit.part(grant)?;
    let mut grant = before.clone();
    revoke_in_place(edit, &mut grant, user).await?;
    Ok(Change::updated("revoke", &before, grant).into_entries())
}

async fn revoke_in_place(edit: &mut Edit, grant: &mut Grant, user: &mut User) -> Result<()> {
    if grant.revoked_at.is_some() {
        return Ok(());
    }
    let before = grant.state;
    grant.revoked_at = Some(edit.now());
    let known = grant.clone();
    // The last period first, since taking one back moves those after it.
    for step in grant.steps.iter_mut().rev() {
        match step.kind {
            StepKind::Role => role_steps::take_back(edit, user, &known, step).await?,
            StepKind::Rcon | StepKind::Plugin => undo(edit, &known, step).await?,
        }
    }
    // The entry of the revocation covers the state.
    save(edit, before, grant).await?;
    Ok(())
}

/// Takes back a step for a server: what is pending is cancelled, what is done is undone, as far as
/// it can be.
async fn undo(edit: &mut Edit, grant: &Grant, step: &mut GrantStep) -> Result<()> {
    match step.state {
        _ if step.undoing => {}
        StepState::Pending | StepState::Sending => cancel_step(edit, step).await?,
        StepState::Failed => step.state = StepState::Cancelled,
        // An uncertain command may have run.
        StepState::Done | StepState::Uncertain => begin_undo(edit, grant, step).await?,
        StepState::Cancelled | StepState::Undone | StepState::Kept => {}
    }
    Ok(())
}

/// Takes back a step that was carried out, or may have been.
pub async fn begin_undo(edit: &mut Edit, grant: &Grant, step: &mut GrantStep) -> Result<()> {
    let can_undo = step.kind == StepKind::Plugin || step.undo_command.is_some();
    if !can_undo {
        step.state = StepState::Kept;
        return Ok(());
    }
    step.undoing = true;
    step.cancelling = false;
    step.state = StepState::Pending;
    step.attempts = 0;
    step.queued_at = edit.now();
    step.error = None;
    if let Some(obstacle) = obstacle(edit, grant, step).await? {
        give_up(grant, step, obstacle);
        return Ok(());
    }
    let now = queue::now(edit.core());
    enqueue(edit, step, now).await
}

/// Ends a step that cannot be carried out. What was carried out stays if nothing can take it back
/// any more.
pub fn give_up(grant: &Grant, step: &mut GrantStep, obstacle: Obstacle) {
    step.fail(obstacle.sentence());
    step.next_attempt_at = None;
    let is_final = grant.recipient.is_erased() || obstacle == Obstacle::ServerDeleted;
    if step.undoing && is_final {
        step.state = StepState::Kept;
    }
}

/// Undoes the grants that gave roles which users no longer hold. If several grants of one product
/// extended a role, only the last one is undone. The users must be locked.
pub async fn undo_of_ended_roles(edit: &mut Edit, ended: &[(i64, i64)]) -> Result<()> {
    let mut users_of: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (user_id, role_id) in ended {
        users_of.entry(*role_id).or_default().push(*user_id);
    }
    for (role_id, user_ids) in users_of {
        undo_grants_of(edit, role_id, Some(&user_ids)).await?;
    }
    Ok(())
}

/// The same for a role that is about to be deleted.
pub async fn undo_of_deleted_role(edit: &mut Edit, role_id: i64) -> Result<()> {
    undo_grants_of(edit, role_id, None).await
}

async fn undo_grants_of(edit: &mut Edit, role_id: i64, user_ids: Option<&[i64]>) -> Result<()> {
    let holding = store::holding(edit, role_id, user_ids).await?;
    if holding.is_empty() {
        return Ok(());
    }
    let mut last: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for grant in &holding {
        last.insert((grant.user_id, grant.product_id), grant.grant_id);
    }
    let ids: Vec<i64> = holding.iter().map(|grant| grant.grant_id).collect();
    let is_last = |grant: &Grant| {
        let last = last.get(&(grant.user_id, grant.product_id));
        last == Some(&grant.id)
    };
    end_role_of(edit, &ids, role_id, is_last).await
}

/// Prepares the end of a role because a grant is revoked that was the last to extend it: earlier
/// grants of its product are not undone as well.
pub async fn end_role_of_earlier(edit: &mut Edit, grant: &Grant, role_id: i64) -> Result<()> {
    let holding = store::holding(edit, role_id, Some(&[grant.user_id])).await?;
    let earlier = holding
        .iter()
        .filter(|holding| holding.product_id == grant.product_id && holding.grant_id < grant.id);
    let ids: Vec<i64> = earlier.map(|holding| holding.grant_id).collect();
    end_role_of(edit, &ids, role_id, |_| false).await
}

/// Stores that the role of these grants has ended, and cancels what is open. Undoes what was carried
/// out by those that were the last to extend it.
async fn end_role_of(
    edit: &mut Edit,
    grant_ids: &[i64],
    role_id: i64,
    is_last: impl Fn(&Grant) -> bool,
) -> Result<()> {
    let (mut entries, mut ended) = (Vec::new(), Vec::new());
    for mut grant in locked(edit, grant_ids).await? {
        let before = grant.state;
        let known = grant.clone();
        let first_role = grant.first_role_step().and_then(|step| step.role_id);
        let ends_commands = first_role == Some(role_id);
        let is_last = is_last(&grant);
        for step in &mut grant.steps {
            match step.kind {
                StepKind::Role if step.role_id == Some(role_id) => {
                    step.role_ended = true;
                    ended.push(step.id);
                }
                StepKind::Role => {}
                StepKind::Rcon | StepKind::Plugin if ends_commands => {
                    if is_last || !matches!(step.state, StepState::Done | StepState::Uncertain) {
                        undo(edit, &known, step).await?;
                        store::update_step(edit, step).await?;
                    }
                }
                StepKind::Rcon | StepKind::Plugin => {}
            }
        }
        if grant.derived_state() != before {
            entries.extend(save_state(edit, before, &mut grant).await?);
        }
    }
    // Many roles end at once, so all steps are marked by one statement.
    store::mark_role_ended(edit, &ended).await?;
    edit.record_as_system(&entries).await
}

/// Grants, locked until the end of the transaction.
async fn locked(edit: &mut Edit, ids: &[i64]) -> Result<Vec<Grant>> {
    store::lock_many(edit, ids).await?;
    Ok(store::find_many(edit, ids).await?)
}

/// Fails the open steps on a server that is about to be deleted.
pub async fn fail_those_on(edit: &mut Edit, server_id: i64) -> Result<()> {
    let ids = store::open_on(edit, server_id).await?;
    let mut entries: Vec<Entry> = Vec::new();
    for mut grant in locked(edit, &ids).await? {
        let before = grant.state;
        let known = grant.clone();
        for step in &mut grant.steps {
            if step.server_id == Some(server_id) && step.state == StepState::Pending {
                dequeue(edit, step).await?;
                give_up(&known, step, Obstacle::ServerDeleted);
            }
        }
        entries.extend(save(edit, before, &mut grant).await?);
    }
    edit.record_as_system(&entries).await
}

/// Cancels the pending steps of an erased user, and removes the copies of names and links.
pub async fn erase(edit: &mut Edit, user_id: i64) -> Result<()> {
    let ids = store::of_user(edit, user_id).await?;
    for mut grant in locked(edit, &ids).await? {
        let before = grant.state;
        for step in &mut grant.steps {
            match step.state {
                StepState::Pending => {
                    dequeue(edit, step).await?;
                    step.state = StepState::Cancelled;
                    step.error = Some(ERASED.to_owned());
                }
                StepState::Sending => step.cancelling = true,
                _ => {}
            }
            // The answer of a console may have the name.
            step.reply = None;
        }
        grant.recipient = Recipient::default();
        grant.reason = String::new();
        save(edit, before, &mut grant).await?;
    }
    Ok(())
}

/// The step of a grant.
pub fn step_of(grant: &mut Grant, step_id: i64) -> Result<&mut GrantStep> {
    let step = grant.steps.iter_mut().find(|step| step.id == step_id);
    step.ok_or(Error::NotFound("step"))
}

/// Whether the grant was taken back while one of its commands was being sent.
pub fn is_taken_back(grant: &Grant) -> bool {
    let has_ended = grant.first_role_step().is_some_and(|step| step.role_ended);
    grant.revoked_at.is_some() || has_ended || grant.state == GrantState::Revoked
}
