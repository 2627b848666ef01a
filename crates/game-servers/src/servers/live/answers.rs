//! Stores the answers of game servers. Answers that arrive at about the same time share a
//! transaction.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use super::failure::Failure;
use super::querier::{Progress, Trigger};
use super::schedule::{self, now};
use super::{LiveStatus, store};
use crate::servers::store::lock_shared;
use crate::servers::{COMMANDS, State, history};
use kernel::Result;
use kernel::types::Timestamp;

/// How long the first answer of a batch waits for others.
const BATCH_DELAY: Duration = Duration::from_millis(100);

/// Answers waiting to be stored.
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
    /// Notifies the waiting callers.
    pub(super) progress: watch::Sender<Progress>,
}

impl AnswerQueue {
    fn waiting(&self) -> MutexGuard<'_, Vec<Answer>> {
        self.waiting.lock()
    }
}

/// Queues an answer, then stores everything in the queue and notifies the waiting callers. Returns
/// once this answer is stored, by this call or by a concurrent one.
pub(super) async fn store_answers(state: &State, answer: Answer) {
    let queue = &state.live.answers;
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
    // Sorted, so that two instances lock rows in the same order.
    batch.sort_by_key(|answer| answer.server_id);
    let stored = store_batch(state, &batch).await;
    if let Err(error) = &stored {
        tracing::warn!(%error, "the answers of game servers were not stored");
    }
    let stored = stored.unwrap_or_default();
    for (i, answer) in batch.into_iter().enumerate() {
        state.live.finish(&answer);
        let progress = match stored.get(i) {
            Some(true) => Progress::Stored(Arc::new(answer.status)),
            Some(false) => Progress::Outdated,
            None => Progress::NotStored,
        };
        answer.progress.send_replace(progress);
    }
}

/// Stores a batch. Returns whether each answer was stored: one from before a change of the server
/// is not.
async fn store_batch(state: &State, batch: &[Answer]) -> Result<Vec<bool>> {
    let now = now(&state.kernel.core);
    let settings = state.live.settings();
    let mut tx = state.kernel.core.db.begin().await?;
    let ids: Vec<i64> = batch.iter().map(|answer| answer.server_id).collect();
    lock_shared(&mut tx, &ids).await?;
    let reachable = store::reachable(&mut tx, &ids).await?;
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
    // Their commands need not wait any longer.
    let back = batch.iter().zip(&stored).filter(|(answer, is_stored)| {
        **is_stored && answer.status.reachable && !reachable.contains(&answer.server_id)
    });
    let back: Vec<i64> = back.map(|(answer, _)| answer.server_id).collect();
    COMMANDS.wake(&mut tx, &back, now).await?;
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
