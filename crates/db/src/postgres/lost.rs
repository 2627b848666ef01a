//! What this process does when the server is lost or no longer the primary: every connection from
//! before that moment is given up, so that the next ones are made to the new primary.

use tokio::sync::watch;
use tokio_postgres::error::SqlState;

use super::pool::Pool;

/// How often a server was lost.
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

    /// For the task that has a connection of its own.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Gives up all connections. Those in use end with their use.
    pub fn record(&self) {
        self.count.send_modify(|count| *count += 1);
        self.close_idle();
    }

    /// Closes connections that may only look alive.
    pub fn close_idle(&self) {
        self.pool.retain(|_, _| false);
    }
}

/// Whether this error means that the server is lost, stopping, or has become read-only, as after a
/// failover. Then other connections to it are of no use either.
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
