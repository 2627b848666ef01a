//! Connections that short reads share. The statements of several readers are pipelined on one
//! connection, so many reads take hardly more round trips and wake-ups than a few.

use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};
use parking_lot::Mutex;

use super::error::from_pool;
use crate::Result;

/// How many reads share a connection before another one is taken from the pool.
const READS_PER_CONNECTION: usize = 32;

/// A connection of the pool, used alone or shared.
#[expect(
    clippy::large_enum_variant,
    reason = "a request has at most one, and moving it costs little"
)]
pub(super) enum Client {
    Own(Object),
    Shared(Arc<Object>),
}

impl Deref for Client {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Own(client) => client,
            Self::Shared(client) => client,
        }
    }
}

/// The connections that are shared at the moment. Each returns to the pool when its last reader
/// drops it.
pub(super) struct SharedClients {
    pool: Pool,
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shared: Vec<Weak<Object>>,
    /// How many more are being taken from the pool.
    pending: usize,
}

impl SharedClients {
    /// Shares at most a quarter of the pool: under constant load a shared connection never returns
    /// to it, and the rest must suffice for writers and long reads.
    pub fn new(pool: &Pool) -> Self {
        Self {
            pool: pool.clone(),
            max: pool.status().max_size / 4,
            state: Mutex::default(),
        }
    }

    pub async fn get(&self) -> Result<Client> {
        let (pending, fallback) = match self.choose() {
            Choice::Share(client) => return Ok(Client::Shared(client)),
            Choice::TakeAnother { pending, fallback } => (pending, fallback),
        };
        let mut timeouts = self.pool.timeouts();
        if fallback.is_some() {
            timeouts.wait = Some(Duration::ZERO);
        }
        match (self.pool.timeout_get(&timeouts).await, fallback) {
            (Ok(client), _) => Ok(pending.share(client)),
            // The pool is exhausted. Sharing is faster than waiting.
            (Err(PoolError::Timeout(TimeoutType::Wait)), Some(client)) => {
                Ok(Client::Shared(client))
            }
            (Err(error), _) => Err(from_pool(error)),
        }
    }

    fn choose(&self) -> Choice<'_> {
        let mut state = self.state.lock();
        state.shared.retain(|client| client.strong_count() > 0);
        let least_used = state
            .shared
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|client| !client.is_closed())
            .min_by_key(Arc::strong_count);
        let is_full = state.shared.len() + state.pending >= self.max;
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

/// How a read gets its connection.
enum Choice<'a> {
    /// Shares the least used one.
    Share(Arc<Object>),
    /// Takes another one from the pool, or shares `fallback` if none is free.
    TakeAnother {
        pending: Pending<'a>,
        fallback: Option<Arc<Object>>,
    },
}

/// Counts as pending until dropped.
struct Pending<'a>(&'a SharedClients);

impl Pending<'_> {
    fn share(self, client: Object) -> Client {
        let mut state = self.0.state.lock();
        if state.shared.len() >= self.0.max {
            return Client::Own(client);
        }
        let client = Arc::new(client);
        state.shared.push(Arc::downgrade(&client));
        Client::Shared(client)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.state.lock().pending -= 1;
    }
}
