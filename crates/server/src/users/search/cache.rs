//! What is remembered of texts that many match.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many match a text, and the state of all users at which they were counted.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub total: i64,
    /// How many users there were.
    pub users: i64,
    /// How many had been deleted or renamed by then.
    pub changes: i64,
    /// The highest id.
    pub last_id: i64,
}

/// The same state later on, and those who have come since: all, and those who match.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    pub matching: i64,
    pub added: i64,
    pub users: i64,
    pub changes: i64,
    pub last_id: i64,
}

impl Counted {
    /// Nothing, if somebody was deleted or renamed, or if a lower id than the highest came later.
    pub fn brought_up_to(self, since: Since) -> Option<Self> {
        let only_added = since.changes == self.changes && since.users == self.users + since.added;
        only_added.then_some(Self {
            total: self.total + since.matching,
            users: since.users,
            changes: since.changes,
            last_id: since.last_id,
        })
    }
}

/// How many texts are remembered.
const MOST: usize = 1000;
/// How many of those who match: the longest page, and whoever comes after it.
pub const FIRST: usize = 101;

#[derive(Clone)]
pub struct Known {
    pub counted: Counted,
    /// The first ids of those who match without being exact matches, as far as they have been
    /// read. Whoever comes later has a higher id.
    pub first: Vec<i64>,
}

/// The state of the users that comes with what is known tells whether it still holds, whoever has
/// changed them.
#[derive(Default)]
pub struct KnownTexts(Mutex<HashMap<String, Known>>);

impl KnownTexts {
    pub fn of(&self, text: &str) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(text).cloned()
    }

    pub fn keep(&self, text: &str, known: Known) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST && !all.contains_key(text) {
            all.clear();
        }
        all.insert(text.to_owned(), known);
    }

    pub fn forget(&self, text: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(text);
    }
}
