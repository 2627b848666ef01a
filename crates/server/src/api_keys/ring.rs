use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use super::{ApiKey, TOPIC, store, value};
use crate::app::App;
use crate::{Error, Result};

/// All keys in memory, by the hash of their value, so that a request is authenticated without
/// touching the disk, and never by what was true before the latest change: the counter of changes
/// is compared on every request.
#[derive(Default)]
pub struct KeyRing {
    keys: RwLock<Arc<Keys>>,
    // Many requests may find the ring out of date at once; one of them reads it anew.
    loading: Mutex<()>,
}

#[derive(Default)]
struct Keys {
    as_of: Option<u64>,
    by_hash: HashMap<[u8; 32], Arc<ApiKey>>,
}

impl KeyRing {
    /// The key that `value` opens, if it is one that may be used now.
    pub async fn authenticate(&self, app: &App, value: &str) -> Result<Arc<ApiKey>> {
        let hash = value::hash(value);
        let key = match app.db.changes(TOPIC)? {
            Some(counter) => self
                .current(app, counter)
                .await?
                .by_hash
                .get(&hash)
                .cloned(),
            // Nobody tells this instance of changes at the moment, so the database is asked.
            None => {
                let mut read = app.db.read().await?;
                store::find_by_hash(&mut read, &hash).await?.map(Arc::new)
            }
        };
        let now = app.clock.now();
        let usable = |key: &Arc<ApiKey>| key.active && key.expires_at.is_none_or(|end| now < end);
        key.filter(usable).ok_or(Error::Unauthorized)
    }

    async fn current(&self, app: &App, counter: u64) -> Result<Arc<Keys>> {
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        let _turn = self.loading.lock().await;
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        // The counter was read before the keys: a change in between is noticed next time.
        let keys = store::all(&mut *app.db.read().await?).await?;
        let keys = Arc::new(Keys {
            as_of: Some(counter),
            by_hash: keys.into_iter().filter_map(by_hash).collect(),
        });
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&keys);
        Ok(keys)
    }

    /// The keys, if they are as new as the counter says; newer is as good.
    fn loaded(&self, counter: u64) -> Option<Arc<Keys>> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let current = keys.as_of.is_some_and(|as_of| as_of >= counter);
        current.then(|| Arc::clone(&keys))
    }
}

fn by_hash(key: ApiKey) -> Option<([u8; 32], Arc<ApiKey>)> {
    let hash = key.hash.reveal().as_slice().try_into().ok()?;
    Some((hash, Arc::new(key)))
}
