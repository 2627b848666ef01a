use serde::Serialize;

use super::{BulkUserChange, Outcome};
use crate::users::{self, bulk};
use kernel::Result;
use kernel::auth::permission::Users;
use kernel::http::Writer;
use kernel::http::reply::Done;
use kernel::http::routing::{ApiRouter, named, post_with};
use kernel::schema::JsonSchema;

#[derive(Serialize, JsonSchema)]
struct BulkUserReply {
    message: &'static str,
    /// Whether this was a dry run, so nothing was changed.
    dry_run: bool,
    /// The ids of the users that were changed, or would be, in order.
    #[schemars(inner(range(min = 1)))]
    changed: Vec<i64>,
    /// The ids of the users that had this state already, in order.
    #[schemars(inner(range(min = 1)))]
    unchanged: Vec<i64>,
}

impl From<Outcome> for BulkUserReply {
    fn from(outcome: Outcome) -> Self {
        Self {
            message: match outcome.dry_run {
                true => "Nothing was changed: this is a dry run.",
                false => "Users changed.",
            },
            dry_run: outcome.dry_run,
            changed: outcome.changed,
            unchanged: outcome.unchanged,
        }
    }
}

async fn change(writer: Writer<Users, BulkUserChange>) -> Result<Done<BulkUserReply>> {
    let now = writer.now();
    let explained = writer.explain(async |conn, change| bulk::check(conn, now, change).await);
    let run = explained.run(async |edit, body| {
        let changed = bulk::change(edit, body.valid()?).await?;
        Ok(changed.map(BulkUserReply::from))
    });
    run.await
}

pub fn routes() -> ApiRouter<users::State> {
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
