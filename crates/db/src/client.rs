//! The client that the current task uses the database for.
//!
//! A task-local, because every statement of a request needs it, but no function in between.

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CURRENT: Client;
}

/// A client, as the database distinguishes them. Clients with the same share have one part of the
/// readers or connections together; the caller decides what the number means.
///
/// Work without a share is the service's own, and is not limited to a part.
#[derive(Clone, Debug, Default)]
pub struct Client {
    share: Cell<Option<u64>>,
    ends_at: Option<Instant>,
}

impl Client {
    /// A client whose share is not known yet. Statements end at `ends_at`, even if their own time
    /// limit is later.
    pub fn new(ends_at: Option<Instant>) -> Self {
        Self {
            share: Cell::new(None),
            ends_at,
        }
    }

    pub fn with_share(self, share: Option<u64>) -> Self {
        self.share.set(share);
        self
    }

    /// Runs `work` for this client.
    pub fn scope<F: Future>(self, work: F) -> TaskLocalFuture<Self, F> {
        CURRENT.scope(self, work)
    }

    /// Sets the share of the client that the current task works for.
    pub fn set_share(share: u64) {
        let _ = CURRENT.try_with(|client| client.share.set(Some(share)));
    }

    pub(crate) fn current_share() -> Option<u64> {
        CURRENT.try_with(|client| client.share.get()).ok().flatten()
    }

    /// The time at which work with this time limit must end.
    pub(crate) fn end_of(limit: Duration) -> Instant {
        let own = Instant::now() + limit;
        let client = CURRENT.try_with(|client| client.ends_at).ok().flatten();
        client.map_or(own, |end| end.min(own))
    }
}
