//! Listens for announcements of all instances, including this one.
//!
//! A notification only says that something has changed; the versions are then read from the
//! database. They are also read every quarter of a second on the same connection, to detect its
//! loss and to catch up on missed notifications. A version that was read is valid for [`LEASE`]
//! from the start of the query; after that, [`Changes::version`] returns `None`.
//!
//! An instance has a row in the table `instances` before it uses any version, and acknowledges
//! there how many announcements it knows before it uses new ones. So a transaction that announced
//! something can wait until no instance uses earlier versions; see [`super::acknowledgement`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client};

use super::acknowledgement::{self, LEASE, LEASE_EXPIRY};
use super::error::from_postgres;
use super::lost::Lost;
use super::servers::Servers;
use crate::version::new_generation;
use crate::{Error, Version};

const POLL_INTERVAL: Duration = Duration::from_millis(250);
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

pub(super) struct Changes {
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    /// Wakes the listener when the first version is asked for.
    is_asked: Notify,
}

#[derive(Default)]
struct Known {
    /// The versions by topic, of which there are few.
    versions: Vec<(String, Version)>,
    valid_until: Option<Instant>,
    /// Whether this process has asked for a version. Commands never do, and other instances need
    /// not wait for them.
    is_used: bool,
    /// Counts announcements of this process. Versions requested before one are outdated.
    invalidations: u64,
    outages: u64,
}

impl Changes {
    /// Starts listening. A silent channel may mean a lost server, so it also empties the pool.
    pub fn listen(servers: Servers, lost: &Arc<Lost>, timeout: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let listener = tokio::spawn(listen_forever(
            servers,
            Arc::clone(lost),
            timeout,
            Arc::clone(&shared),
        ));
        Self { shared, listener }
    }

    pub fn version(&self, topic: &str) -> Option<Version> {
        let mut known = self.shared.known.lock();
        if !known.is_used {
            known.is_used = true;
            self.shared.is_asked.notify_one();
        }
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

    /// Invalidates the versions after an announcement of this process, until they are read again.
    pub fn invalidate(&self) {
        let mut known = self.shared.known.lock();
        known.invalidations += 1;
        known.expire();
    }
}

impl Known {
    /// The channel stays up, so the time is expired and not removed.
    fn expire(&mut self) {
        self.valid_until = self.valid_until.map(|_| Instant::now());
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen_forever(servers: Servers, lost: Arc<Lost>, timeout: Duration, shared: Arc<Shared>) {
    let mut losses = lost.subscribe();
    loop {
        let ended = listen(&servers, timeout, &mut losses, &shared).await;
        // If the server vanished without closing connections, idle ones only look alive.
        if matches!(ended, Ended::Silent) {
            lost.close_idle();
        }
        // Log each outage once, not every attempt to reconnect.
        let was_up = {
            let mut known = shared.known.lock();
            known.outages += 1;
            known.valid_until.take().is_some()
        };
        if was_up {
            tracing::warn!(
                ?ended,
                "the channel for changes is down; bypassing caches until it is back"
            );
        }
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
}

/// The reason why the channel is down.
#[derive(Debug)]
enum Ended {
    /// The connection was closed, or other connections to its server were lost.
    Closed,
    /// A query was not answered in time.
    Silent,
    /// The tables do not exist yet.
    NotMigrated,
    Failed(#[expect(dead_code, reason = "it is logged")] Error),
}

/// Returns when the connection is lost.
async fn listen(
    servers: &Servers,
    timeout: Duration,
    losses: &mut watch::Receiver<u64>,
    shared: &Shared,
) -> Ended {
    losses.mark_unchanged();
    let (client, mut connection) = match tokio::time::timeout(timeout, servers.connect()).await {
        Err(_) => return Ended::Silent,
        Ok(Err(error)) => return Ended::Failed(from_postgres(error)),
        Ok(Ok(connected)) => connected,
    };
    let (sender, mut notifications) = mpsc::unbounded_channel();
    let driver = tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |cx| connection.poll_message(cx));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(_) = message {
                let _ = sender.send(());
            }
        }
    });
    let mut listener = Listener {
        client: &client,
        shared,
        instance: new_generation(),
        acknowledged: None,
        removal: None,
    };
    let ended = tokio::select! {
        ended = listener.receive(&mut notifications) => ended,
        // This connection leads to the same server.
        _ = losses.changed() => Ended::Closed,
    };
    driver.abort();
    ended
}

/// One connection that listens. An instance that reconnects is a new one to the others: the server
/// it finds may have lost its acknowledgements.
struct Listener<'a> {
    client: &'a Client,
    shared: &'a Shared,
    /// The id of its row in the table `instances`.
    instance: i64,
    /// The number of announcements in that row.
    acknowledged: Option<i64>,
    /// When to remove instances that have acknowledged fewer announcements than this number.
    removal: Option<(Instant, i64)>,
}

