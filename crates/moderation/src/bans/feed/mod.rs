//! The feed: all active bans, and then every change, for a plugin that keeps a copy.
//!
//! The cursor is that of events: the id of an audit entry. Every change of a ban has an entry, so
//! the changed bans are those that the entries after the cursor name.

pub mod http;

use db::Conn;

use super::{Ban, store};
use kernel::write::Resource;
use kernel::{Error, ErrorCode, Result};
use platform::audit::events::{self, Events};

/// How many entries of the log one request reads. Most are about other resources.
const ENTRIES: i64 = 5_000;
/// How many changed bans one request returns.
const CHANGES: usize = 500;
/// The action of an import, which changes bans without an entry for each.
const IMPORT: &str = "bans.import";

/// A part of the changes.
#[derive(Debug)]
pub struct Changes {
    /// In their present state, in the order of the commits.
    pub bans: Vec<Ban>,
    pub cursor: i64,
    /// Whether more changes follow at once.
    pub more: bool,
}

fn cursor_expired() -> Error {
    Error::Conflict {
        code: ErrorCode::CursorExpired,
        message: "The cursor is unknown, too old, or from before an import. Begin again without it.",
    }
}

/// The bans that changed after the cursor.
pub async fn changes(events: &Events, conn: &mut Conn, after: i64) -> Result<Changes> {
    let to = events.complete_to().await?;
    if after > to && after > events::newest(conn).await? {
        return Err(cursor_expired());
    }
    let oldest = events::oldest(conn).await?;
    if after + 1 < oldest {
        return Err(cursor_expired());
    }
    let read = events::occurred(conn, after, to, ENTRIES).await?;
    let is_cut = read.len() as i64 == ENTRIES;
    let mut ids: Vec<i64> = Vec::new();
    let mut cursor = after;
    let mut is_full = false;
    for entry in &read {
        let is_change = entry.resource == Ban::PLURAL && entry.resource_id > 0;
        if entry.action == IMPORT {
            return Err(cursor_expired());
        }
        if is_change && !ids.contains(&entry.resource_id) {
            if ids.len() == CHANGES {
                is_full = true;
                break;
            }
            ids.push(entry.resource_id);
        }
        // Without a change the cursor stays, and so does the entity tag, but not for ever.
        if is_change || is_cut {
            cursor = entry.id;
        }
    }
    let mut bans = store::find_many(conn, &ids).await?;
    bans.sort_by_key(|ban| ids.iter().position(|id| *id == ban.id));
    Ok(Changes {
        bans,
        cursor,
        more: is_full || is_cut,
    })
}
