//! `KeyRing`: authenticates requests from a cache of all API keys.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use db::Version;
use foldhash::fast::RandomState as FastHash;
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::Mutex as AsyncMutex;

use super::admission::is_usable;
use super::permission::PermissionSet;
use super::rate_limit::Quota;
use super::usage::{LastUse, Usage};
use super::{Key, Presented, TOPIC, console, key_value, store};
use crate::auth::Actor;
use crate::types::{Clock, Timestamp};
use crate::{Core, Error, Result};

/// The interval and the number of polls for a version that is temporarily unknown.
const PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSES: u32 = 25;

/// Caches all keys by the hash of their value, so that authentication does not read the database.
/// The cache is never stale: every request compares its version with that of the keys in the
/// database.
#[derive(Default)]
pub struct KeyRing {
    keys: RwLock<Arc<Keys>>,
    // Only one of the requests that find the cache outdated at the same time reloads it.
    loading: AsyncMutex<()>,
    // Keyed by id and separate from the keys, so that a reload keeps it.
    usages: Mutex<HashMap<i64, Arc<Usage>>>,
}

#[derive(Default)]
struct Keys {
    as_of: Option<Version>,
    by_hash: ByHash,
}

type ByHash = HashMap<[u8; 32], Match, FastHash>;

/// The key that a value belongs to.
#[derive(Clone)]
struct Match {
    key: Arc<Key>,
    usage: Arc<Usage>,
    /// When the value expires, if it is the previous one.
    valid_until: Option<Timestamp>,
}

/// An authenticated key and its remaining quota, if it has a rate limit.
pub struct Admitted {
    pub key: Arc<Key>,
    /// The hash of the value that was presented.
    pub hash: [u8; 32],
    /// When the value expires, if it is the previous one.
    pub valid_until: Option<Timestamp>,
    /// The version of the keys that the key was read at; `None` if unknown.
    pub as_of: Option<Version>,
    pub quota: Option<Quota>,
}

impl KeyRing {
    /// Finds the key with this value, if it may be used now and from this address. `may_look_up`
    /// says whether a value that is not cached may be looked up in the database.
    pub async fn authenticate(
        &self,
        core: &Core,
        value: &str,
        ip: Option<IpAddr>,
        default_limit: Option<u32>,
        may_look_up: impl FnOnce() -> bool,
    ) -> Result<Admitted> {
        let hash = key_value::hash(value);
        let (found, as_of) = self.find(core, &hash, may_look_up).await?;
        let now = core.expiry_now();
        let found = found.filter(|found| is_usable(&found.key, found.valid_until, now, ip));
        let Match {
            key,
            usage,
            valid_until,
        } = found.ok_or(Error::Unauthorized)?;
        let limit = key.restrictions.requests_per_second;
        let limit = limit.or(default_limit);
        Ok(Admitted {
            quota: usage.record(&core.clock, ip, limit),
            key,
            hash,
            valid_until,
            as_of,
        })
    }

    /// Authenticates an actor again: the value must still be valid and usable from the same address
    /// (401), and its key must still have the permission (403). Returns the current permissions of
    /// the key.
    pub async fn confirm(&self, core: &Core, actor: &Actor) -> Result<PermissionSet> {
        let now = core.expiry_now();
        if !actor.may_be_outdated(core, now)? {
            return Ok(actor.permissions);
        }
        let Some(admission) = &actor.admission else {
            return Ok(actor.permissions);
        };
        if admission.presented == Presented::Session {
            let mut read = core.db.read().await?;
            let hash = admission.hash.reveal();
            let session = console::find(&mut read, hash, now, actor.ip).await?;
            let permissions = session.ok_or(Error::Unauthorized)?.holder.permissions();
            (admission.right)(permissions)?;
            return Ok(permissions);
        }
        let (found, _) = self.find(core, admission.hash.reveal(), || true).await?;
        let found = found.filter(|found| is_usable(&found.key, found.valid_until, now, actor.ip));
        let Match { key, .. } = found.ok_or(Error::Unauthorized)?;
        (admission.right)(key.permissions)?;
        Ok(key.permissions)
    }

    /// Finds the key with this value, and the version of the keys that it was read at.
    /// `may_look_up` says whether a value that is not cached may be looked up in the database.
    async fn find(
        &self,
        core: &Core,
        hash: &[u8; 32],
        may_look_up: impl FnOnce() -> bool,
    ) -> Result<(Option<Match>, Option<Version>)> {
        match core.db.changes(TOPIC)? {
            Some(version) => {
                let keys = self.current(core, version).await?;
                Ok((keys.by_hash.get(hash).cloned(), keys.as_of))
            }
            // Notifications are down and the cache may be stale: read the database.
            None if self.is_cached(hash) || may_look_up() => {
                Ok((Box::pin(self.find_stored(core, hash)).await?, None))
            }
            None => Box::pin(self.find_when_known(core, hash)).await,
        }
    }

    /// Waits for the version of the keys, for a value that must not be looked up. The version is
    /// unknown briefly after each change of a key, and longer while notifications are down.
    async fn find_when_known(
        &self,
        core: &Core,
        hash: &[u8; 32],
    ) -> Result<(Option<Match>, Option<Version>)> {
        for _ in 0..MAX_PAUSES {
            tokio::time::sleep(PAUSE).await;
            if let Some(version) = core.db.changes(TOPIC)? {
                let keys = self.current(core, version).await?;
                return Ok((keys.by_hash.get(hash).cloned(), keys.as_of));
            }
        }
        Ok((None, None))
    }

