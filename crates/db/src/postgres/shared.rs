//! Connections shared by short reads. The statements of several readers are pipelined on one
//! connection, so many reads need hardly more round trips and wake-ups than a few.

use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use super::connection::Connection;
use super::error::is_refused;
use super::lost::Lost;
use super::pool::{Object, Pool, PoolError};
use crate::Result;

/// The number of reads that share a connection before another one is taken from the pool.
const READS_PER_CONNECTION: usize = 32;

/// A connection, used alone or shared.
#[expect(
    clippy::large_enum_variant,
    reason = "a request has at most one, and moving it costs little"
)]
pub(super) enum Client {
    Own(Connection),
    Shared(Arc<Connection>),
}

impl Deref for Client {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Self::Own(connection) => connection,
            Self::Shared(connection) => connection,
        }
    }
}

/// The connections that are currently shared. Each returns to the pool when its last reader drops
/// it.
pub(super) struct SharedClients {
    pool: Pool,
    lost: Arc<Lost>,
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shared: Vec<Weak<Connection>>,
    /// The number of connections being taken from the pool.
    pending: usize,
}

impl SharedClients {
    pub fn new(pool: &Pool, lost: &Arc<Lost>, max: usize) -> Self {
        Self {
            pool: pool.clone(),
            lost: Arc::clone(lost),
            max,
            state: Mutex::default(),
        }
    }

    /// The number of connections currently shared.
    pub fn count(&self) -> usize {
        let state = self.state.lock();
        let in_use = |shared: &&Weak<Connection>| shared.strong_count() > 0;
        state.shared.iter().filter(in_use).count()
    }

    pub async fn get(&self) -> Result<Client, PoolError> {
        let (pending, fallback) = match self.choose() {
            Choice::Share(client) => return Ok(Client::Shared(client)),
            Choice::TakeAnother { pending, fallback } => (pending, fallback),
        };
        let mut timeouts = self.pool.timeouts();
        if fallback.is_some() {
            timeouts.wait = Some(Duration::ZERO);
        }
        let losses = self.lost.count();
        match (self.pool.timeout_get(&timeouts).await, fallback) {
            (Ok(client), _) => Ok(pending.share(client, losses)),
            // The pool is exhausted, and sharing is faster than waiting.
            (Err(error), Some(client))
                if matches!(error, PoolError::Timeout(_)) || is_refused(&error) =>
            {
                Ok(Client::Shared(client))
            }
            (Err(error), _) => Err(error),
        }
    }

    fn choose(&self) -> Choice<'_> {
        let mut state = self.state.lock();
        state.shared.retain(|client| client.strong_count() > 0);
        let mut count = 0;
        let least_used = state
            .shared
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|client| client.can_be_shared())
            .inspect(|_| count += 1)
            .min_by_key(Arc::strong_count);
        let is_full = count + state.pending >= self.max;
        match least_used {
            // The count includes `client` itself.
            Some(client) if is_full || Arc::strong_count(&client) <= READS_PER_CONNECTION => {
                Choice::Share(client)
            }
            fallback => {
                state.pending += 1;
                Choice::TakeAnother {
                    pending: Pending(self),
                    fallback,
                }
            }
        }
    }
}

/// The way in which a read gets its connection.
enum Choice<'a> {
    /// Shares the connection with the fewest readers.
    Share(Arc<Connection>),
    /// Takes another connection from the pool, or shares `fallback` if none is free.
    TakeAnother {
        pending: Pending<'a>,
        fallback: Option<Arc<Connection>>,
    },
}

/// A connection being taken from the pool, until dropped.
struct Pending<'a>(&'a SharedClients);

impl Pending<'_> {
    fn share(self, object: Object, losses: u64) -> Client {
        let connection = Connection::new(object, &self.0.lost, losses, None);
        let mut state = self.0.state.lock();
        let joined = state.shared.iter().filter_map(Weak::upgrade);
        if joined.filter(|shared| shared.can_be_shared()).count() >= self.0.max {
            return Client::Own(connection);
        }
        let connection = Arc::new(connection);
        state.shared.push(Arc::downgrade(&connection));
        Client::Shared(connection)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.state.lock().pending -= 1;
    }
}
