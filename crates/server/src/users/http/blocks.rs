use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::users;
use crate::users::blocks::{self, PastBlock};
use kernel::Result;
use kernel::auth::permission::UsersRead;
use kernel::http::Caller;
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::List;
use kernel::list::Paging;
use kernel::types::Timestamp;

#[derive(Serialize, JsonSchema)]
struct UserBlock {
    id: i64,
    reason: String,
    /// When it expires; null is never.
    until: Option<Timestamp>,
    blocked_at: Timestamp,
    /// When it ended: it was lifted, another block replaced it, or it expired. Null while it is
    /// in force.
    lifted_at: Option<Timestamp>,
    /// The API key that blocked the user; null for the command line.
    key_id: Option<i64>,
    /// The name of the key at that time.
    key_name: String,
}

impl From<PastBlock> for UserBlock {
    fn from(block: PastBlock) -> Self {
        Self {
            id: block.id,
            reason: block.terms.reason,
            until: block.terms.until,
            blocked_at: block.blocked_at,
            lifted_at: block.lifted_at,
            key_id: block.key_id,
            key_name: block.key_name,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserBlockList {
    blocks: Vec<UserBlock>,
}

async fn list(
    caller: Caller<UsersRead>,
    id: Id,
    request: ListRequest<Paging>,
) -> Result<List<UserBlockList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let total = blocks::count(&mut read, id.0).await?;
    let mut found = blocks::history(&mut read, caller.now(), id.0, request.window()).await?;
    let headers = request.headers(total, &mut found, |block| block.id);
    let blocks = found.into_iter().map(UserBlock::from).collect();
    List::new(headers, &UserBlockList { blocks })
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/users/{id}/blocks",
        get_with(
            list,
            named(
                "listUserBlocks",
                "List the blocks of a user, past and present, newest first",
            ),
        ),
    )
}
