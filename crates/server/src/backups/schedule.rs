//! Takes backups by itself, as often as the operator asked for.

use std::time::Duration;

use futures_util::future::BoxFuture;
use kernel::types::time::HOUR;
use kernel::write::{Change, Edit};
use kernel::{Error, Result};

use super::State;
use super::job::Claim;
use crate::app::App;

/// How often to check whether a backup is due.
const ROUND: Duration = Duration::from_secs(60);
/// How long to wait after a failure. Its cause, such as a full disk, seldom passes sooner.
const RETRY_SECONDS: i64 = 10 * 60;

/// Takes a backup whenever one is due, until it is dropped.
pub fn run(app: App) -> BoxFuture<'static, ()> {
    Box::pin(run_until_dropped(app))
}

async fn run_until_dropped(app: App) {
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        rounds.tick().await;
        // A failure of the backup itself is logged where it happens.
        if let Err(error) = once(&app).await {
            tracing::warn!(%error, "no backup was taken; retrying later");
        }
    }
}

/// Takes a backup if one is due, and waits until it is complete. Returns whether there was one to
/// take. Several instances may do this at the same time.
pub async fn once(app: &App) -> Result<bool> {
    if app.backups.settings.folder.is_none() {
        return Ok(false);
    }
    remove_leftovers(app)?;
    app.backups.refresh();
    if !is_due(app)? {
        return Ok(false);
    }
    let claim = match Claim::new(app).await {
        Ok(claim) => claim,
        Err(Error::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    // Another instance may have taken it in the meantime.
    if !is_due(app)? {
        return Ok(false);
    }
    let edit = Edit::maintenance(app).await?;
    edit.commit(Change::created(claim.backup())).await?;
    claim.start(app).await.map_err(Error::internal)??;
    Ok(true)
}

/// What a killed instance has left is not shown as running for long.
fn remove_leftovers(app: &App) -> Result<()> {
    let folder = app.backups.folder()?;
    if let Some(lock) = folder.try_lock().map_err(Error::internal)? {
        folder.remove_leftovers(&lock).map_err(Error::internal)?;
    }
    Ok(())
}

/// Backups of the future do not count: the clock was wrong then.
fn is_due(app: &App) -> Result<bool> {
    let Some(hours) = app.backups.settings.every_hours else {
        return Ok(false);
    };
    let now = app.clock.now().unix();
    let list = app.backups.folder()?.list().map_err(Error::internal)?;
    let is_recent = |state, seconds: i64| {
        let mut found = list.iter().filter(|backup| backup.state == state);
        found.any(|backup| (now - seconds + 1..=now).contains(&backup.created_at.unix()))
    };
    Ok(
        !is_recent(State::Done, i64::from(hours) * HOUR)
            && !is_recent(State::Failed, RETRY_SECONDS),
    )
}
