//! Adds a delivery for each event and webhook, in the background: a write itself does nothing for
//! webhooks.
//!
//! The audit log is the only source. The position of each webhook is stored in the same transaction
//! as its deliveries, so that a crash neither loses events nor queues them twice. One instance
//! queues at a time.

use std::time::{Duration, Instant};

use db::AdvisoryLock;

use super::dispatcher::{MAX_REST, QUEUE};
use super::store;
use crate::audit::events::{self, Tail};
use crate::webhooks::State;
use kernel::Result;
use kernel::queue::now;

/// How often to look for new events.
const POLL: Duration = Duration::from_millis(250);
/// The minimum pause, as a multiple of the time that queueing took. Queueing is slow while clients
/// use the database, and then not urgent: sending has to wait for them as well.
const REST: u32 = 16;
/// The wait after a database error.
const RETRY: Duration = Duration::from_secs(1);
/// The number of events queued in one transaction. Each round has one: queueing much faster than
/// sending would only slow down the writers that cause the events.
const BATCH: i64 = 250;
/// The maximum number of transactions when events are queued on request.
const MAX_BATCHES: usize = 40;

/// Queues events until the service stops.
pub async fn run(state: State) {
    let mut queue = Queue::default();
    while !state.dispatcher.stopping().is_stopping() {
        let started = Instant::now();
        let pause = match queue.advance(&state, 1).await {
            Ok(()) => (started.elapsed() * REST).clamp(POLL, MAX_REST),
            Err(error) => {
                tracing::warn!(%error, "events could not be queued for webhooks; retrying");
                RETRY
            }
        };
        state.dispatcher.stopping().pause(pause).await;
    }
}

/// Queues the events until now, at most 10,000.
pub async fn once(state: &State) -> Result<()> {
    Queue::default().advance(state, MAX_BATCHES).await
}

#[derive(Default)]
struct Queue {
    /// The position up to which the log is complete. `None` while no webhook waits for events.
    tail: Option<Tail>,
}

impl Queue {
    async fn advance(&mut self, state: &State, batches: usize) -> Result<()> {
        let mut read = state.kernel.core.db.read().await?;
        let Some(from) = store::queue::first_position(&mut read).await? else {
            self.tail = None;
            return Ok(());
        };
        let tail = match &mut self.tail {
            Some(tail) => tail,
            none => none.insert(Tail::start(&mut read).await?),
        };
        // Read only what this batch needs; the next batch reads the rest.
        let wanted = from + BATCH * batches as i64;
        while tail.position() < wanted {
            let advance = tail.advance(&mut read).await?;
            if advance.has_gap || !advance.is_full {
                break;
            }
        }
        let to = tail.position();
        drop(read);
        if from >= to {
            return Ok(());
        }
        for _ in 0..batches {
            if queue_batch(state, to).await? {
                break;
            }
        }
        Ok(())
    }
}

/// Queues the next events up to the id `to`. Returns whether all are queued.
async fn queue_batch(state: &State, to: i64) -> Result<bool> {
    let mut tx = state.kernel.core.db.begin().await?;
    tx.lock_advisory(AdvisoryLock::Webhooks).await?;
    let webhooks = store::queue::lock_all(&mut tx).await?;
    let positions = webhooks.iter().map(|webhook| webhook.progress.position);
    let first = positions.min();
    let Some(after) = first.filter(|first| *first < to) else {
        tx.rollback().await?;
        return Ok(true);
    };
    let events = events::occurred(&mut tx, after, to, BATCH).await?;
    let is_last = (events.len() as i64) < BATCH;
    let reached = match events.last() {
        Some(last) if !is_last => last.id,
        _ => to,
    };
    let now = now(&state.kernel.core);
    for webhook in webhooks {
        let position = webhook.progress.position;
        let last_event = webhook.progress.last_event;
        let end = last_event.map_or(reached, |last| last.min(reached));
        if position >= end {
            continue;
        }
        let wanted = events.iter().filter(|event| {
            let is_new = event.id > position && event.id <= end;
            is_new && webhook.sends(event)
        });
        let ids: Vec<i64> = wanted.map(|event| event.id).collect();
        let added = store::queue::insert(&mut tx, webhook.id, &ids, now / 1000).await?;
        QUEUE.add(&mut tx, webhook.id, &added, now).await?;
        store::queue::set_position(&mut tx, webhook.id, end).await?;
    }
    tx.commit().await?;
    Ok(is_last)
}
