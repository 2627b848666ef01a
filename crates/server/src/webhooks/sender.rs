//! Sends what is due, in the background.
//!
//! An instance leases the deliveries that it sends; if it dies, the leases expire and other instances
//! take over. Each webhook has a task of its own with a few requests at the same time, and one that
//! fails has a single one, so that a slow receiver delays no other.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use metrics::{counter, histogram};
use tokio::task::JoinSet;
use tokio::time::Instant;
use webhook_client::{Message, SigningSecret};

use super::deliveries::{Attempt, Attempts};
use super::outcome::{self, Outcome};
use super::{Webhook, payload, secrets, store};
use crate::app::App;
use crate::audit;
use kernel::Result;

/// How often the schedule is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// How many deliveries of a webhook are leased at once.
const BATCH: i64 = 32;
/// How many requests are sent to a receiver at the same time.
const CONCURRENT: usize = 4;
/// How long requests of a batch are begun. The rest waits for the next one.
const BATCH_TIME: Duration = Duration::from_secs(5);
/// How long to rest after a batch, as a multiple of the time that its transactions took. They take
/// longer while clients use the database, and then a long queue must not slow the clients down.
const REST: u32 = 8;
/// The longest rest, so that a database which stood still for a moment does not delay events for
/// minutes.
pub const MAX_REST: Duration = Duration::from_secs(2);
/// How long a lease is, in milliseconds: the time of a batch, that of its last request, and as much
/// again to store the outcomes.
const LEASE: i64 = 20_000;

/// A delivery that is leased to this instance.
pub struct Claim {
    pub event_id: i64,
    pub attempts_made: i64,
    pub attempts: Attempts,
    /// The end of the lease, in milliseconds.
    pub lease: i64,
}

/// Sends what is due until the service stops, and returns when the outcomes are stored.
pub async fn run(app: App) {
    let mut sender = Sender::new(app);
    while !sender.app.webhooks.is_stopping() {
        if let Err(error) = sender.start_due().await {
            tracing::warn!(%error, "webhooks could not be sent; retrying");
        }
        sender.app.webhooks.pause(CHECK_INTERVAL).await;
    }
    while sender.tasks.join_next().await.is_some() {}
}

/// Sends everything that is due, and returns when the outcomes are stored.
pub async fn once(app: &App) -> Result<()> {
    let mut sender = Sender::new(app.clone());
    sender.start_due().await?;
    while sender.tasks.join_next().await.is_some() {}
    Ok(())
}

struct Sender {
    app: App,
    /// One for each webhook that this instance sends to at the moment; they return its id.
    tasks: JoinSet<i64>,
    busy: HashSet<i64>,
}

impl Sender {
    fn new(app: App) -> Self {
        Self {
            app,
            tasks: JoinSet::new(),
            busy: HashSet::new(),
        }
    }

    /// Starts a task for each webhook that something is due for.
    async fn start_due(&mut self) -> Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            match ended {
                Ok(id) => self.busy.remove(&id),
                // It panicked. Which one it was is not known, so all may be started again.
                Err(_) => {
                    self.busy.clear();
                    false
                }
            };
        }
        let now = now(&self.app);
        let mut read = self.app.db.read().await?;
        let due = store::queue::due_webhooks(&mut read, now).await?;
        drop(read);
        for id in due {
            if self.busy.insert(id) {
                self.tasks.spawn(send_due(self.app.clone(), id));
            }
        }
        Ok(())
    }
}

/// In milliseconds since 1970.
fn now(app: &App) -> i64 {
    i64::try_from(app.clock.millis()).unwrap_or(i64::MAX)
}

/// Sends what is due for one webhook, batch by batch.
async fn send_due(app: App, webhook_id: i64) -> i64 {
    loop {
        match send_batch(&app, webhook_id).await {
            Ok(Some(rest)) => app.webhooks.pause(rest).await,
            Ok(None) => return webhook_id,
            Err(error) => {
                tracing::warn!(%error, webhook_id, "deliveries could not be sent; retrying");
                return webhook_id;
            }
        }
    }
}

