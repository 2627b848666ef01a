//! One reader of the log for each instance, however many listeners there are.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, broadcast, watch};

use super::Event;
use super::tail::{GAP_PAUSE, Tail};
use crate::app::App;
use kernel::{Error, Result};

/// How many batches a listener may be behind before it reads the log by itself.
const KEPT_BATCHES: usize = 64;
/// How long it takes at most to notice what another instance has written.
const POLL: Duration = Duration::from_millis(250);
/// Events that come sooner after each other are told together.
const PACE: Duration = Duration::from_millis(20);
/// How long to wait after an error of the database.
const RETRY: Duration = Duration::from_secs(1);

/// The events of the log, and who listens to them.
pub struct Events {
    reading: Mutex<Reading>,
    batches: broadcast::Sender<Arc<[Event]>>,
    /// Whether the service stops.
    closed: watch::Sender<bool>,
}

#[derive(Default)]
struct Reading {
    tail: Option<Tail>,
    /// Whether a task reads the log for listeners.
    is_followed: bool,
}

/// A place among the listeners.
pub struct Subscription {
    pub batches: broadcast::Receiver<Arc<[Event]>>,
    /// The batches begin after this position.
    pub position: i64,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            reading: Mutex::default(),
            batches: broadcast::Sender::new(KEPT_BATCHES),
            closed: watch::Sender::new(false),
        }
    }
}

impl Events {
    /// Ends all streams, so that the service can stop.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    pub fn closed(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// Begins to listen. The first listener starts the task that reads the log.
    pub async fn subscribe(app: &App) -> Result<Subscription> {
        let mut reading = app.events.reading.lock().await;
        let position = match &reading.tail {
            Some(tail) if reading.is_followed => tail.position(),
            _ => {
                let mut read = app.db.read().await?;
                reading
                    .tail
                    .insert(Tail::start(&mut read).await?)
                    .position()
            }
        };
        let batches = app.events.batches.subscribe();
        if !reading.is_followed {
            reading.is_followed = true;
            tokio::spawn(follow(app.clone()));
        }
        Ok(Subscription { batches, position })
    }

    /// A position up to which the log is complete: no entry will appear before it. It includes all
    /// entries that were visible before this call, unless the transaction of an older one is still
    /// under way.
    pub async fn complete_to(app: &App) -> Result<i64> {
        let mut reading = app.events.reading.lock().await;
        let mut read = app.db.read().await?;
        if !reading.is_followed {
            return Ok(Tail::start(&mut read).await?.position());
        }
        let Reading { tail, .. } = &mut *reading;
        let tail = tail.as_mut().ok_or(Error::Unavailable)?;
        loop {
            let advance = tail.advance(&mut read).await?;
            let is_full = advance.is_full;
            app.events.publish(advance.events);
            if !is_full {
                return Ok(tail.position());
            }
        }
    }

    fn publish(&self, events: Vec<Event>) {
        if !events.is_empty() {
            // Without listeners there is nothing to do.
            let _ = self.batches.send(events.into());
        }
    }

    /// Reads on and tells the listeners. Returns how long to wait before the next time; `None` if
    /// there are no listeners.
    async fn advance(&self, app: &App) -> Result<Option<Duration>> {
        let mut reading = self.reading.lock().await;
        if self.batches.receiver_count() == 0 {
            *reading = Reading::default();
            return Ok(None);
        }
        let Some(tail) = &mut reading.tail else {
            return Err(Error::Unavailable);
        };
        let mut read = app.db.read().await?;
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
async fn follow(app: App) {
    loop {
        let pause = match app.events.advance(&app).await {
            Ok(Some(pause)) => pause,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "events cannot be read; retrying");
                RETRY
            }
        };
        if pause == POLL {
            tokio::time::sleep(PACE).await;
            let _ = tokio::time::timeout(POLL, app.committed.notified()).await;
        } else {
            tokio::time::sleep(pause).await;
        }
    }
}
