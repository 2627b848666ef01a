//! The operation that lists the audit log.

use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Entry, Filters};
use crate::app::App;
use crate::audit;
use kernel::Result;
use kernel::auth::permission::AuditRead;
use kernel::http::Caller;
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::reply::CountedList;
use kernel::types::Timestamp;

/// An entry of the audit log.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Recorded")]
struct EntryItem {
    id: i64,
    at: Timestamp,
    /// The API key that made the change; null for the command line and for maintenance.
    key_id: Option<i64>,
    key_name: String,
    request_id: String,
    /// The address of the client; null for the command line and for maintenance.
    ip: Option<String>,
    /// The resource and the operation: `roles.update`.
    action: String,
    resource: String,
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
struct AuditLog {
    audit_log: Vec<EntryItem>,
}

async fn list(
    caller: Caller<AuditRead>,
    request: ListRequest<Filters>,
) -> Result<CountedList<AuditLog>> {
    let filters = &request.query;
    let mut read = caller.read_alone().await?;
    let total = audit::count(&mut read, filters).await?;
    let page = audit::page(&mut read, filters, request.window()).await?;
    drop(read);
    let last = page.entries.last().filter(|_| page.has_next);
    let headers = request.headers_before(total, last.map(|entry| entry.id));
    let audit_log = page.entries.into_iter().map(EntryItem::from).collect();
    CountedList::new(headers, &AuditLog { audit_log })
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
        .with_path_items(|item| item.tag("Audit log"))
}
