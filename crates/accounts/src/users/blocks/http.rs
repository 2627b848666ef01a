use serde::Serialize;

use super::{Block, PastBlock, UserBlockTerms};
use crate::users::{self, blocks};
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Done, List, Message};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::Paging;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use platform::audit::events::{ActorKind, EventActor, StoredActor};

/// The API key or the operator that blocked a user.
#[derive(Clone, Serialize, JsonSchema)]
pub struct BlockActor {
    kind: ActorKind,
    /// The id of the API key, or the user id of the operator; null for others.
    id: Option<i64>,
    /// The name at that time.
    name: String,
}

impl From<StoredActor> for BlockActor {
    fn from(by: StoredActor) -> Self {
        let EventActor { kind, id, name } = by.into();
        Self { kind, id, name }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserBlock {
    id: i64,
    reason: String,
    /// When the block expires; null is never.
    until: Option<Timestamp>,
    /// When the user was blocked.
    at: Timestamp,
    by: BlockActor,
    /// When the block was lifted, replaced or expired; null while it is in force.
    lifted_at: Option<Timestamp>,
}

impl From<PastBlock> for UserBlock {
    fn from(block: PastBlock) -> Self {
        Self {
            id: block.id,
            reason: block.terms.reason,
            until: block.terms.until,
            at: block.at,
            by: block.by.into(),
            lifted_at: block.lifted_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserBlockList {
    blocks: Vec<UserBlock>,
}

async fn block(id: Id, writer: Writer<Users, Option<UserBlockTerms>>) -> Result<Done<Message>> {
    let now = writer.now();
    let explained = writer.explain(async |_, terms| blocks::check_terms(now, terms));
    let run = explained.run(async |edit, body| {
        let user = users::access_target(edit, id.0).await?;
        let terms = body.valid()?.map_or_else(Block::default, Block::from);
        let blocked = blocks::block(edit, user, terms).await?;
        Ok(blocked.map(|_| Message::new("User blocked.")))
    });
    run.await
}

async fn unblock(id: Id, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::access_target(edit, id.0).await?;
        let unblocked = blocks::unblock(edit, user).await?;
        Ok(unblocked.map(|_| Message::new("User unblocked.")))
    });
    run.await
}

async fn list(
    caller: Caller<UsersRead>,
    id: Id,
    request: ListRequest<Paging>,
) -> Result<List<UserBlockList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let total = blocks::count(&mut read, id.0).await?;
    let mut found = blocks::list(&mut read, caller.now(), id.0, request.window()).await?;
    let headers = request.headers(total, &mut found, |block| block.id);
    let blocks = found.into_iter().map(UserBlock::from).collect();
    List::new(headers, &UserBlockList { blocks })
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/{id}/block",
            post_with(block, named("blockUser", "Block a user")),
        )
        .api_route(
            "/api/users/{id}/unblock",
            post_with(unblock, named("unblockUser", "Unblock a user")),
        )
        .api_route(
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
