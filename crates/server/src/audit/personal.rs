//! The entries that may hold values of one person, for their erasure.

use db::{Conn, Tx};
use serde_json::value::RawValue;

use super::{LOOKED_AT, store};
use kernel::Result;

/// How many entries are rewritten in one transaction.
const REWRITTEN_AT_ONCE: i64 = 50;

/// As much of an entry as can hold a value of a person.
pub struct PersonalEntry {
    pub id: i64,
    pub resource: String,
    pub before: Box<RawValue>,
    pub after: Box<RawValue>,
    /// Whether the fields are about the person.
    pub is_about: bool,
    /// Whether the person made the change, as an operator.
    pub is_actor: bool,
}

/// Some of the entries.
pub struct Part {
    pub entries: Vec<PersonalEntry>,
    /// Everything up to here was looked at.
    pub position: i64,
}

/// Entries after the id `after` and up to `end`: changes of the user up to the erasure, the user's
/// sessions, and what the user did as an operator. It looks at a limited number of entries.
pub async fn personal_entries(conn: &mut Conn, user_id: i64, after: i64, end: i64) -> Result<Part> {
    let looked_at = store::id_after(conn, after, LOOKED_AT).await?;
    let to = looked_at.map_or(end, |id| id.min(end));
    // The values that the user has afterwards are not personal, unless they are set again.
    let erased = store::erased(conn, user_id).await?.unwrap_or(0);
    let limit = REWRITTEN_AT_ONCE;
    let entries = store::personal(conn, user_id, erased, after, to, limit).await?;
    let last = entries.last().filter(|_| entries.len() as i64 == limit);
    Ok(Part {
        position: last.map_or(to, |entry| entry.id),
        entries,
    })
}

/// Masks who made the change.
pub async fn mask_actor(tx: &mut Tx, id: i64, mask: &str) -> Result<()> {
    Ok(store::mask_actor(tx, id, mask).await?)
}

/// Replaces the fields that an entry shows.
pub async fn replace_fields(tx: &mut Tx, id: i64, before: &str, after: &str) -> Result<()> {
    Ok(store::replace_fields(tx, id, before, after).await?)
}
