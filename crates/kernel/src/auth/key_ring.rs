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

/// All keys in memory, by the hash of their value, so that a request is authenticated without
/// touching the disk, and never by what was true before the latest change: the counter of changes
/// is compared on every request.
#[derive(Default)]
pub struct KeyRing {
    keys: RwLock<Arc<Keys>>,
    // Many requests may find the ring out of date at once; one of them reads it anew.
    loading: AsyncMutex<()>,
    // By id, and apart from the keys, since it goes on when these are read anew.
    usages: Mutex<HashMap<i64, Arc<Usage>>>,
}

#[derive(Default)]
struct Keys {
    as_of: Option<u64>,
    by_hash: HashMap<[u8; 32], Opened>,
}

/// What a value opens.
#[derive(Clone)]
struct Opened {
    key: Arc<Key>,
    usage: Arc<Usage>,
    /// When the value is worth nothing any more, if it is a previous one.
    end: Option<Timestamp>,
}

impl Opened {
    fn admits(&self, now: Timestamp, ip: Option<IpAddr>) -> bool {
        let in_time = self.end.is_none_or(|end| now < end);
        in_time && self.key.active && self.key.restrictions.admit(now, ip)
    }
}

/// A key that may be used, and how it stands with its limit, if it has one.
pub struct Admitted {
    pub key: Arc<Key>,
    pub quota: Option<Quota>,
}

impl KeyRing {
    /// The key that `value` opens, if it is one that may be used now and from this address.
    pub async fn authenticate(
        &self,
        core: &Core,
        value: &str,
        ip: Option<IpAddr>,
        default_limit: Option<u32>,
    ) -> Result<Admitted> {
        let hash = key_value::hash(value);
        let opened = match core.db.changes(TOPIC)? {
            Some(counter) => self
                .current(core, counter)
                .await?
                .by_hash
                .get(&hash)
                .cloned(),
            // Nobody tells this instance of changes at the moment, so the database is asked.
            None => self.stored(core, &hash).await?,
        };
        let now = core.clock.now();
        let opened = opened.filter(|opened| opened.admits(now, ip));
        let Opened { key, usage, .. } = opened.ok_or(Error::Unauthorized)?;
        let limit = key.restrictions.requests_per_second;
        let limit = limit.or(default_limit);
        Ok(Admitted {
            quota: usage.note(&core.clock, ip, limit),
            key,
        })
    }

    /// Whether somebody who was let in before would be let in now: their key is there, may be used
    /// from the same address, and holds what `is_enough`.
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
                let mut opened = keys.by_hash.values();
                let opened = opened.find(|opened| opened.key.id == id);
                opened.map(|opened| Arc::clone(&opened.key))
            }
            None => store::find(&mut *core.db.read().await?, id)
                .await?
                .map(Arc::new),
        };
        let now = core.clock.now();
        Ok(key.is_some_and(|key| {
            key.active && key.restrictions.admit(now, actor.ip) && is_enough(key.permissions)
        }))
    }

    /// When the key was used last, as far as this instance has seen it.
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

    async fn stored(&self, core: &Core, hash: &[u8; 32]) -> Result<Option<Opened>> {
        let mut read = core.db.read().await?;
        let found = store::find_by_hash(&mut read, hash).await?;
        let mut opened = HashMap::new();
        for key in found {
            let usage = Arc::clone(self.usages_by_id().entry(key.id).or_default());
            hang(&mut opened, key, usage);
        }
        Ok(opened.remove(hash))
    }

    async fn current(&self, core: &Core, counter: u64) -> Result<Arc<Keys>> {
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        let _turn = self.loading.lock().await;
        if let Some(keys) = self.loaded(counter) {
            return Ok(keys);
        }
        // The counter was read before the keys: a change in between is noticed next time.
        let found = store::all(&mut *core.db.read_alone().await?).await?;
        let keys = Arc::new(Keys {
            as_of: Some(counter),
            by_hash: self.by_hash(found),
        });
        *self.keys.write() = Arc::clone(&keys);
        Ok(keys)
    }

    /// The keys, if they are as new as the counter says; newer is as good.
    fn loaded(&self, counter: u64) -> Option<Arc<Keys>> {
        let keys = self.keys.read();
        let current = keys.as_of.is_some_and(|as_of| as_of >= counter);
        current.then(|| Arc::clone(&keys))
    }

    /// What is known of the use of keys that are gone goes with them.
    fn by_hash(&self, keys: Vec<Key>) -> HashMap<[u8; 32], Opened> {
        let mut usages = self.usages_by_id();
        let mut known = std::mem::take(&mut *usages);
        let mut by_hash = HashMap::new();
        for key in keys {
            let usage = known.remove(&key.id).unwrap_or_default();
            usages.insert(key.id, Arc::clone(&usage));
            hang(&mut by_hash, key, usage);
        }
        by_hash
    }
}

/// Puts a key where its values find it.
fn hang(by_hash: &mut HashMap<[u8; 32], Opened>, key: Key, usage: Arc<Usage>) {
    let key = Arc::new(key);
    let opened = |end| Opened {
        key: Arc::clone(&key),
        usage: Arc::clone(&usage),
        end,
    };
    if let Ok(hash) = key.hash.reveal().as_slice().try_into() {
        by_hash.insert(hash, opened(None));
    }
    if let Some(previous) = &key.previous
        && let Ok(hash) = previous.hash.reveal().as_slice().try_into()
    {
        // A present value is stronger, should ever two keys share one.
        by_hash
            .entry(hash)
            .or_insert_with(|| opened(Some(previous.valid_until)));
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
    fn what_is_known_of_a_key_stays_with_it_and_goes_with_it() {
        let ring = KeyRing::default();
        ring.by_hash(vec![key(1), key(2)]);
        let usages = ring.usages();
        let second = usages.iter().find(|(id, _)| *id == 2).expect("known");
        ring.by_hash(vec![key(2), key(3)]);
        let mut after = ring.usages();
        after.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(after.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 3]);
        assert!(Arc::ptr_eq(&after[0].1, &second.1));
    }

    #[test]
    fn a_present_value_is_stronger_than_a_previous_one() {
        let (mut old, new) = (key(1), key(2));
        old.previous = Some(crate::auth::PreviousValue {
            hash: new.hash.clone(),
            valid_until: Timestamp::from_unix(60),
        });
        for keys in [vec![old.clone(), new.clone()], vec![new.clone(), old]] {
            let by_hash = KeyRing::default().by_hash(keys);
            let opened = &by_hash[new.hash.reveal().as_slice()];
            assert_eq!((opened.key.id, opened.end), (2, None));
        }
    }
}
