//! Finding users by any part of their name or address.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use db::Conn;

use super::listing::Listed;
use super::store;
use crate::fold::fold;
use crate::input::{Place, Positive, Raw, Rule, is_blank, text};
use crate::page::Window;
use crate::timestamp::Timestamp;
use crate::{Result, inline_schema, input};

input! {
    /// Whom to look for.
    pub struct Search {
        /// Part of a username or email address, without regard to case: at least 3 characters.
        q: Wanted,
        /// The page, from 1.
        page: Option<Positive>,
        /// How many users a page has, 100 unless fewer are asked for.
        per_page: Option<Positive>,
    }
}

/// Without white space at its ends, and folded like what it is compared with.
#[derive(Debug)]
pub struct Wanted(String);

impl Rule for Wanted {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let trimmed = text.trim_matches(is_blank);
        if trimmed.chars().count() < 3 {
            place.add("must be at least 3 characters long");
            return None;
        }
        Some(Self(fold(trimmed)))
    }
}

inline_schema!(Wanted, {
    "type": "string",
    "minLength": 3,
    "pattern": r"^\s*[^\s\u0000][^\u0000]+[^\s\u0000]\s*$",
});

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
    fn brought_up_to(self, since: Since) -> Option<Self> {
        let only_added = since.changes == self.changes && since.users == self.users + since.added;
        only_added.then_some(Self {
            total: self.total + since.matching,
            users: since.users,
            changes: since.changes,
            last_id: since.last_id,
        })
    }
}

/// Below this it is as quick to count again.
const WORTH_KEEPING: i64 = 500;
const MOST_KEPT: usize = 1000;

/// What was counted for texts that many match. The state of the users that comes with it tells
/// whether it still holds, whoever has changed them.
#[derive(Default)]
pub struct KnownTotals(Mutex<HashMap<String, Counted>>);

impl KnownTotals {
    fn of(&self, text: &str) -> Option<Counted> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(text).copied()
    }

    fn keep(&self, text: &str, counted: Counted) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.total < WORTH_KEEPING {
            known.remove(text);
            return;
        }
        if known.len() >= MOST_KEPT && !known.contains_key(text) {
            known.clear();
        }
        known.insert(text.to_owned(), counted);
    }
}

/// Those who match exactly come first, then all others by id. With them comes how many there are,
/// whatever the page.
pub async fn search(
    conn: &mut Conn,
    now: Timestamp,
    Wanted(text): &Wanted,
    window: Window,
    known: &KnownTotals,
) -> Result<(Vec<Listed>, i64)> {
    let (exact, counted) = count(conn, now, text, known).await?;
    let total = counted.total;
    let exactly = exact.len() as i64;
    let mut page: Vec<Listed> = exact
        .into_iter()
        .skip(window.offset.try_into().unwrap_or(usize::MAX))
        .take(window.limit as usize)
        .collect();
    let rest = Window {
        limit: window.limit - page.len() as i64,
        offset: (window.offset - exactly).max(0),
        ..window
    };
    let rest = rest.from_nearer_end((total - exactly).max(0));
    if rest.limit > 0 {
        // To find so many by their ids, about as many users are looked at as there are for each
        // of those who match.
        let wanted = rest.offset.saturating_add(rest.limit);
        let looked_at = wanted.saturating_mul(counted.users) / total.max(1);
        let are_few = total < looked_at;
        page.extend(store::search::others(conn, now, text, rest, are_few).await?);
    }
    Ok((page, total))
}

async fn count(
    conn: &mut Conn,
    now: Timestamp,
    text: &str,
    known: &KnownTotals,
) -> Result<(Vec<Listed>, Counted)> {
    if let Some(counted) = known.of(text) {
        let (exact, since) = store::search::since(conn, now, text, counted.last_id).await?;
        if let Some(counted) = since.and_then(|since| counted.brought_up_to(since)) {
            known.keep(text, counted);
            return Ok((exact, counted));
        }
    }
    let (exact, counted) = store::search::count(conn, now, text).await?;
    let counted = counted.ok_or(db::Error::NoRow)?;
    known.keep(text, counted);
    Ok((exact, counted))
}
