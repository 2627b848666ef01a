//! `KeyRing`: authenticates requests from a cache of all API keys.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::Mutex as AsyncMutex;

use super::rate_limit::Quota;
use super::usage::{LastUse, Usage};
use super::{Key, TOPIC, key_value, store};
use crate::auth::Actor;
use crate::auth::permission::PermissionSet;
use crate::types::Timestamp;
use crate::{Core, Error, Result};

/// All keys in memory, by the hash of their value, so that authentication does not read the
/// database. The cache is never stale: every request compares the counter of changes.
#[derive(Default)]
pub struct KeyRing {
    keys: RwLock<Arc<Keys>>,
    // Of the requests that find the cache outdated at the same time, one reloads it.
    loading: AsyncMutex<()>,
    // By id, and separate from the keys, since it is kept when they are reloaded.
    usages: Mutex<HashMap<i64, Arc<Usage>>>,
}

#[derive(Default)]
struct Keys {
    as_of: Option<u64>,
    by_hash: ByHash,
}

type ByHash = HashMap<[u8; 32], Match>;

/// The key that a value belongs to.
#[derive(Clone)]
struct Match {
    key: Arc<Key>,
    usage: Arc<Usage>,
    /// When the value expires, if it is a previous one.
    valid_until: Option<Timestamp>,
}

impl Match {
    fn allows(&self, now: Timestamp, ip: Option<IpAddr>) -> bool {
        let in_time = self.valid_until.is_none_or(|end| now < end);
        in_time && self.key.active && self.key.restrictions.allow(now, ip)
    }
}

/// An authenticated key, and what is left of its rate limit, if it has one.
pub struct Admitted {
    pub key: Arc<Key>,
    pub quota: Option<Quota>,
}

impl KeyRing {
    /// The key with this value, if it may be used now and from this address.
    pub async fn authenticate(
        &self,
        core: &Core,
        value: &str,
        ip: Option<IpAddr>,
        default_limit: Option<u32>,
    ) -> Result<Admitted> {
        let hash = key_value::hash(value);
        let found = match core.db.changes(TOPIC)? {
            Some(counter) => self
                .current(core, counter)
                .await?
                .by_hash
                .get(&hash)
                .cloned(),
            // Notifications are down and the cache may be stale, so the database is read.
            None => self.find_stored(core, &hash).await?,
        };
        let now = core.clock.now();
        let found = found.filter(|found| found.allows(now, ip));
        let Match { key, usage, .. } = found.ok_or(Error::Unauthorized)?;
        let limit = key.restrictions.requests_per_second;
        let limit = limit.or(default_limit);
        Ok(Admitted {
            quota: usage.record(&core.clock, ip, limit),
            key,
        })
    }

    /// Whether an actor who was authenticated before still would be: their key exists, may be used
    /// from the same address, and has the permissions that `is_enough` checks.
    pub async fn still_admits(
        &self,
        core: &Core,
        actor: &Actor,
        is_enough: fn(PermissionSet) -> bool,
    ) -> Result<bool> {
        let Some(id) = actor.key_id else {
            return Ok(true);
        };
        let key = match core.db.changes(TOPIC)? {
            Some(counter) => {
                let keys = self.current(core, counter).await?;
                let mut found = keys.by_hash.values();
                let found = found.find(|found| found.key.id == id);
                found.map(|found| Arc::clone(&found.key))
            }
            None => store::find(&mut *core.db.read().await?, id)
                .await?
                .map(Arc::new),
        };
        let now = core.clock.now();
        Ok(key.is_some_and(|key| {
            key.active && key.restrictions.allow(now, actor.ip) && is_enough(key.permissions)
        }))
    }

    /// When the key was last used on this instance.
    pub fn last_use(&self, id: i64) -> Option<LastUse> {
        let usages = self.usages_by_id();
        usages.get(&id).and_then(|usage| usage.last())
    }

    pub(super) fn usages(&self) -> Vec<(i64, Arc<Usage>)> {
        let usages = self.usages_by_id();
        let each = usages.iter().map(|(id, usage)| (*id, Arc::clone(usage)));
        each.collect()
    }

