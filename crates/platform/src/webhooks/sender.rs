//! Sends due deliveries in the background.
//!
//! Each webhook is a line of the [queue](kernel::queue) with a few concurrent requests, and only one
//! if it fails, so that a slow receiver does not delay others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::Conn;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use tokio::time::Instant;
use webhook_client::{Message, SigningSecret};

use super::deliveries::{Attempt, Attempts};
use super::dispatcher::{MAX_REST, QUEUE};
use super::outcome::{self, Outcome};
use super::{Webhook, payload, secrets, store};
use crate::audit;
use crate::audit::events::may_see;
use crate::webhooks::State;
use kernel::queue::{self, Lease, Queue, Stop, Work};
use kernel::{Core, Result};

/// The number of deliveries of a webhook leased at once.
const BATCH: i64 = 32;
/// How many requests are sent to a receiver concurrently.
const CONCURRENT: usize = 4;
/// The time in which requests of a batch are started. The rest waits for the next batch.
const BATCH_TIME: Duration = Duration::from_secs(5);
/// The pause after a batch, as a multiple of the time that its transactions took. They take longer
/// while clients use the database, and then a long queue must not slow them down.
const REST: u32 = 8;
/// The status with which a receiver asks for a pause.
const TOO_MANY_REQUESTS: u16 = 429;

/// A delivery that is leased to this instance.
pub struct Claim {
    pub event_id: i64,
    pub attempts_made: i64,
    pub attempts: Attempts,
}

/// Sends due deliveries until the service stops, and returns when the outcomes are stored.
pub async fn run(state: State) {
    queue::run(Arc::new(state)).await;
}

/// Sends all due deliveries, and returns when the outcomes are stored.
pub async fn once(state: &State) -> Result<()> {
    queue::once(Arc::new(state.clone())).await
}

/// A line of the queue is a webhook, an item the id of an event.
impl Work for State {
    fn queue(&self) -> &'static Queue {
        &QUEUE
    }

    fn core(&self) -> &Core {
        &self.kernel.core
    }

    fn stop(&self) -> &Stop {
        self.dispatcher.stopping()
    }

    fn open_lines<'a>(
        &'a self,
        conn: &'a mut Conn,
        webhook_ids: Vec<i64>,
        now: i64,
    ) -> BoxFuture<'a, Result<Vec<i64>>> {
        Box::pin(async move { Ok(store::queue::active(conn, &webhook_ids, now).await?) })
    }

    fn work_on(&self, webhook_id: i64) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(send_batch(self, webhook_id))
    }
}

/// Sends one batch. Returns the pause before the next one, if more may be due.
async fn send_batch(state: &State, webhook_id: i64) -> Result<Option<Duration>> {
    let claiming = Instant::now();
    let Some((receiver, lease, claims)) = claim(state, webhook_id).await? else {
        return Ok(None);
    };
    let begun = Instant::now();
    let is_stopped = AtomicBool::new(false);
    let attempts = stream::iter(claims).map(|claim| {
        let (receiver, is_stopped) = (&receiver, &is_stopped);
        async move {
            // After a failure, the other deliveries wait for the next round.
            let is_over = begun.elapsed() > BATCH_TIME || state.stop().is_stopping();
            if is_over || is_stopped.load(Ordering::Relaxed) {
                return Ok((claim, Outcome::Unsent));
            }
            let outcome = deliver(state, receiver, claim.event_id).await?;
            if let Outcome::Attempted(attempt) = &outcome
                && !attempt.is_success()
            {
                is_stopped.store(true, Ordering::Relaxed);
            }
            Ok((claim, outcome))
        }
    });
    let attempts = attempts.buffer_unordered(CONCURRENT);
    let outcomes: Vec<Result<(Claim, Outcome)>> = attempts.collect().await;
    // A delivery that could not be read stays leased; the outcomes of the others are stored.
    let mut failure = None;
    let mut known = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(outcome) => known.push(outcome),
            Err(error) => failure = Some(error),
        }
    }
    let storing = Instant::now();
    outcome::store(&state.kernel.core, &receiver.webhook, &lease, known).await?;
    let rest = (((begun - claiming) + storing.elapsed()) * REST).min(MAX_REST);
    let is_over = is_stopped.into_inner() || state.stop().is_stopping();
    match failure {
        Some(error) => Err(error),
        None => Ok((!is_over).then_some(rest)),
    }
}

