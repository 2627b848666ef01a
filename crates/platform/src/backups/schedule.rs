//! Takes backups at the interval that the operator chose.

use std::time::Duration;

use futures_util::future::BoxFuture;
use kernel::types::time::HOUR;
use kernel::write::{Change, Edit};
use kernel::{Error, Result};

use super::job::Claim;
use super::{BackupState, State};

/// How often to check whether a backup is due.
const ROUND: Duration = Duration::from_secs(60);
/// The wait after a failure. Its cause, such as a full disk, rarely passes sooner.
const RETRY_SECONDS: i64 = 10 * 60;

/// Takes a backup whenever one is due, until the future is dropped.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(run_until_dropped(state))
}

async fn run_until_dropped(state: State) {
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        rounds.tick().await;
        // Failures of the backup itself are logged there.
        if let Err(error) = once(&state).await {
            tracing::warn!(%error, "no backup was taken; retrying later");
        }
    }
}

/// Takes a backup if one is due, and waits until it is complete. Returns whether one was due.
/// Several instances may do this at the same time.
pub async fn once(state: &State) -> Result<bool> {
    if state.backups.settings.folder.is_none() {
        return Ok(false);
    }
    remove_leftovers(state)?;
    state.backups.refresh();
    if !is_due(state)? {
        return Ok(false);
    }
    let claim = match Claim::new(state).await {
        Ok(claim) => claim,
        Err(Error::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    // Another instance may have taken the backup in the meantime.
    if !is_due(state)? {
        return Ok(false);
    }
    let edit = Edit::maintenance(&state.kernel.core).await?;
    edit.commit(Change::created(claim.backup())).await?;
    claim.start(state).await.map_err(Error::internal)??;
    Ok(true)
}

/// Removes what a killed instance left, which would otherwise be shown as running.
fn remove_leftovers(state: &State) -> Result<()> {
    let folder = state.backups.folder()?;
    if let Some(lock) = folder.try_lock().map_err(Error::internal)? {
        folder.remove_leftovers(&lock).map_err(Error::internal)?;
    }
    Ok(())
}

/// Whether a backup is due. Backups in the future do not count: the clock was wrong then.
fn is_due(state: &State) -> Result<bool> {
    let Some(hours) = state.backups.settings.every_hours else {
        return Ok(false);
    };
    let now = state.kernel.core.clock.now().unix();
    let list = state.backups.folder()?.list().map_err(Error::internal)?;
    let is_recent = |state, seconds: i64| {
        let mut found = list.iter().filter(|backup| backup.state == state);
        found.any(|backup| (now - seconds + 1..=now).contains(&backup.created_at.unix()))
    };
    Ok(!is_recent(BackupState::Done, i64::from(hours) * HOUR)
        && !is_recent(BackupState::Failed, RETRY_SECONDS))
}
