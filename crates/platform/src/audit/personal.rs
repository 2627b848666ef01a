//! Finds entries with personal data of a user, for erasure.

use db::Conn;
use serde_json::value::RawValue;

use super::{LOOKED_AT, store};
use kernel::Result;

/// The number of entries rewritten in one transaction.
const REWRITTEN_AT_ONCE: i64 = 50;

/// The parts of an entry that can contain personal data.
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

/// A batch of entries.
pub struct Part {
    pub entries: Vec<PersonalEntry>,
    /// The last id that was scanned.
    pub position: i64,
}

/// Entries after the id `after` and up to `end`: changes of the user up to the erasure, the user's
/// grants and sessions, and the user's own changes as an operator. Scans a limited number of entries.
pub async fn personal_entries(conn: &mut Conn, user_id: i64, after: i64, end: i64) -> Result<Part> {
    let looked_at = store::id_after(conn, after, LOOKED_AT).await?;
    let to = looked_at.map_or(end, |id| id.min(end));
    // Later values of the user are not personal, unless they are set again.
    let erased = store::erased(conn, user_id).await?.unwrap_or(0);
    let limit = REWRITTEN_AT_ONCE;
    let entries = store::personal(conn, user_id, erased, after, to, limit).await?;
    let last = entries.last().filter(|_| entries.len() as i64 == limit);
    Ok(Part {
        position: last.map_or(to, |entry| entry.id),
        entries,
    })
}
