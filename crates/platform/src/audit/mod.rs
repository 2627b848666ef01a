//! The audit log: one entry for every successful write. `kernel::write` writes the entries, in the
//! transaction of the write; this slice lists and deletes them.

pub mod events;
pub mod http;
mod personal;
mod store;

use db::Conn;
use serde_json::value::RawValue;

pub use self::personal::personal_entries;
pub use self::store::{find, forget_visitor, mask_actor, replace_fields};

use kernel::input::{Fault, Int, Moment, Place, Positive, Raw, Rule, Text, text_that};
use kernel::list::{ListQuery, ListSpec, Parameter, Total, Window};
use kernel::types::Timestamp;
use kernel::{Core, Result, inline_schema, input};

/// The number of entries deleted in one transaction; small, so that writers do not wait long.
const REMOVED_AT_ONCE: i64 = 1000;

/// The maximum size of the changed fields on a page: entries can be megabytes long.
const PAGE_BYTES: i64 = 1 << 20;

/// How many entries a page in ascending order scans. Filters have no index in that order.
const LOOKED_AT: i64 = 10_000;

/// Entries are counted only up to this number: the log may grow without limit.
const MAX_TOTAL: i64 = 10_000;

/// An entry of the audit log.
#[derive(Debug)]
pub struct Entry {
    pub id: i64,
    pub at: Timestamp,
    /// `None` for the command line and for maintenance.
    pub key_id: Option<i64>,
    pub key_name: String,
    /// The operator who made the change, if any.
    pub user_id: Option<i64>,
    pub user_name: Option<String>,
    pub request_id: String,
    pub ip: Option<String>,
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
    pub before: Box<RawValue>,
    pub after: Box<RawValue>,
}

input! {
    /// Filters of the audit log.
    pub struct Filters {
        /// Entries of this API key.
        key_id: Option<Positive>,
        /// Entries of this operator.
        user_id: Option<Positive>,
        /// Entries about this user, and about the user's blocks, roles, links, devices, sessions,
        /// invoices and grants. Changes of many users at once are not among them.
        about_user_id: Option<Positive>,
        /// Entries about this type of resource, such as `roles`.
        resource: Option<Text<1, 100>>,
        /// Entries about the resource with this id; 0 for changes of many resources at once.
        resource_id: Option<Int<0, { i64::MAX }>>,
        /// Entries of this action, such as `roles.update`.
        action: Option<Text<1, 100>>,
        /// Entries at or after this time.
        from: Option<Moment>,
        /// Entries at or before this time.
        to: Option<Moment>,
    }
}

/// The value of `sort`. Without it, the newest entries come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldestFirst;

impl Rule for OldestFirst {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let fault = Fault::not_one_of(&["id"]);
        text_that(raw, place, |text| text == "id", fault).map(|_| Self)
    }
}

inline_schema!(OldestFirst, { "type": "string", "enum": ["id"] });

impl ListQuery for Filters {
    // Without page numbers: new entries would shift all pages.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::After, Parameter::Size, Parameter::Filters],
        ..ListSpec::PAGED
    };
}

/// A page of the log.
#[derive(Debug, Default)]
pub struct Page {
    pub entries: Vec<Entry>,
    /// The cursor of the next page, if more entries may follow.
    pub next: Option<i64>,
}

/// Entries, newest first: one fewer than the limit of the window, and at most [`PAGE_BYTES`]. A
/// larger entry gets its own page.
pub async fn page(conn: &mut Conn, filters: &Filters, window: Window) -> Result<Page> {
    let after = match window.after_id() {
        None => None,
        Some(id) => match store::position(conn, id).await? {
            Some(position) => Some(position),
            // Retention has deleted the entry, and with it all older ones.
            None => return Ok(Page::default()),
        },
    };
    let sizes = store::sizes(conn, filters, after, window.limit).await?;
    let count = fitting(&sizes, window.limit - 1);
    let entries = store::list(conn, filters, after, count as i64).await?;
    let last = entries.last().filter(|_| count < sizes.len());
    Ok(Page {
        next: last.map(|entry| entry.id),
        entries,
    })
}

/// Entries up to the id `to`, oldest first. The page also ends after [`LOOKED_AT`] entries were
/// scanned, even if few of them match the filters.
pub async fn oldest_page(
    conn: &mut Conn,
    filters: &Filters,
    window: Window,
    to: i64,
) -> Result<Page> {
    let after = window.after_id().unwrap_or(0);
    let looked_at = store::id_after(conn, after, LOOKED_AT).await?;
    let to = looked_at.map_or(to, |id| id.min(to));
    let sizes = store::oldest_sizes(conn, filters, after, to, window.limit).await?;
    let count = fitting(&sizes, window.limit - 1);
    let entries = store::oldest(conn, filters, after, to, count as i64).await?;
    let next = match entries.last() {
        Some(last) if count < sizes.len() => Some(last.id),
        _ => looked_at.filter(|id| *id == to),
    };
    Ok(Page { entries, next })
}

/// The next entries of an export.
pub async fn export(
    conn: &mut Conn,
    filters: &Filters,
    after: i64,
    limit: i64,
) -> Result<Vec<Entry>> {
    let (mut found, mut after) = (Vec::new(), after);
    loop {
        let to = store::id_after(conn, after, LOOKED_AT).await?;
        let missing = limit - found.len() as i64;
        let more = store::oldest(conn, filters, after, to.unwrap_or(i64::MAX), missing).await?;
        found.extend(more);
        match to {
            Some(to) if (found.len() as i64) < limit => after = to,
            _ => return Ok(found),
        }
    }
}

/// How many of these entries fit on a page.
fn fitting(sizes: &[i64], most: i64) -> usize {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut bytes = 0;
    let fit = sizes.iter().take_while(|size| {
        bytes += *size;
        bytes <= PAGE_BYTES
    });
    fit.count().max(1).min(most).min(sizes.len())
}

/// How many entries match the filters, counted up to [`MAX_TOTAL`].
pub async fn count(conn: &mut Conn, filters: &Filters) -> Result<Total> {
    let counted = store::count(conn, filters, MAX_TOTAL + 1).await?;
    Ok(match counted {
        ..=MAX_TOTAL => Total::Exactly(counted),
        _ => Total::AtLeast(MAX_TOTAL),
    })
}

/// Deletes the entries older than `moment`.
pub async fn forget_before(core: &Core, moment: Timestamp) -> Result<()> {
    Ok(store::delete_before(&core.db, moment, REMOVED_AT_ONCE).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_at_most_1_mib_but_at_least_one_entry() {
        let half = PAGE_BYTES / 2;
        for (sizes, most, expected) in [
            (&[][..], 20, 0),
            (&[1, 1, 1], 2, 2),
            (&[1, 1], 2, 2),
            (&[half, half, 1], 20, 2),
            (&[half, half + 1, 1], 20, 1),
            (&[3 * half, 1], 20, 1),
        ] {
            assert_eq!(fitting(sizes, most), expected, "{sizes:?}");
        }
    }
}
