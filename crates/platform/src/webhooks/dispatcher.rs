//! The state of webhooks in memory.

use std::sync::Arc;
use std::time::Duration;

use kernel::queue::{Queue, Stop};
use kernel::{Error, Result};
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::{Interval, MissedTickBehavior};
use webhook_client::{Client, Networks, Resolve, SystemResolver};

/// How many requests are sent concurrently, over all webhooks.
pub const MAX_CONCURRENT: usize = 64;
/// The minimum time between two requests, so that a long queue does not slow down clients of the
/// service.
const PACE: Duration = Duration::from_millis(2);
/// The queue of deliveries. A lease lasts for the time of a batch and of its last request, and as
/// long again to store the outcomes.
pub const QUEUE: Queue = Queue::by_time("webhooks", 20_000);
/// The longest pause, so that a short stall of the database does not delay events for minutes.
pub const MAX_REST: Duration = Duration::from_secs(2);
/// How many test requests, which clients wait for, are sent concurrently.
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

/// The state and the limits that all webhooks share.
pub struct Dispatcher {
    settings: Settings,
    client: Client,
    permits: Semaphore,
    pace: Mutex<Interval>,
    pub(super) tests: Semaphore,
    stop: Stop,
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
            stop: Stop::default(),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes [`run`](super::run) return once the running requests have ended.
    pub fn stop(&self) {
        self.stop.stop();
    }

    pub(super) fn stopping(&self) -> &Stop {
        &self.stop
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
