//! The audit log: one entry for every successful write. `kernel::write` writes the entries, in the
//! transaction of the write; this slice lists and deletes them.

pub mod http;
mod store;

use db::Conn;
use serde_json::value::RawValue;

use crate::app::App;
use kernel::input::{Int, Moment, Positive, Text};
use kernel::list::{ListQuery, Paging, PagingForm, Parameter, Window};
use kernel::types::Timestamp;
use kernel::{Result, input};

/// The number of entries deleted in one transaction, so that writers do not wait long.
const REMOVED_AT_ONCE: i64 = 1000;

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

/// Entries, newest first.
pub async fn list(conn: &mut Conn, filters: &Filters, window: Window) -> Result<Vec<Entry>> {
    Ok(store::list(conn, filters, window).await?)
}

/// How many entries match the filters.
pub async fn count(conn: &mut Conn, filters: &Filters) -> Result<i64> {
    Ok(store::count(conn, filters).await?)
}

/// Deletes the entries from before `moment`.
pub async fn forget_before(app: &App, moment: Timestamp) -> Result<()> {
    Ok(store::delete_before(&app.db, moment, REMOVED_AT_ONCE).await?)
}
