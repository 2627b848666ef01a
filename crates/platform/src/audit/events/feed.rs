//! Reads the log once per instance, for any number of listeners.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, broadcast, watch};

use super::Event;
use super::slots::StreamSlots;
use super::tail::{GAP_PAUSE, Tail};
use kernel::{Error, Kernel, Result};

/// How many batches a listener may lag before it reads the log itself.
const KEPT_BATCHES: usize = 64;
/// The longest delay before entries of another instance are noticed.
const POLL: Duration = Duration::from_millis(250);
/// Events closer together than this are sent in one batch.
const PACE: Duration = Duration::from_millis(20);
/// The wait after a database error.
const RETRY: Duration = Duration::from_secs(1);

/// The events of the log, and their listeners. Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<Feed>);

struct Feed {
    kernel: Kernel,
    reading: Mutex<Reading>,
    batches: broadcast::Sender<Arc<[Event]>>,
    /// Whether the service is stopping.
    closed: watch::Sender<bool>,
    streams: Arc<StreamSlots>,
}

#[derive(Default)]
struct Reading {
    tail: Option<Tail>,
    /// Whether a task is reading the log for listeners.
    is_followed: bool,
}

/// The subscription of one listener.
pub struct Subscription {
    pub batches: broadcast::Receiver<Arc<[Event]>>,
    /// The batches begin after this position.
    pub position: i64,
}

impl Events {
    pub fn new(kernel: Kernel) -> Self {
        Self(Arc::new(Feed {
            streams: StreamSlots::new(kernel.limits.connections),
            kernel,
            reading: Mutex::default(),
            batches: broadcast::Sender::new(KEPT_BATCHES),
            closed: watch::Sender::new(false),
        }))
    }

    pub fn kernel(&self) -> &Kernel {
        &self.0.kernel
    }

    pub fn streams(&self) -> &Arc<StreamSlots> {
        &self.0.streams
    }

    /// Ends all streams, so that the service can stop.
    pub fn close(&self) {
        self.0.closed.send_replace(true);
    }

    pub fn closed(&self) -> watch::Receiver<bool> {
        self.0.closed.subscribe()
    }

    /// Subscribes to new events. The first listener starts the task that reads the log.
    pub async fn subscribe(&self) -> Result<Subscription> {
        let mut reading = self.0.reading.lock().await;
        let position = match &reading.tail {
            Some(tail) if reading.is_followed => tail.position(),
            _ => {
                let mut read = self.kernel().core.db.read().await?;
                reading
                    .tail
                    .insert(Tail::start(&mut read).await?)
                    .position()
            }
        };
        let batches = self.0.batches.subscribe();
        if !reading.is_followed {
            reading.is_followed = true;
            tokio::spawn(follow(self.clone()));
        }
        Ok(Subscription { batches, position })
    }

    /// A position up to which the log is complete: no entry will appear before it. It covers every
    /// entry visible before this call, except those after one whose transaction is still open.
    pub async fn complete_to(&self) -> Result<i64> {
        let mut reading = self.0.reading.lock().await;
        let mut read = self.kernel().core.db.read().await?;
        if !reading.is_followed {
            return Ok(Tail::start(&mut read).await?.position());
        }
        let Reading { tail, .. } = &mut *reading;
        let tail = tail.as_mut().ok_or(Error::Unavailable)?;
        loop {
            let advance = tail.advance(&mut read).await?;
            let is_full = advance.is_full;
            self.publish(advance.events);
            if !is_full {
                return Ok(tail.position());
            }
        }
    }

    fn publish(&self, events: Vec<Event>) {
        if !events.is_empty() {
            // Sending fails only if there are no listeners.
            let _ = self.0.batches.send(events.into());
        }
    }

    /// Reads new entries and sends them to the listeners. Returns the wait before the next read;
    /// `None` if there are no listeners.
    async fn advance(&self) -> Result<Option<Duration>> {
        let mut reading = self.0.reading.lock().await;
        if self.0.batches.receiver_count() == 0 {
            *reading = Reading::default();
            return Ok(None);
        }
        let Some(tail) = &mut reading.tail else {
            return Err(Error::Unavailable);
        };
        let mut read = self.kernel().core.db.read().await?;
        let advance = tail.advance(&mut read).await?;
        drop(read);
        self.publish(advance.events);
        Ok(Some(match (advance.has_gap, advance.is_full) {
            (true, _) => GAP_PAUSE,
            (false, true) => Duration::ZERO,
            (false, false) => POLL,
        }))
    }
}

/// Reads the log until there are no listeners.
async fn follow(events: Events) {
    loop {
        let pause = match events.advance().await {
            Ok(Some(pause)) => pause,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "events cannot be read; retrying");
                RETRY
            }
        };
        if pause == POLL {
            tokio::time::sleep(PACE).await;
            let _ = tokio::time::timeout(POLL, events.kernel().core.committed.notified()).await;
        } else {
            tokio::time::sleep(pause).await;
        }
    }
}
