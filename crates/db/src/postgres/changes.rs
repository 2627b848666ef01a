//! Listens for what other instances announce.
//!
//! Notifications make changes known at once. Every quarter of a second the counters are also
//! read on the same connection: that shows that the connection lives, and makes up for anything
//! missed while it did not. An answer holds for [`LEASE`] from the moment it was asked for; after
//! that, [`Changes::counter`] says that it does not know.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};

use super::error::from_postgres;
use crate::Result;

const ROUND: Duration = Duration::from_millis(250);
const LEASE: Duration = Duration::from_millis(900);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(200);

pub(super) struct Changes {
    known: Arc<Mutex<Known>>,
    listener: JoinHandle<()>,
}

#[derive(Default)]
struct Known {
    counters: HashMap<String, u64>,
    valid_until: Option<Instant>,
}

impl Known {
    fn seen(&mut self, topic: &str, counter: u64) {
        // Counters only grow, and news may arrive out of order.
        match self.counters.get_mut(topic) {
            Some(known) => *known = counter.max(*known),
            None => {
                self.counters.insert(topic.to_owned(), counter);
            }
        }
    }
}

impl Changes {
    pub fn listen(config: Config) -> Self {
        let known = Arc::new(Mutex::new(Known::default()));
        let listener = tokio::spawn(keep_listening(config, Arc::clone(&known)));
        Self { known, listener }
    }

    pub fn counter(&self, topic: &str) -> Option<u64> {
        let known = lock(&self.known);
        let valid = known.valid_until.is_some_and(|end| Instant::now() < end);
        valid.then(|| known.counters.get(topic).copied().unwrap_or(0))
    }

    pub fn seen(&self, topic: &str, counter: u64) {
        lock(&self.known).seen(topic, counter);
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn keep_listening(config: Config, known: Arc<Mutex<Known>>) {
    loop {
        let ended = listen(&config, &known).await;
        // Said once each time it goes down, not at every try to get it back.
        if lock(&known).valid_until.take().is_some() {
            let error = ended.err();
            tracing::warn!(
                ?error,
                "the channel for changes is down; going past the caches"
            );
        }
        tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
    }
}

/// Returns when the connection is lost.
async fn listen(config: &Config, known: &Mutex<Known>) -> Result<()> {
    let (client, mut connection) = config.connect(NoTls).await.map_err(from_postgres)?;
    let (news, mut arrivals) = mpsc::unbounded_channel();
    let driver = tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |cx| connection.poll_message(cx));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message {
                let _ = news.send(notification.payload().to_owned());
            }
        }
    });
    let outcome = follow(&client, &mut arrivals, known).await;
    driver.abort();
    outcome
}

async fn follow(
    client: &Client,
    arrivals: &mut mpsc::UnboundedReceiver<String>,
    known: &Mutex<Known>,
) -> Result<()> {
    client
        .batch_execute("LISTEN steward_changes")
        .await
        .map_err(from_postgres)?;
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            payload = arrivals.recv() => {
                let Some(payload) = payload else { return Ok(()) };
                if let Some((topic, counter)) = payload.split_once(' ') {
                    lock(known).seen(topic, counter.parse().unwrap_or(u64::MAX));
                }
            }
            _ = rounds.tick() => {
                let asked = Instant::now();
                let question = client.query("SELECT topic, counter FROM changes", &[]);
                let Ok(answer) = tokio::time::timeout(LEASE, question).await else {
                    return Ok(());
                };
                let rows = match answer {
                    // Before the first migration there is nothing to follow yet.
                    Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                        return Ok(());
                    }
                    answer => answer.map_err(from_postgres)?,
                };
                let mut known = lock(known);
                for row in rows {
                    known.seen(row.get(0), row.get::<_, i64>(1).unsigned_abs());
                }
                known.valid_until = Some(asked + LEASE);
            }
        }
    }
}
