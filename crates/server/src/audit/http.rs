//! The operations that list and export the audit log.

use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::extract::State;
use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::events::Events;
use super::{AuditPaging, ById, Entry, Filters, OldestFirst};
use crate::app::App;
use crate::audit;
use kernel::auth::permission::AuditRead;
use kernel::http::Caller;
use kernel::http::accept::Accept;
use kernel::http::export::{Export, Exported, Format};
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::query::Query;
use kernel::http::reply::CountedList;
use kernel::input::Positive;
use kernel::list::{Cursor, CursorWindow, Filtered, Key, Paging, Position, Sort};
use kernel::types::Timestamp;
use kernel::{Result, input};

/// An entry of the audit log.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AuditEntry")]
pub struct EntryItem {
    id: i64,
    at: Timestamp,
    /// The API key that made the change; null for operators, the command line and maintenance.
    key_id: Option<i64>,
    /// For an operator `operator`.
    key_name: String,
    /// The operator who made the change; null for keys, the command line and maintenance.
    user_id: Option<i64>,
    user_name: Option<String>,
    request_id: String,
    /// The address of the client; null for the command line and for maintenance.
    ip: Option<String>,
    /// The resource and the operation: `roles.update`.
    action: String,
    resource: String,
    #[schemars(range(min = 0))]
    resource_id: i64,
    /// The previous values of the changed fields. Secrets read `***`.
    #[schemars(with = "Map<String, Value>")]
    before: Box<RawValue>,
    /// The new values of the changed fields.
    #[schemars(with = "Map<String, Value>")]
    after: Box<RawValue>,
}

impl From<Entry> for EntryItem {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            at: entry.at,
            key_id: entry.key_id,
            key_name: entry.key_name,
            user_id: entry.user_id,
            user_name: entry.user_name,
            request_id: entry.request_id,
            ip: entry.ip,
            action: entry.action,
            resource: entry.resource,
            resource_id: entry.resource_id,
            before: entry.before,
            after: entry.after,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct AuditEntryList {
    audit_log: Vec<EntryItem>,
}

input! {
    /// Which entries, in which order.
    struct AuditQuery {
        /// `id` lists the oldest entries first; without it, the newest come first. A page from the
        /// oldest may be short: more follow as long as there is a `Link` to them.
        sort: Option<OldestFirst>,
    }
    with filters: Filters
}

input! {
    /// Which entries to export, and how.
    struct AuditExport {
        /// `csv` or `ndjson`. By default `Accept` decides; without it, CSV.
        format: Option<Format>,
    }
    with filters: Filters
}

type AuditRequest = ListRequest<Filtered<Paging<Positive, AuditPaging>, AuditQuery>>;

async fn list(
    State(app): State<App>,
    caller: Caller<AuditRead>,
    request: AuditRequest,
) -> Result<CountedList<AuditEntryList>> {
    let AuditQuery { sort, filters } = &request.query.filters;
    // Who reads the log from the oldest goes on after the last entry, so none may appear before it.
    let complete_to = match sort {
        Some(OldestFirst) => Some(Events::complete_to(&app).await?),
        None => None,
    };
    let mut read = caller.read_alone().await?;
    let total = audit::count(&mut read, filters).await?;
    let window = request.window();
    let page = match complete_to {
        Some(to) => audit::oldest_page(&mut read, filters, window, to).await?,
        None => audit::page(&mut read, filters, window).await?,
    };
    drop(read);
    let headers = request.headers_before(total, page.next);
    let audit_log = page.entries.into_iter().map(EntryItem::from).collect();
    CountedList::new(headers, &AuditEntryList { audit_log })
}

impl Exported for Filters {
    const NAME: &'static str = "audit-log";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "at",
        "key_id",
        "key_name",
        "user_id",
        "user_name",
        "request_id",
        "ip",
        "action",
        "resource",
        "resource_id",
        "before",
        "after",
    ];
    /// Few, because an entry can be megabytes long.
    const BATCH: i64 = 20;
    type Key = ById;
    type Item = Entry;
    type Row = EntryItem;

    fn sort(&self) -> Sort<ById> {
        ById::DEFAULT
    }

    async fn read(
        &self,
        conn: &mut Conn,
        _: Timestamp,
        window: &CursorWindow<ById>,
    ) -> Result<Vec<Entry>> {
        let after = match &window.after {
            Some(Cursor {
                position: Position::Id(id),
                ..
            }) => *id,
            _ => 0,
        };
        audit::export(conn, self, after, window.limit).await
    }
}

async fn export(
    caller: Caller<AuditRead>,
    Query(query): Query<AuditExport>,
    accept: Accept,
) -> Result<Export> {
    let format = Format::choose(query.format, &accept)?;
    Export::begin(&caller, format, query.filters).await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/audit-log",
            get_with(
                list,
                named("listAuditLog", "List the audit log, newest entries first"),
            ),
        )
        .api_route(
            "/api/audit-log/export",
            get_with(
                export,
                named("exportAuditLog", "Export the audit log as CSV or NDJSON"),
            ),
        )
        .with_path_items(|item| item.tag("Audit log"))
}
