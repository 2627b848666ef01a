//! Stores the answers of game servers, those that arrive at about the same time in one
//! transaction.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::failure::Failure;
use super::querier::{Progress, Trigger};
use super::{LiveStatus, now, schedule, store};
use crate::app::App;
use crate::servers::{self, history};
use kernel::Result;
use kernel::types::Timestamp;

/// How long the first answer of a batch waits for others.
const BATCH_DELAY: Duration = Duration::from_millis(100);

/// Answers that wait to be stored.
#[derive(Default)]
pub struct AnswerQueue {
    waiting: Mutex<Vec<Answer>>,
    /// Locked while a batch is stored.
    storing: tokio::sync::Mutex<()>,
}

/// The result of one query.
pub struct Answer {
    pub server_id: i64,
    /// The version of the server's address and game that was queried.
    pub epoch: i64,
    pub status: LiveStatus,
    pub(super) trigger: Trigger,
    /// Tells the waiting callers.
    pub(super) progress: watch::Sender<Progress>,
}

impl AnswerQueue {
    fn waiting(&self) -> MutexGuard<'_, Vec<Answer>> {
        self.waiting.lock()
    }
}

/// Queues an answer, then stores everything in the queue and tells the callers that wait for it.
/// Returns once this answer is stored, by this call or by a concurrent one.
pub(super) async fn store_answers(app: &App, answer: Answer) {
    let queue = &app.live.answers;
    let is_urgent = matches!(answer.trigger, Trigger::Request);
    queue.waiting().push(answer);
    let _storing = queue.storing.lock().await;
    if queue.waiting().is_empty() {
        return;
    }
    if !is_urgent {
        tokio::time::sleep(BATCH_DELAY).await;
    }
    let mut batch = std::mem::take(&mut *queue.waiting());
    // Ordered, so that two instances never wait for each other's locks.
    batch.sort_by_key(|answer| answer.server_id);
    let stored = store_batch(app, &batch).await;
    if let Err(error) = &stored {
        tracing::warn!(%error, "the answers of game servers were not stored");
    }
    let stored = stored.unwrap_or_default();
    for (i, answer) in batch.into_iter().enumerate() {
        app.live.finish(&answer);
        let progress = match stored.get(i) {
            Some(true) => Progress::Stored(Arc::new(answer.status)),
            Some(false) => Progress::Outdated,
            None => Progress::NotStored,
        };
        answer.progress.send_replace(progress);
    }
}

/// Says for each answer whether it was stored. An answer from before a change of the server is
/// not.
async fn store_batch(app: &App, batch: &[Answer]) -> Result<Vec<bool>> {
    let now = now(app);
    let settings = app.live.settings();
    let mut tx = app.db.begin().await?;
    let ids: Vec<i64> = batch.iter().map(|answer| answer.server_id).collect();
    servers::prevent_deletion(&mut tx, &ids).await?;
    let mut stored = Vec::new();
    let mut samples = Vec::new();
    for answer in batch {
        let is_current = store::set_status(&mut tx, answer).await?;
        stored.push(is_current);
        if !is_current {
            continue;
        }
        let (id, status) = (answer.server_id, &answer.status);
        match answer.trigger {
            Trigger::Schedule { failures } => {
                let failures = if status.reachable { 0 } else { failures + 1 };
                let next = now + schedule::delay(settings, failures);
                store::schedule(&mut tx, id, failures, next).await?;
                // A forbidden address was not queried, so there is nothing to sample.
                if status.error != Some(Failure::Forbidden.as_str()) {
                    samples.push((id, status.into()));
                }
            }
            // A server that answers again returns to the usual interval.
            Trigger::Request if status.reachable => {
                let next = now + schedule::delay(settings, 0);
                store::bring_forward(&mut tx, id, next).await?;
            }
            Trigger::Request => {}
        }
    }
    history::record(&mut tx, &samples).await?;
    tx.commit().await?;
    Ok(stored)
}

impl From<&LiveStatus> for history::Sample {
    fn from(status: &LiveStatus) -> Self {
        Self {
            at: status.checked_at.map_or(0, Timestamp::unix),
            players: status.reachable.then_some(status.players_online),
            max_players: status.max_players,
        }
    }
}
