//! A connection of the pool, and the conditions that make it unusable.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::error::from_postgres;
use super::lost::{Lost, is_loss};
use super::pool::{Object, PooledClient};
use crate::fair_slots::Slot;
use crate::{Error, Result};

/// A connection without an answer for this long is not shared with further reads.
const SUSPICIOUS: Duration = Duration::from_secs(1);

/// Returns to the pool when dropped, unless it was discarded or its server was lost.
pub(super) struct Connection {
    object: Option<Object>,
    is_discarded: AtomicBool,
    is_slow: AtomicBool,
    lost: Arc<Lost>,
    /// The number of lost servers when this connection was taken from the pool.
    losses: u64,
    // Dropped after the connection, so that the next holder of the slot finds it in the pool.
    _slot: Option<Slot>,
}

impl Connection {
    pub fn new(object: Object, lost: &Arc<Lost>, losses: u64, slot: Option<Slot>) -> Self {
        Self {
            object: Some(object),
            is_discarded: AtomicBool::new(false),
            is_slow: AtomicBool::new(false),
            lost: Arc::clone(lost),
            losses,
            _slot: slot,
        }
    }

    /// Makes the connection close instead of returning to the pool.
    pub fn discard(&self) {
        self.is_discarded.store(true, Ordering::Relaxed);
    }

    pub fn is_discarded(&self) -> bool {
        self.is_discarded.load(Ordering::Relaxed) || self.lost.count() != self.losses
    }

    /// Returns `true` if another read may share the connection.
    pub fn can_be_shared(&self) -> bool {
        !self.is_closed() && !self.is_discarded() && !self.is_slow.load(Ordering::Relaxed)
    }

    /// Runs a statement. The server has its own time limit; if it does not answer within `limit`,
    /// it is lost, and the connection with it.
    pub async fn run<T>(
        &self,
        limit: Duration,
        mut statement: Pin<&mut impl Future<Output = Result<T, tokio_postgres::Error>>>,
    ) -> Result<T> {
        let soon = tokio::time::timeout(SUSPICIOUS.min(limit), statement.as_mut());
        let outcome = match soon.await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.wait(limit.saturating_sub(SUSPICIOUS), statement)
                    .await?
            }
        };
        outcome.map_err(|error| {
            if is_loss(&error) {
                self.lost.record();
            } else if error.code().is_none() {
                self.discard();
            }
            from_postgres(error)
        })
    }

    #[cold]
    async fn wait<T>(&self, limit: Duration, statement: impl Future<Output = T>) -> Result<T> {
        self.is_slow.store(true, Ordering::Relaxed);
        let outcome = tokio::time::timeout(limit, statement).await;
        self.is_slow.store(false, Ordering::Relaxed);
        outcome.map_err(|_| {
            // The server would not answer other connections either.
            self.lost.record();
            Error::Unreachable("no answer in time".into())
        })
    }
}

impl Deref for Connection {
    type Target = PooledClient;

    fn deref(&self) -> &PooledClient {
        self.object.as_ref().expect("present until dropped")
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.is_discarded() || self.is_slow.load(Ordering::Relaxed) {
            drop(self.object.take().map(Object::take));
        }
    }
}