    /// When the key was last used on this instance.
    pub fn last_use(&self, id: i64) -> Option<LastUse> {
        let usages = self.usages_by_id();
        usages.get(&id).and_then(|usage| usage.last())
    }

    /// Counts a reply stored for a key or an operator; see [`Actor::caller_id`]. Returns false if
    /// it exceeds the limit of this hour.
    pub fn count_stored_reply(&self, caller: i64, bytes: u64, hour: i64, limit: u64) -> bool {
        self.usage(caller).count_stored(bytes, hour, limit)
    }

    /// Counts a request of an operator against the rate limit, if there is one.
    pub fn count_request(
        &self,
        caller: i64,
        clock: &Clock,
        ip: Option<IpAddr>,
        limit: Option<u32>,
    ) -> Option<Quota> {
        self.usage(caller).record(clock, ip, limit)
    }

    fn usage(&self, caller: i64) -> Arc<Usage> {
        Arc::clone(self.usages_by_id().entry(caller).or_default())
    }

    /// The usages of keys. The last use of an operator is stored with the session.
    fn usages(&self) -> Vec<(i64, Arc<Usage>)> {
        let usages = self.usages_by_id();
        let keys = usages.iter().filter(|(id, _)| **id > 0);
        keys.map(|(id, usage)| (*id, Arc::clone(usage))).collect()
    }

    fn usages_by_id(&self) -> MutexGuard<'_, HashMap<i64, Arc<Usage>>> {
        self.usages.lock()
    }

    fn is_cached(&self, hash: &[u8; 32]) -> bool {
        self.keys.read().by_hash.contains_key(hash)
    }

    async fn find_stored(&self, core: &Core, hash: &[u8; 32]) -> Result<Option<Match>> {
        let mut read = core.db.read().await?;
        let keys = store::find_by_hash(&mut read, hash).await?;
        let mut by_hash = ByHash::default();
        for key in keys {
            let usage = Arc::clone(self.usages_by_id().entry(key.id).or_default());
            insert_values(&mut by_hash, key, usage);
        }
        Ok(by_hash.remove(hash))
    }

    async fn current(&self, core: &Core, version: Version) -> Result<Arc<Keys>> {
        match self.loaded(version) {
            Some(keys) => Ok(keys),
            // On the heap, to keep the future of every request small.
            None => Box::pin(self.load(core, version)).await,
        }
    }

    async fn load(&self, core: &Core, version: Version) -> Result<Arc<Keys>> {
        let _turn = self.loading.lock().await;
        // Other requests may have loaded a later version while this one waited.
        let version = core.db.changes(TOPIC)?.unwrap_or(version);
        if let Some(keys) = self.loaded(version) {
            return Ok(keys);
        }
        // The version was read before the keys, so the next request notices a change in between.
        let found = store::all(&mut *core.db.read_alone().await?).await?;
        let keys = Arc::new(Keys {
            as_of: Some(version),
            by_hash: self.index(found),
        });
        *self.keys.write() = Arc::clone(&keys);
        Ok(keys)
    }

    /// The cached keys, if they have this version. Versions are not ordered: a restore may make an
    /// earlier one current.
    fn loaded(&self, version: Version) -> Option<Arc<Keys>> {
        let keys = self.keys.read();
        let current = keys.as_of == Some(version);
        current.then(|| Arc::clone(&keys))
    }

    /// Keeps the usage of existing keys and drops that of deleted ones.
    fn index(&self, keys: Vec<Key>) -> ByHash {
        let mut usages = self.usages_by_id();
        let mut known = std::mem::take(&mut *usages);
        let mut by_hash = ByHash::default();
        for key in keys {
            let usage = known.remove(&key.id).unwrap_or_default();
            usages.insert(key.id, Arc::clone(&usage));
            insert_values(&mut by_hash, key, usage);
        }
        // The usages of operators are few and are always kept.
        usages.extend(known.into_iter().filter(|(id, _)| *id < 0));
        by_hash
    }
}

/// Adds a key under its current and its previous value.
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
        // If two keys ever share a value, a current value wins over a previous one.
        by_hash
            .entry(hash)
            .or_insert_with(|| found(Some(previous.valid_until)));
    }
}

/// Writes all uses that are not written yet, in one transaction.
pub async fn write_uses(core: &Core, keys: &KeyRing) -> Result<()> {
    let mut unwritten = Vec::new();
    for (id, usage) in keys.usages() {
        if let Some(last) = usage.unwritten() {
            unwritten.push((id, last, usage));
        }
    }
    if unwritten.is_empty() {
        return Ok(());
    }
    // Sort by id: instances that write the same keys would otherwise deadlock.
    unwritten.sort_unstable_by_key(|(id, ..)| *id);
    let mut tx = core.db.begin().await?;
    for (id, last, _) in &unwritten {
        store::record_use(&mut tx, *id, last).await?;
    }
    tx.commit().await?;
    for (_, last, usage) in unwritten {
        usage.mark_written(last);
    }
    Ok(())
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
