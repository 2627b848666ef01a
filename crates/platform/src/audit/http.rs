//! The operations that list and export the audit log.

use axum::extract::State;
use serde::Serialize;
use serde_json::value::RawValue;

use super::events::Events;
use super::{Entry, Filters, OldestFirst};
use crate::audit;
use kernel::auth::permission::{AuditRead, Confirmed};
use kernel::http::Caller;
use kernel::http::export::{Export, ExportFile, ExportRequest};
use kernel::http::paging::ListRequest;
use kernel::http::reply::CountedList;
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::list::{ListQuery, ListSpec};
use kernel::schema::JsonSchema;
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
    /// The name of the API key; `operator` for an operator.
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
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    before: Box<RawValue>,
    /// The new values of the changed fields.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
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
    /// The order of the entries.
    struct AuditQuery {
        /// `id` lists the oldest entries first; without it, the newest come first. A page from the
        /// oldest may be short: more follow as long as there is a `Link` to them.
        sort: Option<OldestFirst>,
    }
    with filters: Filters
}

impl ListQuery for AuditQuery {
    const LIST: &'static ListSpec = Filters::LIST;
}

async fn list(
    State(events): State<Events>,
    caller: Caller<AuditRead>,
    request: ListRequest<AuditQuery>,
) -> Result<CountedList<AuditEntryList>> {
    let AuditQuery { sort, filters } = &request.filters;
    // In ascending order a client resumes after the last id, so lower ids must not appear later.
    let complete_to = match sort {
        Some(OldestFirst) => Some(events.complete_to().await?),
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

const EXPORT: ExportFile = ExportFile {
    name: "audit-log",
    resource: "audit_log",
    columns: &[
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
    ],
    // Small, because an entry can be megabytes long.
    batch: 20,
};

async fn export(
    caller: Caller<Confirmed<AuditRead>>,
    request: ExportRequest<Filters>,
) -> Result<Export> {
    let export = Export::begin(&caller, request, EXPORT, |request, conn, _, after| {
        Box::pin(async move {
            let after = after.unwrap_or(0);
            let found = audit::export(conn, &request.filters, after, EXPORT.batch).await?;
            let next = found.last().map(|entry| entry.id);
            Ok((found.into_iter().map(EntryItem::from).collect(), next))
        })
    });
    export.await
}

pub fn routes() -> ApiRouter<Events> {
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
