use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Filters, Recorded};
use crate::app::App;
use crate::audit;
use kernel::Result;
use kernel::auth::permission::AuditRead;
use kernel::http::Caller;
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::reply::List;

#[derive(Serialize, JsonSchema)]
struct AuditLog {
    audit_log: Vec<Recorded>,
}

async fn list(caller: Caller<AuditRead>, request: ListRequest<Filters>) -> Result<List<AuditLog>> {
    let filters = &request.query;
    let mut read = caller.read_alone().await?;
    let total = audit::count(&mut read, filters).await?;
    let mut audit_log = audit::list(&mut read, filters, request.window()).await?;
    let headers = request.headers(total, &mut audit_log, |entry| entry.id);
    List::new(headers, &AuditLog { audit_log })
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/audit-log",
            get_with(
                list,
                named("listAuditLog", "List who changed what, newest first"),
            ),
        )
        .with_path_items(|item| item.tag("Audit log"))
}
