//! Caches the totals of searches with many matches, which are expensive to count.

use std::collections::HashMap;

use parking_lot::Mutex;

/// The number of users who match a text, and the state of all users at that time.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub total: i64,
    /// The number of all users.
    pub users: i64,
    /// The number of users deleted or renamed so far.
    pub changes: i64,
    /// The highest id.
    pub last_id: i64,
}

/// A later state of all users, and how many were added since: all, and those that match.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    pub matching: i64,
    pub added: i64,
    pub users: i64,
    pub changes: i64,
    pub last_id: i64,
}

impl Counted {
    /// The updated count; `None` if it is outdated: a user was deleted or renamed, or was added
    /// with an id below the highest.
    pub fn update(self, since: Since) -> Option<Self> {
        let only_added = since.changes == self.changes && since.users == self.users + since.added;
        only_added.then_some(Self {
            total: self.total + since.matching,
            users: since.users,
            changes: since.changes,
            last_id: since.last_id,
        })
    }
}

/// How many texts are cached.
const CAPACITY: usize = 1000;

/// The totals of the most recent searches. Each is stored with the state of the users, so a reader
/// can tell whether it is outdated, even by a write of another instance.
#[derive(Default)]
pub struct CachedTotals(Mutex<LeastRecentlyUsed>);

#[derive(Default)]
struct LeastRecentlyUsed {
    entries: HashMap<String, Entry>,
    /// Counts reads and writes, to order entries by use.
    clock: u64,
}

struct Entry {
    counted: Counted,
    used: u64,
}

impl CachedTotals {
    pub fn get(&self, text: &str) -> Option<Counted> {
        let mut cache = self.0.lock();
        let used = cache.tick();
        let entry = cache.entries.get_mut(text)?;
        entry.used = used;
        Some(entry.counted)
    }

    pub fn insert(&self, text: &str, counted: Counted) {
        let mut cache = self.0.lock();
        let used = cache.tick();
        if cache.entries.len() >= CAPACITY && !cache.entries.contains_key(text) {
            cache.evict();
        }
        let entry = Entry { counted, used };
        cache.entries.insert(text.to_owned(), entry);
    }

    pub fn remove(&self, text: &str) {
        self.0.lock().entries.remove(text);
    }
}

impl LeastRecentlyUsed {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Removes the least recently used entry. The scan is cheap compared to the count to be cached.
    fn evict(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(text) = oldest.map(|(text, _)| text.clone()) {
            self.entries.remove(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(total: i64) -> Counted {
        Counted {
            total,
            users: 10,
            changes: 3,
            last_id: 12,
        }
    }

    #[test]
    fn the_least_recently_used_text_is_evicted() {
        let cache = CachedTotals::default();
        for n in 0..CAPACITY {
            cache.insert(&n.to_string(), counted(n as i64));
        }
        assert_eq!(cache.get("0").map(|counted| counted.total), Some(0));
        cache.insert("new", counted(7));
        assert!(cache.get("1").is_none(), "evicted");
        for text in ["0", "2", "new"] {
            assert!(cache.get(text).is_some(), "{text}");
        }
        cache.insert("2", counted(5));
        assert_eq!(cache.0.lock().entries.len(), CAPACITY);
        cache.remove("2");
        assert!(cache.get("2").is_none());
    }

    #[test]
    fn a_total_is_updated_only_if_users_were_added_at_the_end() {
        let since = Since {
            matching: 2,
            added: 4,
            users: 14,
            changes: 3,
            last_id: 20,
        };
        let updated = counted(5).update(since).expect("still exact");
        assert_eq!((updated.total, updated.last_id), (7, 20));
        let renamed = Since {
            changes: 4,
            ..since
        };
        assert!(counted(5).update(renamed).is_none());
        let added_below = Since { users: 15, ..since };
        assert!(counted(5).update(added_below).is_none());
    }
}
