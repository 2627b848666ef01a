//! `Core`: the database, clock, secret key and request ids, which every write needs.
//! It knows neither HTTP nor a slice.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use db::Db;
use tokio::sync::Notify;
use ulid::Ulid;

use crate::latest_time::LatestTime;
use crate::secret::CurrentKey;
use crate::types::{Clock, random};

/// Cheap to clone; all clones share the same parts.
#[derive(Clone)]
pub struct Core(Arc<Parts>);

pub struct Parts {
    pub db: Db,
    pub clock: Clock,
    pub secret_key: CurrentKey,
    /// Told of every change that this process commits, so that events need not wait for a poll.
    pub committed: Notify,
    pub(crate) latest_time: LatestTime,
    request_ids: RequestIds,
}

impl Core {
    pub fn new(db: Db, clock: Clock, secret_key: impl Into<CurrentKey>) -> Self {
        Self(Arc::new(Parts {
            db,
            clock,
            secret_key: secret_key.into(),
            committed: Notify::new(),
            latest_time: LatestTime::default(),
            request_ids: RequestIds {
                start: u128::from_be_bytes(random::bytes()),
                issued: AtomicU64::new(0),
            },
        }))
    }

    /// A unique id that sorts by time.
    pub fn new_request_id(&self) -> String {
        Ulid::from_parts(self.clock.millis(), self.request_ids.next()).to_string()
    }
}

impl Deref for Core {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// A random start, unique to this process, plus a counter: asking the system for random bytes
/// for every request would be slower.
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