/// Returns how long to rest if more may be due.
async fn send_batch(app: &App, webhook_id: i64) -> Result<Option<Duration>> {
    let mut read = app.db.read().await?;
    let is_due = store::queue::has_due(&mut read, webhook_id, now(app)).await?;
    drop(read);
    if !is_due {
        return Ok(None);
    }
    let claiming = Instant::now();
    let Some((receiver, claims)) = claim(app, webhook_id).await? else {
        return Ok(None);
    };
    let begun = Instant::now();
    let is_stopped = AtomicBool::new(false);
    let attempts = stream::iter(claims).map(|claim| {
        let (receiver, is_stopped) = (&receiver, &is_stopped);
        async move {
            // After a failure the rest waits for the next round.
            let is_over = begun.elapsed() > BATCH_TIME || app.webhooks.is_stopping();
            if is_over || is_stopped.load(Ordering::Relaxed) {
                return Ok((claim, Outcome::Unsent));
            }
            let outcome = deliver(app, receiver, claim.event_id).await?;
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
    // A delivery that could not be read stays leased; the outcomes of the others count.
    let mut failure = None;
    let mut known = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(outcome) => known.push(outcome),
            Err(error) => failure = Some(error),
        }
    }
    let storing = Instant::now();
    outcome::store(app, &receiver.webhook, known).await?;
    let rest = (((begun - claiming) + storing.elapsed()) * REST).min(MAX_REST);
    let is_over = is_stopped.into_inner() || app.webhooks.is_stopping();
    match failure {
        Some(error) => Err(error),
        None => Ok((!is_over).then_some(rest)),
    }
}

/// A webhook with what it takes to send to it.
struct Receiver {
    webhook: Webhook,
    /// None if the secret was lost.
    secrets: Vec<SigningSecret>,
}

/// Leases deliveries that are due. `None` if the webhook is not active any more.
async fn claim(app: &App, webhook_id: i64) -> Result<Option<(Receiver, Vec<Claim>)>> {
    let now = now(app);
    let mut tx = app.db.begin().await?;
    let webhook = store::find(&mut tx, webhook_id).await?;
    let Some(webhook) = webhook.filter(|webhook| webhook.active) else {
        tx.rollback().await?;
        return Ok(None);
    };
    let limit = match webhook.progress.failing_since {
        Some(_) => 1,
        None => BATCH,
    };
    let until = now.saturating_add(LEASE);
    let mut claims = store::queue::claim(&mut tx, webhook_id, now, until, limit).await?;
    let secrets = secrets::open(&mut tx, app, &webhook).await?;
    tx.commit().await?;
    claims.sort_unstable_by_key(|claim| claim.event_id);
    Ok(Some((Receiver { webhook, secrets }, claims)))
}

async fn deliver(app: &App, receiver: &Receiver, event_id: i64) -> Result<Outcome> {
    let _permit = app.webhooks.permit().await?;
    let mut read = app.db.read().await?;
    let entry = audit::find(&mut read, event_id).await?;
    drop(read);
    let Some(entry) = entry else {
        return Ok(Outcome::Gone);
    };
    let Receiver { webhook, secrets } = receiver;
    let id = payload::message_id(webhook.id, &entry);
    let body = payload::render(webhook.format, &entry);
    let attempt = attempt(app, webhook, secrets, &id, &body).await;
    let outcome = if attempt.is_success() {
        "delivered"
    } else {
        "failed"
    };
    counter!("steward_webhook_attempts_total", "outcome" => outcome).increment(1);
    Ok(Outcome::Attempted(attempt))
}

/// Sends one request and says what came of it.
pub(super) async fn attempt(
    app: &App,
    webhook: &Webhook,
    secrets: &[SigningSecret],
    message_id: &str,
    body: &[u8],
) -> Attempt {
    let at = app.clock.now().unix();
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
            let sent = app.webhooks.client().send(&url, secrets, message).await;
            sent.map_err(|failure| failure.to_string())
        }
    };
    let took = started.elapsed();
    histogram!("steward_webhook_attempt_seconds").record(took.as_secs_f64());
    let (status, reply, error) = match answer {
        Ok(answer) => (Some(answer.status), Attempt::reply_of(&answer.body), None),
        Err(error) => (None, String::new(), Some(error)),
    };
    Attempt {
        at,
        status,
        duration_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
        error,
        reply,
    }
}
