//! Listens for announcements of other instances.
//!
//! Notifications arrive at once. In addition the counters are read every quarter of a second on the
//! same connection, which proves that it is alive and catches up on anything missed while it was
//! down. The counters read are valid for [`LEASE`] from the moment of the query; after that,
//! [`Changes::counter`] returns `None`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};

use super::error::from_postgres;
use crate::Result;

const POLL_INTERVAL: Duration = Duration::from_millis(250);
const LEASE: Duration = Duration::from_millis(900);
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

pub(super) struct Changes {
    counters: Arc<Mutex<Counters>>,
    listener: JoinHandle<()>,
}

#[derive(Default)]
struct Counters {
    by_topic: HashMap<String, u64>,
    valid_until: Option<Instant>,
}

impl Counters {
    fn record(&mut self, topic: &str, counter: u64) {
        // Counters only grow, and notifications may arrive out of order.
        match self.by_topic.get_mut(topic) {
            Some(known) => *known = counter.max(*known),
            None => {
                self.by_topic.insert(topic.to_owned(), counter);
            }
        }
    }
}

impl Changes {
    pub fn listen(config: Config) -> Self {
        let counters = Arc::new(Mutex::new(Counters::default()));
        let listener = tokio::spawn(listen_forever(config, Arc::clone(&counters)));
        Self { counters, listener }
    }

    pub fn counter(&self, topic: &str) -> Option<u64> {
        let counters = self.counters.lock();
        let is_valid = counters.valid_until.is_some_and(|end| Instant::now() < end);
        is_valid.then(|| counters.by_topic.get(topic).copied().unwrap_or(0))
    }

    pub fn record(&self, topic: &str, counter: u64) {
        self.counters.lock().record(topic, counter);
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen_forever(config: Config, counters: Arc<Mutex<Counters>>) {
    loop {
        let ended = listen(&config, &counters).await;
        // Log each outage once, not every attempt to reconnect.
        let was_up = counters.lock().valid_until.take().is_some();
        if was_up {
            let error = ended.err();
            tracing::warn!(
                ?error,
                "the channel for changes is down; bypassing caches until it is back"
            );
        }
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
}

/// Returns when the connection is lost.
async fn listen(config: &Config, counters: &Mutex<Counters>) -> Result<()> {
    let (client, mut connection) = config.connect(NoTls).await.map_err(from_postgres)?;
    let (sender, mut notifications) = mpsc::unbounded_channel();
    let driver = tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |cx| connection.poll_message(cx));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message {
                let _ = sender.send(notification.payload().to_owned());
            }
        }
    });
    let outcome = receive(&client, &mut notifications, counters).await;
    driver.abort();
    outcome
}

async fn receive(
    client: &Client,
    notifications: &mut mpsc::UnboundedReceiver<String>,
    counters: &Mutex<Counters>,
) -> Result<()> {
    client
        .batch_execute("LISTEN steward_changes")
        .await
        .map_err(from_postgres)?;
    let mut interval = tokio::time::interval(POLL_INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            payload = notifications.recv() => {
                let Some(payload) = payload else { return Ok(()) };
                if let Some((topic, counter)) = payload.split_once(' ') {
                    counters.lock().record(topic, counter.parse().unwrap_or(u64::MAX));
                }
            }
            _ = interval.tick() => {
                let sent_at = Instant::now();
                let query = client.query("SELECT topic, counter FROM changes", &[]);
                let Ok(outcome) = tokio::time::timeout(LEASE, query).await else {
                    return Ok(());
                };
                let rows = match outcome {
                    // Before the first migration there is no table.
                    Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                        return Ok(());
                    }
                    outcome => outcome.map_err(from_postgres)?,
                };
                let mut counters = counters.lock();
                for row in rows {
                    counters.record(row.get(0), row.get::<_, i64>(1).unsigned_abs());
                }
                counters.valid_until = Some(sent_at + LEASE);
            }
        }
    }
}
