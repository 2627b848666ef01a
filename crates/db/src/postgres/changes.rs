//! Listens for announcements of all instances, this one included.
//!
//! A notification only tells that something has changed; the versions are then read from the
//! database. They are also read every quarter of a second on the same connection, which proves that
//! it is alive and catches up on anything missed while it was down. The versions read are valid for
//! [`LEASE`] from the moment of the query; after that, [`Changes::version`] returns `None`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client};

use super::error::from_postgres;
use super::lost::Lost;
use super::servers::Servers;
use crate::{Result, Version};

const POLL_INTERVAL: Duration = Duration::from_millis(250);
const LEASE: Duration = Duration::from_millis(900);
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

pub(super) struct Changes {
    known: Arc<Mutex<Known>>,
    listener: JoinHandle<()>,
}

#[derive(Default)]
struct Known {
    /// A few, by topic.
    versions: Vec<(String, Version)>,
    valid_until: Option<Instant>,
    /// Counts announcements of this process. Versions that were requested before one are outdated.
    invalidations: u64,
    outages: u64,
}

impl Changes {
    /// A channel that is silent may mean a lost server, so that also empties the pool.
    pub fn listen(servers: Servers, lost: &Arc<Lost>, timeout: Duration) -> Self {
        let known = Arc::new(Mutex::new(Known::default()));
        let listener = tokio::spawn(listen_forever(
            servers,
            Arc::clone(lost),
            timeout,
            Arc::clone(&known),
        ));
        Self { known, listener }
    }

    pub fn version(&self, topic: &str) -> Option<Version> {
        let known = self.known.lock();
        let is_valid = known.valid_until.is_some_and(|end| Instant::now() < end);
        is_valid.then(|| {
            let found = known.versions.iter().find(|(known, _)| known == topic);
            let version = found.map(|(_, version)| *version);
            Version {
                outages: known.outages,
                ..version.unwrap_or_default()
            }
        })
    }

    /// After an announcement of this process: nothing is known until the versions are read again.
    pub fn invalidate(&self) {
        let mut known = self.known.lock();
        known.invalidations += 1;
        // The channel stays up, so the time is not removed.
        known.valid_until = known.valid_until.map(|_| Instant::now());
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen_forever(
    servers: Servers,
    lost: Arc<Lost>,
    timeout: Duration,
    known: Arc<Mutex<Known>>,
) {
    let mut losses = lost.subscribe();
    loop {
        let ended = listen(&servers, timeout, &mut losses, &known).await;
        // If the server has disappeared without a word, idle connections only look alive.
        if matches!(ended, Ok(Ended::Silent)) {
            lost.close_idle();
        }
        // Log each outage once, not every attempt to reconnect.
        let was_up = {
            let mut known = known.lock();
            known.outages += 1;
            known.valid_until.take().is_some()
        };
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

/// Why the channel is down.
#[derive(Clone, Copy)]
enum Ended {
    /// The connection was closed, or others to its server were lost.
    Closed,
    /// A query was not answered in time.
    Silent,
    /// There are no tables yet.
    NotMigrated,
}

/// Returns when the connection is lost.
async fn listen(
    servers: &Servers,
    timeout: Duration,
    losses: &mut watch::Receiver<u64>,
    known: &Mutex<Known>,
) -> Result<Ended> {
    losses.mark_unchanged();
    let Ok(connected) = tokio::time::timeout(timeout, servers.connect()).await else {
        return Ok(Ended::Silent);
    };
    let (client, mut connection) = connected.map_err(from_postgres)?;
    let (sender, mut notifications) = mpsc::unbounded_channel();
    let driver = tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |cx| connection.poll_message(cx));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(_) = message {
                let _ = sender.send(());
            }
        }
    });
    let outcome = tokio::select! {
        outcome = receive(&client, &mut notifications, known) => outcome,
        // This connection leads to the same server.
        _ = losses.changed() => Ok(Ended::Closed),
    };
    driver.abort();
    outcome
}

async fn receive(
    client: &Client,
    notifications: &mut mpsc::UnboundedReceiver<()>,
    known: &Mutex<Known>,
) -> Result<Ended> {
    client
        .batch_execute("LISTEN steward_changes")
        .await
        .map_err(from_postgres)?;
    let mut interval = tokio::time::interval(POLL_INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            notified = notifications.recv() => {
                if notified.is_none() {
                    return Ok(Ended::Closed);
                }
                // One query answers all that have arrived.
                while notifications.try_recv().is_ok() {}
            }
            _ = interval.tick() => {}
        }
        if let Err(ended) = read_versions(client, known).await? {
            return Ok(ended);
        }
    }
}

/// Reads the versions of all topics.
async fn read_versions(client: &Client, known: &Mutex<Known>) -> Result<Result<(), Ended>> {
    loop {
        let invalidations = known.lock().invalidations;
        let sent_at = Instant::now();
        let query = client.query("SELECT topic, counter, generation FROM changes", &[]);
        let Ok(outcome) = tokio::time::timeout(LEASE, query).await else {
            return Ok(Err(Ended::Silent));
        };
        let rows = match outcome {
            // Before the migrations there is no table, or no such column.
            Err(error)
                if error.code() == Some(&SqlState::UNDEFINED_TABLE)
                    || error.code() == Some(&SqlState::UNDEFINED_COLUMN) =>
            {
                return Ok(Err(Ended::NotMigrated));
            }
            outcome => outcome.map_err(from_postgres)?,
        };
        let versions = rows.iter().map(|row| {
            let version = Version {
                counter: row.get(1),
                generation: row.get(2),
                outages: 0,
            };
            (row.get(0), version)
        });
        let versions = versions.collect();
        let mut known = known.lock();
        if known.invalidations == invalidations {
            known.versions = versions;
            known.valid_until = Some(sent_at + LEASE);
            return Ok(Ok(()));
        }
    }
}
