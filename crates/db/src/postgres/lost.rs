//! Handles the loss of the primary: all existing connections are closed, so that the next ones are
//! made to the new primary.

use tokio::sync::watch;
use tokio_postgres::error::SqlState;

use super::pool::Pool;

/// Counts how often a server was lost.
pub(super) struct Lost {
    pool: Pool,
    count: watch::Sender<u64>,
}

impl Lost {
    pub fn new(pool: Pool) -> Self {
        Self {
            pool,
            count: watch::Sender::new(0),
        }
    }

    pub fn count(&self) -> u64 {
        *self.count.borrow()
    }

    /// Notifies a task that has its own connection.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Closes idle connections now and busy ones when they are returned.
    pub fn record(&self) {
        self.count.send_modify(|count| *count += 1);
        self.close_idle();
    }

    /// Closes idle connections, which may only look alive.
    pub fn close_idle(&self) {
        self.pool.retain(|_, _| false);
    }
}

/// Returns `true` if this error means that the server is lost, stopping, or read-only, as after a
/// failover. Other connections to it are then useless as well.
pub(super) fn is_loss(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        let cause = std::error::Error::source(error);
        return error.is_closed() || cause.is_some_and(|cause| cause.is::<std::io::Error>());
    };
    [
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
    ]
    .contains(code)
}
