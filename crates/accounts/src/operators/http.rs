//! Operations of operators.

use serde::Serialize;

use super::{Operator, OperatorChanges};
use crate::operators;
use kernel::auth::permission::{ApiKeys, ApiKeysRead, Confirmed, Permission};
use kernel::http::paging::ListRequest;
use kernel::http::path::UserId;
use kernel::http::reply::{Done, List, Message, Put, Single};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

/// A user who may use the console.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Operator")]
struct OperatorItem {
    user_id: i64,
    username: String,
    email: String,
    permissions: Vec<&'static Permission>,
    active: bool,
    /// Whether signing in takes a second factor.
    two_factor: bool,
    /// Null before the first sign-in.
    last_sign_in_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<Operator> for OperatorItem {
    fn from(operator: Operator) -> Self {
        Self {
            user_id: operator.user_id,
            username: operator.username,
            email: operator.email,
            permissions: operator.permissions.list(),
            active: operator.active,
            two_factor: operator.two_factor,
            last_sign_in_at: operator.last_sign_in_at,
            created_at: operator.created_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct OperatorList {
    operators: Vec<OperatorItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleOperator {
    operator: OperatorItem,
}

#[derive(Serialize, JsonSchema)]
struct OperatorReply {
    message: &'static str,
    operator: OperatorItem,
}

async fn list(
    caller: Caller<ApiKeysRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<OperatorList>> {
    let mut read = caller.read_alone().await?;
    let total = operators::count(&mut read).await?;
    let mut found = operators::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |operator| operator.user_id);
    let operators = found.into_iter().map(OperatorItem::from).collect();
    List::new(headers, &OperatorList { operators })
}

async fn get(caller: Caller<ApiKeysRead>, id: UserId) -> Result<Single<SingleOperator>> {
    let mut read = caller.read().await?;
    let operator = operators::get(&mut read, id.0).await?;
    let tag = etag::of(&operator);
    let operator = operator.into();
    // The entity tag does not cover the name and the address, which belong to the user.
    caller.single_with_others(&tag, &SingleOperator { operator })
}

async fn put(
    id: UserId,
    writer: Writer<Confirmed<ApiKeys>, OperatorChanges>,
) -> Result<Put<OperatorReply>> {
    let run = writer.run(async |edit, body| {
        let changed = operators::put(edit, id.0, || body.valid()).await?;
        Ok(changed.map(|operator| OperatorReply {
            message: "Operator saved.",
            operator: operator.into(),
        }))
    });
    run.await.map(Put)
}

async fn delete(id: UserId, writer: Writer<Confirmed<ApiKeys>>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let operator = operators::target(edit, id.0).await?;
        let deleted = operators::delete(edit, operator).await?;
        Ok(deleted.map(|_| Message::new("Operator removed; their console sessions have ended.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/operators",
            get_with(list, named("listOperators", "List operators")),
        )
        .api_route(
            "/api/operators/{userId}",
            get_with(get, named("getOperator", "Show an operator"))
                .put_with(
                    put,
                    named("setOperator", "Grant or change access to the console"),
                )
                .delete_with(
                    delete,
                    named("removeOperator", "Remove access to the console"),
                ),
        )
        .with_path_items(|item| item.tag("Operators"))
}
