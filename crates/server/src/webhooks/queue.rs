//! Adds a delivery for each event and webhook, in the background: a write itself does nothing for
//! webhooks.
//!
//! The audit log is the only source. How far each webhook has come is stored with the deliveries, in
//! one transaction, so that a crash loses no event and queues none twice. One instance queues at a
//! time.

use std::time::{Duration, Instant};

use db::AdvisoryLock;

use super::sender::MAX_REST;
use super::store;
use crate::app::App;
use crate::audit::events::{self, Tail};
use kernel::Result;

/// How often new events are looked for.
const POLL: Duration = Duration::from_millis(250);
/// How long to rest at least, as a multiple of the time that it took to queue. Queueing takes long
/// while clients use the database, and is then not urgent: sending has to wait for them as well.
const REST: u32 = 16;
/// How long to wait after an error of the database.
const RETRY: Duration = Duration::from_secs(1);
/// How many events are queued in one transaction. There is one in each round: queueing much faster
/// than sending would only take the database from the writers that cause the events.
const BATCH: i64 = 250;
/// How many transactions there are at most when events are queued on request.
const MAX_BATCHES: usize = 40;

/// Queues events until the service stops.
pub async fn run(app: App) {
    let mut queue = Queue::default();
    while !app.webhooks.is_stopping() {
        let started = Instant::now();
        let pause = match queue.advance(&app, 1).await {
            Ok(()) => (started.elapsed() * REST).clamp(POLL, MAX_REST),
            Err(error) => {
                tracing::warn!(%error, "events could not be queued for webhooks; retrying");
                RETRY
            }
        };
        app.webhooks.pause(pause).await;
    }
}

/// Queues the events until now, at most 10,000.
pub async fn once(app: &App) -> Result<()> {
    Queue::default().advance(app, MAX_BATCHES).await
}

#[derive(Default)]
struct Queue {
    /// Knows up to where the log is complete. `None` while no webhook waits for events.
    tail: Option<Tail>,
}

impl Queue {
    async fn advance(&mut self, app: &App, batches: usize) -> Result<()> {
        let mut read = app.db.read().await?;
        let Some(from) = store::queue::first_position(&mut read).await? else {
            self.tail = None;
            return Ok(());
        };
        let tail = match &mut self.tail {
            Some(tail) => tail,
            none => none.insert(Tail::start(&mut read).await?),
        };
        // No further than it takes: a log that grows faster than it is queued is not read twice.
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
            if queue_batch(app, to).await? {
                break;
            }
        }
        Ok(())
    }
}

/// Queues the next events up to the id `to`. Returns whether all are queued.
async fn queue_batch(app: &App, to: i64) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    tx.lock_advisory(AdvisoryLock::Webhooks).await?;
    let webhooks = store::queue::lock_all(&mut tx).await?;
    let first = webhooks.iter().map(|webhook| webhook.position).min();
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
    let now = app.clock.millis() as i64;
    for webhook in webhooks {
        let end = webhook.last_event.map_or(reached, |last| last.min(reached));
        if webhook.position >= end {
            continue;
        }
        let wanted = events.iter().filter(|event| {
            let is_new = event.id > webhook.position && event.id <= end;
            is_new && webhook.events.match_action(&event.action)
        });
        let ids: Vec<i64> = wanted.map(|event| event.id).collect();
        store::queue::insert(&mut tx, webhook.id, &ids, now).await?;
        store::queue::set_position(&mut tx, webhook.id, end).await?;
    }
    tx.commit().await?;
    Ok(is_last)
}
