//! The audit log: one entry for every successful write, in the write's own transaction.

pub mod http;
mod store;

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::app::App;
use kernel::input::{Int, Moment, Positive, Text};
use kernel::list::{ListQuery, Paging, PagingForm, Parameter, Window};
use kernel::types::Timestamp;
use kernel::{Result, input};

/// How many entries are removed in one transaction, so that writers need not wait for long.
const REMOVED_AT_ONCE: i64 = 1000;

/// An entry, as the API shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Recorded {
    pub id: i64,
    pub at: Timestamp,
    /// The key that wrote; null for the command line and for upkeep.
    pub key_id: Option<i64>,
    pub key_name: String,
    pub request_id: String,
    /// Where the request came from; null for the command line and for upkeep.
    pub ip: Option<String>,
    /// The resource and the operation: `roles.update`.
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
    /// The fields that changed, as they were. Secrets read `***`.
    #[schemars(with = "Map<String, Value>")]
    pub before: Box<RawValue>,
    /// The fields that changed, as they are now.
    #[schemars(with = "Map<String, Value>")]
    pub after: Box<RawValue>,
}

input! {
    /// Which entries to list.
    pub struct Filters {
        /// Entries of this key.
        key_id: Option<Positive>,
        /// Entries about this kind of resource, such as `roles`.
        resource: Option<Text<1, 100>>,
        /// Entries about the resource of this id; 0 for changes of many at once.
        resource_id: Option<Int<0, { i64::MAX }>>,
        /// Entries of this action, such as `roles.update`.
        action: Option<Text<1, 100>>,
        /// Entries from this moment on.
        from: Option<Moment>,
        /// Entries up to and including this moment.
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
pub async fn list(conn: &mut Conn, filters: &Filters, window: Window) -> Result<Vec<Recorded>> {
    Ok(store::list(conn, filters, window).await?)
}

/// How many entries match the filters.
pub async fn count(conn: &mut Conn, filters: &Filters) -> Result<i64> {
    Ok(store::count(conn, filters).await?)
}

/// Removes what is older than the operator wants to keep.
pub async fn forget_before(app: &App, moment: Timestamp) -> Result<()> {
    Ok(store::delete_before(&app.db, moment, REMOVED_AT_ONCE).await?)
}
