//! Connections that brief reads share: while the server is at work on one, the next are on their
//! way to it, so that many take hardly more round trips and wake-ups than a few.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use deadpool_postgres::{Object, Pool};

use super::error::from_pool;
use crate::Result;

/// How many reads a connection gets before the next one is taken.
const DEPTH: usize = 32;

/// A connection out of the pool, to oneself or together with others.
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
    in_use: Mutex<Vec<Weak<Object>>>,
}

impl Shared {
    /// Leaves most of the pool to others: what is shared may be in use for as long as reads come.
    pub fn of(pool: &Pool) -> Self {
        Self {
            pool: pool.clone(),
            most: pool.status().max_size / 4,
            in_use: Mutex::default(),
        }
    }

    pub async fn take(&self) -> Result<Client> {
        if let Some(client) = self.joined() {
            return Ok(Client::Shared(client));
        }
        let client = self.pool.get().await.map_err(from_pool)?;
        Ok(self.offered(client))
    }

    /// One that others use, unless it is time to take another.
    fn joined(&self) -> Option<Arc<Object>> {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|client| client.strong_count() > 0);
        let usable = in_use.iter().filter_map(Weak::upgrade);
        let usable = usable.filter(|client| !client.is_closed());
        // The one that is asked about counts as well.
        let least = usable.min_by_key(Arc::strong_count)?;
        let is_free = Arc::strong_count(&least) <= DEPTH;
        (is_free || in_use.len() >= self.most).then_some(least)
    }

    fn offered(&self, client: Object) -> Client {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        if in_use.len() >= self.most {
            return Client::Own(client);
        }
        let client = Arc::new(client);
        in_use.push(Arc::downgrade(&client));
        Client::Shared(client)
    }
}
