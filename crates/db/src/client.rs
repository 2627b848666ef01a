//! For whom the current task uses the database.
//!
//! A task-local, because every statement of a request needs it and no function in between does.

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CURRENT: Client;
}

/// A client, as far as the database distinguishes clients. Those with the same share get a part of
/// the readers or connections together; what the number means is up to the caller.
///
/// Work without a share is the service's own, which no part limits.
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

    /// The end of work that may take `limit`.
    pub(crate) fn end_of(limit: Duration) -> Instant {
        let own = Instant::now() + limit;
        let client = CURRENT.try_with(|client| client.ends_at).ok().flatten();
        client.map_or(own, |end| end.min(own))
    }
}
