//! Connections that brief reads share: while the server is at work on one, the next are on their
//! way to it, so that many take hardly more round trips and wake-ups than a few.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};

use super::error::from_pool;
use crate::Result;

/// How many reads a connection gets before the next one is taken.
const DEPTH: usize = 32;

/// A connection out of the pool, to oneself or together with others.
#[expect(
    clippy::large_enum_variant,
    reason = "the larger one is the usual one, and there is one for each request at most"
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

/// Those of the pool that are shared at the moment. Each goes back when nobody uses it.
pub(super) struct Shared {
    pool: Pool,
    most: usize,
    lent: Mutex<Lent>,
}

#[derive(Default)]
struct Lent {
    in_use: Vec<Weak<Object>>,
    /// How many are about to be.
    awaited: usize,
}

impl Shared {
    /// Leaves most of the pool to others: what is shared may be in use for as long as reads come.
    pub fn of(pool: &Pool) -> Self {
        Self {
            pool: pool.clone(),
            most: pool.status().max_size / 4,
            lent: Mutex::default(),
        }
    }

    pub async fn take(&self) -> Result<Client> {
        let (awaited, least) = match self.choose() {
            Choice::Join(client) => return Ok(Client::Shared(client)),
            Choice::Another { awaited, least } => (awaited, least),
        };
        let mut timeouts = self.pool.timeouts();
        if least.is_some() {
            timeouts.wait = Some(Duration::ZERO);
        }
        match (self.pool.timeout_get(&timeouts).await, least) {
            (Ok(client), _) => Ok(awaited.offer(client)),
            // Nobody waits as long as there is one to share.
            (Err(PoolError::Timeout(TimeoutType::Wait)), Some(least)) => Ok(Client::Shared(least)),
            (Err(error), _) => Err(from_pool(error)),
        }
    }

    fn choose(&self) -> Choice<'_> {
        let mut lent = self.lent();
        lent.in_use.retain(|client| client.strong_count() > 0);
        let usable = lent.in_use.iter().filter_map(Weak::upgrade);
        let usable = usable.filter(|client| !client.is_closed());
        let are_all = lent.in_use.len() + lent.awaited >= self.most;
        match usable.min_by_key(Arc::strong_count) {
            // The one that is asked about counts as well.
            Some(least) if are_all || Arc::strong_count(&least) <= DEPTH => Choice::Join(least),
            least => {
                lent.awaited += 1;
                Choice::Another {
                    awaited: Awaited(self),
                    least,
                }
            }
        }
    }

    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a read does that needs a connection.
enum Choice<'a> {
    /// Shares the one that the fewest use.
    Join(Arc<Object>),
    /// Takes another; `least` is the one to share should there be none.
    Another {
        awaited: Awaited<'a>,
        least: Option<Arc<Object>>,
    },
}

/// A connection that is waited for.
struct Awaited<'a>(&'a Shared);

impl Awaited<'_> {
    fn offer(self, client: Object) -> Client {
        let mut lent = self.0.lent();
        if lent.in_use.len() >= self.0.most {
            return Client::Own(client);
        }
        let client = Arc::new(client);
        lent.in_use.push(Arc::downgrade(&client));
        Client::Shared(client)
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.lent().awaited -= 1;
    }
}