/// A webhook with its decrypted secrets.
struct Receiver {
    webhook: Webhook,
    /// Empty if the secret was lost.
    secrets: Vec<SigningSecret>,
}

/// Leases due deliveries. `None` if the webhook is no longer active, or its receiver wants a pause.
async fn claim(state: &State, webhook_id: i64) -> Result<Option<(Receiver, Lease, Vec<Claim>)>> {
    let now = queue::now(&state.kernel.core);
    let mut tx = state.kernel.core.db.begin().await?;
    let webhook = store::find(&mut tx, webhook_id).await?;
    let may_send = |webhook: &Webhook| {
        let paused_until = webhook.progress.paused_until;
        webhook.active && paused_until.is_none_or(|until| until <= now)
    };
    let Some(webhook) = webhook.filter(may_send) else {
        tx.rollback().await?;
        return Ok(None);
    };
    let limit = match webhook.progress.failing_since {
        Some(_) => 1,
        None => BATCH,
    };
    let lease = QUEUE.lease(&mut tx, webhook_id, now, limit).await?;
    let claims = store::queue::claims(&mut tx, webhook_id, &lease.items).await?;
    let secrets = secrets::open(&mut tx, &state.kernel.core, &webhook).await?;
    tx.commit().await?;
    Ok(Some((Receiver { webhook, secrets }, lease, claims)))
}

async fn deliver(state: &State, receiver: &Receiver, event_id: i64) -> Result<Outcome> {
    let _permit = state.dispatcher.permit().await?;
    let mut read = state.kernel.core.db.read().await?;
    let entry = audit::find(&mut read, event_id).await?;
    drop(read);
    let Receiver { webhook, secrets } = receiver;
    let Some(entry) = entry else {
        return Ok(Outcome::Unsendable(
            "The audit entry of the event was deleted.",
        ));
    };
    // Checked when it was queued as well, but the webhook may have been saved again since.
    if !may_see(webhook.permissions, &entry.resource) {
        return Ok(Outcome::Unsendable(
            "The key or operator that saved the webhook may not read this event.",
        ));
    }
    let id = payload::message_id(webhook.id, &entry);
    let body = payload::render(webhook.format, &entry);
    let attempt = attempt(state, webhook, secrets, &id, &body).await;
    let outcome = if attempt.is_success() {
        "delivered"
    } else {
        "failed"
    };
    let labels = [("outcome", outcome)];
    let metrics = &state.kernel.core.metrics;
    let attempts = metrics.counter("steward_webhook_attempts_total", &labels);
    attempts.increment(1);
    Ok(Outcome::Attempted(attempt))
}

/// Sends one request and returns its result.
pub(super) async fn attempt(
    state: &State,
    webhook: &Webhook,
    secrets: &[SigningSecret],
    message_id: &str,
    body: &[u8],
) -> Attempt {
    let at = state.kernel.core.clock.now().unix();
    let started = Instant::now();
    let answer = match (webhook.url.parse(), secrets) {
        (None, _) => Err("The URL is not valid.".to_owned()),
        (_, []) => Err("The signing secret was lost. Rotate it.".to_owned()),
        (Some(url), secrets) => {
            let message = Message {
                id: message_id,
                timestamp: at,
                body,
            };
            let sent = state.dispatcher.client().send(&url, secrets, message).await;
            sent.map_err(|failure| failure.to_string())
        }
    };
    let took = started.elapsed();
    let seconds = state
        .kernel
        .core
        .metrics
        .histogram("steward_webhook_attempt_seconds");
    seconds.record(took.as_secs_f64());
    let mut attempt = Attempt {
        at,
        status: None,
        duration_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
        error: None,
        reply: String::new(),
        retry_after: None,
    };
    match answer {
        Ok(answer) => {
            attempt.status = Some(answer.status);
            attempt.reply = Attempt::reply_of(&answer.body);
            let is_pause = answer.status == TOO_MANY_REQUESTS;
            attempt.retry_after = answer.retry_after.filter(|_| is_pause);
        }
        Err(error) => attempt.error = Some(error),
    }
    attempt
}
