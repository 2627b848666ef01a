//! What the service keeps in memory for webhooks.

use std::sync::Arc;
use std::time::Duration;

use kernel::{Error, Result};
use tokio::sync::{Mutex, Semaphore, SemaphorePermit, watch};
use tokio::time::{Interval, MissedTickBehavior};
use webhook_client::{Client, Networks, Resolve, SystemResolver};

/// How many requests are sent at the same time, over all webhooks.
pub const MAX_CONCURRENT: usize = 64;
/// The least time between two requests, so that a long queue leaves the machine to the clients of the
/// service.
const PACE: Duration = Duration::from_millis(2);
/// How many of the requests that clients wait for are sent at the same time.
const MAX_TESTS: usize = 8;

/// The operator's settings for webhooks.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The networks that may be contacted besides public addresses.
    pub networks: Networks,
    pub resolver: Arc<dyn Resolve>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            networks: Networks::default(),
            resolver: Arc::new(SystemResolver::default()),
        }
    }
}

/// Sends the requests of all webhooks, within limits.
pub struct Dispatcher {
    settings: Settings,
    client: Client,
    permits: Semaphore,
    pace: Mutex<Interval>,
    pub(super) tests: Semaphore,
    /// Whether the service stops.
    stopping: watch::Sender<bool>,
}

impl Dispatcher {
    pub fn new(settings: Settings) -> Self {
        let mut pace = tokio::time::interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            client: Client::new(settings.networks.clone(), Arc::clone(&settings.resolver)),
            settings,
            permits: Semaphore::new(MAX_CONCURRENT),
            pace: Mutex::new(pace),
            tests: Semaphore::new(MAX_TESTS),
            stopping: watch::Sender::new(false),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Lets [`run`](super::run) end as soon as the requests under way have ended.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits so long, or until the service stops.
    pub(super) async fn pause(&self, time: Duration) {
        let mut stopping = self.stopping.subscribe();
        let stopped = stopping.wait_for(|stopping| *stopping);
        let _ = tokio::time::timeout(time, stopped).await;
    }

    /// Waits until one more request may be sent.
    pub(super) async fn permit(&self) -> Result<SemaphorePermit<'_>> {
        let permit = self.permits.acquire().await.map_err(Error::internal)?;
        self.pace.lock().await.tick().await;
        Ok(permit)
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }
}
