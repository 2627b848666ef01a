//! `Core`: the database, clock, secret key and request ids, which every write needs.
//! It knows neither HTTP nor a slice.

use std::any::Any;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use db::Db;
use tokio::sync::Notify;
use ulid::Ulid;

use crate::Metrics;
use crate::latest_time::LatestTime;
use crate::secret::CurrentKey;
use crate::types::{Clock, random};

/// The shared parts of every write. Cheap to clone.
#[derive(Clone)]
pub struct Core(Arc<CoreParts>);

pub struct CoreParts {
    pub db: Db,
    pub metrics: Metrics,
    pub clock: Clock,
    pub secret_key: CurrentKey,
    /// Notified of every change that this process commits, so that events need not wait for a poll.
    pub committed: Notify,
    /// Work of slices when a slice below them changes something; see
    /// [`Follower`](crate::write::Follower), a type that this module does not know.
    pub(crate) followers: OnceLock<Box<dyn Any + Send + Sync>>,
    pub(crate) latest_time: LatestTime,
    request_ids: RequestIds,
}

impl Core {
    pub fn new(db: Db, metrics: Metrics, clock: Clock, secret_key: impl Into<CurrentKey>) -> Self {
        Self(Arc::new(CoreParts {
            db,
            metrics,
            clock,
            secret_key: secret_key.into(),
            committed: Notify::new(),
            followers: OnceLock::new(),
            latest_time: LatestTime::default(),
            request_ids: RequestIds {
                start: u128::from_be_bytes(random::bytes()),
                issued: AtomicU64::new(0),
            },
        }))
    }

    /// Generates a unique id that sorts by time.
    pub fn new_request_id(&self) -> String {
        Ulid::from_parts(self.clock.millis(), self.request_ids.next()).to_string()
    }
}

impl Deref for Core {
    type Target = CoreParts;

    fn deref(&self) -> &CoreParts {
        &self.0
    }
}

/// A random start, unique to this process, plus a counter. Asking the system for random bytes on
/// every request would be slower.
struct RequestIds {
    start: u128,
    issued: AtomicU64,
}

impl RequestIds {
    fn next(&self) -> u128 {
        let issued = self.issued.fetch_add(1, Ordering::Relaxed);
        self.start.wrapping_add(issued.into())
    }
}
