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
use kernel::http::paging::{Links, Place, cut, link_header, per_page};
use kernel::http::query::Query;
use kernel::http::reply::List;

#[derive(Serialize, JsonSchema)]
struct AuditLog {
    audit_log: Vec<Recorded>,
}

async fn list(
    caller: Caller<AuditRead>,
    links: Links,
    Query(filters): Query<Filters>,
) -> Result<List<AuditLog>> {
    let per_page = per_page(filters.per_page);
    let mut read = caller.read_alone().await?;
    let total = audit::count(&mut read, &filters).await?;
    let mut audit_log = audit::list(&mut read, &filters, per_page + 1).await?;
    let next = cut(&mut audit_log, per_page).map(|last| {
        let next = links.to(&[("per_page", &per_page), ("after", &last.id)]);
        link_header(&[(next, "next")])
    });
    List::new(Place { total, link: next }, &AuditLog { audit_log })
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