    fn usages_by_id(&self) -> MutexGuard<'_, HashMap<i64, Arc<Usage>>> {
        self.usages.lock()
    }

    async fn find_stored(&self, core: &Core, hash: &[u8; 32]) -> Result<Option<Match>> {
        let mut read = core.db.read().await?;
        let keys = store::find_by_hash(&mut read, hash).await?;
        let mut by_hash = ByHash::new();
        for key in keys {
            let usage = Arc::clone(self.usages_by_id().entry(key.id).or_default());
            insert_values(&mut by_hash, key, usage);
        }
        Ok(by_hash.remove(hash))
    }

    async fn current(&self, core: &Core, counter: u64) -> Result<Arc<Keys>> {
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        let _turn = self.loading.lock().await;
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        // The counter was read before the keys, so a change in between is noticed next time.
        let found = store::all(&mut *core.db.read_alone().await?).await?;
        let keys = Arc::new(Keys {
            as_of: Some(counter),
            by_hash: self.index(found),
        });
        *self.keys.write() = Arc::clone(&keys);
        Ok(keys)
    }

    /// The cached keys, if they are at least as new as the counter.
    fn loaded(&self, counter: u64) -> Option<Arc<Keys>> {
        let keys = self.keys.read();
        let current = keys.as_of.is_some_and(|as_of| as_of >= counter);
        current.then(|| Arc::clone(&keys))
    }

    /// Keeps the usage of keys that still exist and drops that of deleted ones.
    fn index(&self, keys: Vec<Key>) -> ByHash {
        let mut usages = self.usages_by_id();
        let mut known = std::mem::take(&mut *usages);
        let mut by_hash = ByHash::new();
        for key in keys {
            let usage = known.remove(&key.id).unwrap_or_default();
            usages.insert(key.id, Arc::clone(&usage));
            insert_values(&mut by_hash, key, usage);
        }
        by_hash
    }
}

/// Adds a key under its value and under its previous one.
fn insert_values(by_hash: &mut ByHash, key: Key, usage: Arc<Usage>) {
    let key = Arc::new(key);
    let found = |valid_until| Match {
        key: Arc::clone(&key),
        usage: Arc::clone(&usage),
        valid_until,
    };
    if let Ok(hash) = key.hash.reveal().as_slice().try_into() {
        by_hash.insert(hash, found(None));
    }
    if let Some(previous) = &key.previous
        && let Ok(hash) = previous.hash.reveal().as_slice().try_into()
    {
        // Should two keys ever share a value, a current one wins over a previous one.
        by_hash
            .entry(hash)
            .or_insert_with(|| found(Some(previous.valid_until)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::permission::PermissionSet;
    use crate::auth::{KeyValue, Restrictions};
    use crate::secret::Secret;

    fn key(id: i64) -> Key {
        Key {
            id,
            name: String::new(),
            active: true,
            permissions: PermissionSet::default(),
            restrictions: Restrictions::default(),
            hash: Secret::new(KeyValue::generate().hash().to_vec()),
            previous: None,
        }
    }

    #[test]
    fn usage_is_kept_when_keys_are_reloaded_and_dropped_with_its_key() {
        let ring = KeyRing::default();
        ring.index(vec![key(1), key(2)]);
        let usages = ring.usages();
        let second = usages.iter().find(|(id, _)| *id == 2).expect("known");
        ring.index(vec![key(2), key(3)]);
        let mut after = ring.usages();
        after.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(after.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 3]);
        assert!(Arc::ptr_eq(&after[0].1, &second.1));
    }

    #[test]
    fn a_current_value_wins_over_a_previous_one() {
        let (mut old, new) = (key(1), key(2));
        old.previous = Some(crate::auth::PreviousValue {
            hash: new.hash.clone(),
            valid_until: Timestamp::from_unix(60),
        });
        for keys in [vec![old.clone(), new.clone()], vec![new.clone(), old]] {
            let by_hash = KeyRing::default().index(keys);
            let found = &by_hash[new.hash.reveal().as_slice()];
            assert_eq!((found.key.id, found.valid_until), (2, None));
        }
    }
}
