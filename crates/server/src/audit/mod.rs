//! The audit log: one entry for every successful write. `kernel::write` writes the entries, in the
//! transaction of the write; this slice lists and deletes them.

pub mod http;
mod store;

use db::Conn;
use serde_json::value::RawValue;

use crate::app::App;
use kernel::input::{Int, Moment, Positive, Text};
use kernel::list::{ListQuery, Paging, PagingForm, Parameter, Total, Window};
use kernel::types::Timestamp;
use kernel::{Result, input};

/// The number of entries deleted in one transaction, so that writers do not wait long.
const REMOVED_AT_ONCE: i64 = 1000;

/// The size of the changed fields in a page: entries can be megabytes long.
const PAGE_BYTES: i64 = 1 << 20;

/// The log grows for ever, so entries are counted only up to here.
const MAX_TOTAL: i64 = 10_000;

/// An entry of the audit log.
#[derive(Debug)]
pub struct Entry {
    pub id: i64,
    pub at: Timestamp,
    /// `None` for the command line and for maintenance.
    pub key_id: Option<i64>,
    pub key_name: String,
    pub request_id: String,
    pub ip: Option<String>,
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
    pub before: Box<RawValue>,
    pub after: Box<RawValue>,
}

input! {
    /// Filters and paging of the audit log.
    pub struct Filters {
        /// Entries of this API key.
        key_id: Option<Positive>,
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
    with paging: Paging<Positive, AuditPaging>
}

/// Pages have no number: new entries would move all others.
#[derive(Debug)]
pub struct AuditPaging;

impl PagingForm for AuditPaging {
    const PARAMETERS: &'static [Parameter] = &[Parameter::After, Parameter::Size];
}

impl ListQuery for Filters {
    type Cursor = Positive;
    type Form = AuditPaging;

    fn paging(&self) -> &Paging<Positive, AuditPaging> {
        &self.paging
    }
}

/// A page of the log.
#[derive(Debug, Default)]
pub struct Page {
    pub entries: Vec<Entry>,
    /// Whether more entries follow.
    pub has_next: bool,
}

/// Entries, newest first: as many as the window has without its last one, but no more than fit into
/// [`PAGE_BYTES`]. An entry that is larger is a page of its own.
pub async fn page(conn: &mut Conn, filters: &Filters, window: Window) -> Result<Page> {
    let after = match window.after_id() {
        None => None,
        Some(id) => match store::position(conn, id).await? {
            Some(position) => Some(position),
            // Retention has deleted it, and with it all that came after it.
            None => return Ok(Page::default()),
        },
    };
    let sizes = store::sizes(conn, filters, after, window.limit).await?;
    let count = fitting(&sizes, window.limit - 1);
    let entries = store::list(conn, filters, after, count as i64).await?;
    Ok(Page {
        has_next: count < sizes.len(),
        entries,
    })
}

/// How many of these entries a page has.
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

/// Deletes the entries from before `moment`.
pub async fn forget_before(app: &App, moment: Timestamp) -> Result<()> {
    Ok(store::delete_before(&app.db, moment, REMOVED_AT_ONCE).await?)
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