impl Listener<'_> {
    async fn receive(&mut self, notifications: &mut mpsc::UnboundedReceiver<()>) -> Ended {
        let listening = self.client.batch_execute("LISTEN steward_changes");
        if let Err(ended) = answer(listening).await {
            return ended;
        }
        let mut interval = tokio::time::interval(POLL_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                notified = notifications.recv() => {
                    if notified.is_none() {
                        return Ended::Closed;
                    }
                    // One query covers all notifications received so far.
                    while notifications.try_recv().is_ok() {}
                }
                () = self.shared.is_asked.notified() => {}
                _ = interval.tick() => {}
            }
            if let Err(ended) = self.renew().await {
                return ended;
            }
        }
    }

    /// Reads the versions of all topics and, once all announcements are acknowledged, renews the
    /// lease.
    async fn renew(&mut self) -> Result<(), Ended> {
        loop {
            let (invalidations, is_used) = {
                let known = self.shared.known.lock();
                (known.invalidations, known.is_used)
            };
            let sent_at = Instant::now();
            let versions = self.read_versions().await?;
            let announced = versions.iter().map(|(_, version)| version.counter).sum();
            {
                let mut known = self.shared.known.lock();
                if known.invalidations != invalidations {
                    continue;
                }
                if !is_used || self.acknowledged == Some(announced) {
                    known.versions = versions;
                    let lease = if is_used { LEASE } else { Duration::ZERO };
                    known.valid_until = Some(sent_at + lease);
                    break;
                }
                // Other instances no longer wait for this one once it has acknowledged, so it must
                // not use the earlier versions from here on.
                known.expire();
            }
            self.acknowledge(announced).await?;
        }
        self.remove_lost_instances().await
    }

    async fn read_versions(&self) -> Result<Vec<(String, Version)>, Ended> {
        let sql = "SELECT topic, counter, generation FROM changes";
        let rows = answer(self.client.query(sql, &[])).await?;
        let versions = rows.iter().map(|row| {
            let version = Version {
                counter: row.get(1),
                generation: row.get(2),
                outages: 0,
            };
            (row.get(0), version)
        });
        Ok(versions.collect())
    }

    /// Stores that this instance knows of `announced` announcements. The first time, it announces
    /// itself: instances that do not acknowledge this in time are gone, and are removed.
    async fn acknowledge(&mut self, announced: i64) -> Result<(), Ended> {
        let sql = "INSERT INTO instances (id, seen) VALUES ($1, $2)
                   ON CONFLICT (id) DO UPDATE SET seen = excluded.seen";
        answer(self.client.execute(sql, &[&self.instance, &announced])).await?;
        if self.acknowledged.replace(announced).is_none() {
            let sql = "INSERT INTO changes (topic, counter, generation) VALUES ('instances', 1, $1)
                       ON CONFLICT (topic) DO UPDATE SET counter = changes.counter + 1,
                           generation = excluded.generation";
            answer(self.client.execute(sql, &[&new_generation()])).await?;
            self.removal = Some((Instant::now() + LEASE_EXPIRY, announced + 1));
        }
        Ok(())
    }

    async fn remove_lost_instances(&mut self) -> Result<(), Ended> {
        if let Some((at, announced)) = self.removal
            && Instant::now() >= at
        {
            answer(self.client.execute(acknowledgement::REMOVE, &[&announced])).await?;
            self.removal = None;
        }
        Ok(())
    }
}

/// Waits for a statement, but not for longer than a lease.
async fn answer<T>(
    statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Ended> {
    match tokio::time::timeout(LEASE, statement).await {
        Err(_) => Err(Ended::Silent),
        // Before the migrations, the table or the column does not exist.
        Ok(Err(error))
            if error.code() == Some(&SqlState::UNDEFINED_TABLE)
                || error.code() == Some(&SqlState::UNDEFINED_COLUMN) =>
        {
            Err(Ended::NotMigrated)
        }
        Ok(answered) => answered.map_err(|error| Ended::Failed(from_postgres(error))),
    }
}
