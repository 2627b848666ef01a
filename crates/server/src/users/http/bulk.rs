use aide::axum::ApiRouter;
use aide::axum::routing::post_with;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::users::bulk::{self, BulkChange, Outcome};
use kernel::Result;
use kernel::auth::permission::Users;
use kernel::http::Writer;
use kernel::http::openapi::named;
use kernel::http::reply::Done;

#[derive(Serialize, JsonSchema)]
struct BulkReply {
    message: &'static str,
    /// Whether this is only what would happen.
    dry_run: bool,
    /// The ids of the users who were changed, in order.
    changed: Vec<i64>,
    /// The ids of the users who were like this already, in order.
    unchanged: Vec<i64>,
}

impl From<Outcome> for BulkReply {
    fn from(outcome: Outcome) -> Self {
        Self {
            message: match outcome.dry_run {
                true => "Nothing was changed: this only says what would be.",
                false => "Users changed.",
            },
            dry_run: outcome.dry_run,
            changed: outcome.changed,
            unchanged: outcome.unchanged,
        }
    }
}

async fn change(writer: Writer<Users, BulkChange>) -> Result<Done<BulkReply>> {
    let now = writer.now();
    let explained = writer.explain(async |conn, change| bulk::check(conn, now, change).await);
    let run = explained.run(async |edit, body| {
        let changed = bulk::change(edit, body.valid()?).await?;
        Ok(changed.map(BulkReply::from))
    });
    run.await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/users/bulk",
        post_with(
            change,
            named(
                "changeUsers",
                "Block, unblock, or change the roles of many users at once",
            ),
        ),
    )
}
