use std::sync::Arc;
use std::time::Duration;

use webhook_client::{Resolve, SystemResolver};

use crate::servers::Networks;

/// The operator's settings for queries.
#[derive(Clone, Debug)]
pub struct Settings {
    /// If false, no packet is ever sent to a game server.
    pub enabled: bool,
    pub interval: Duration,
    /// The time limit of one query.
    pub timeout: Duration,
    /// How many queries may run concurrently.
    pub concurrency: usize,
    pub networks: Networks,
    /// Resolves the host names that people type for servers.
    pub resolver: Arc<dyn Resolve>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            interval: Duration::from_secs(30),
            timeout: Duration::from_secs(2),
            concurrency: 64,
            networks: Networks::default(),
            resolver: Arc::new(SystemResolver::default()),
        }
    }
}
