use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use schemars::JsonSchema;
use serde::Serialize;

use super::{HistoryQuery, Point, Range};
use crate::app::App;
use crate::servers::{self, history};
use kernel::Result;
use kernel::auth::permission::ServersRead;
use kernel::http::Caller;
use kernel::http::openapi::named;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::Done;
use kernel::types::Timestamp;

#[derive(Serialize, JsonSchema)]
struct HistoryReply {
    from: Timestamp,
    to: Timestamp,
    /// How many seconds a point stands for.
    step: i64,
    history: Vec<Point>,
}

async fn show(
    caller: Caller<ServersRead>,
    id: Id,
    Query(query): Query<HistoryQuery>,
) -> Result<Done<HistoryReply>> {
    let range = Range::new(&query, caller.now())?;
    let mut read = caller.read_alone().await?;
    servers::get(&mut read, id.0).await?;
    Done::new(&HistoryReply {
        from: Timestamp::from_unix(range.from),
        to: Timestamp::from_unix(range.to),
        step: range.step,
        history: history::read(&mut read, id.0, &range).await?,
    })
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/history",
            get_with(
                show,
                named("getServerHistory", "Show the players of a server over time"),
            ),
        )
        .with_path_items(|item| item.tag("Servers"))
}
