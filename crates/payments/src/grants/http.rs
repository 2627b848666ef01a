//! Operations of `/api/grants`.

use serde::Serialize;

use super::{
    Grant, GrantFilters, GrantState, GrantStep, NewGrant, StepKind, StepResolution, StepState,
};
use crate::grants;
use kernel::auth::permission::{Products, ProductsRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::{Id, StepId};
use kernel::http::reply::{CountedList, Created, Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct GrantItem {
    id: i64,
    product_id: i64,
    product_name: String,
    user_id: i64,
    /// Null if it was given without an invoice.
    invoice_id: Option<i64>,
    /// The server that the buyer chose.
    server_id: Option<i64>,
    state: GrantState,
    created_at: Timestamp,
    finished_at: Option<Timestamp>,
    steps: Vec<GrantStepItem>,
}

#[derive(Serialize, JsonSchema)]
struct GrantStepItem {
    id: i64,
    kind: StepKind,
    server_id: Option<i64>,
    state: StepState,
    /// How many times a command was tried.
    attempts: i64,
    /// When a pending command is tried next.
    next_attempt_at: Option<Timestamp>,
    /// Why the last attempt failed.
    error: Option<String>,
    /// The first 1 KiB of the console's answer.
    reply: Option<String>,
    done_at: Option<Timestamp>,
}

impl From<GrantStep> for GrantStepItem {
    fn from(step: GrantStep) -> Self {
        let moment = |millis: i64| Timestamp::from_unix(millis.div_euclid(1000));
        let next = step.next_attempt_at;
        Self {
            id: step.id,
            kind: step.kind,
            server_id: step.server_id,
            state: step.state,
            attempts: step.attempts,
            next_attempt_at: next
                .filter(|_| step.state == StepState::Pending)
                .map(moment),
            error: step.error,
            reply: step.reply,
            done_at: step.done_at,
        }
    }
}

impl From<Grant> for GrantItem {
    fn from(grant: Grant) -> Self {
        Self {
            id: grant.id,
            product_id: grant.product_id,
            product_name: grant.product_name,
            user_id: grant.user_id,
            invoice_id: grant.invoice_id,
            server_id: grant.server_id,
            state: grant.state,
            created_at: grant.created_at,
            finished_at: grant.finished_at,
            steps: grant.steps.into_iter().map(GrantStepItem::from).collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct GrantList {
    grants: Vec<GrantItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleGrant {
    grant: GrantItem,
}

#[derive(Serialize, JsonSchema)]
struct GrantReply {
    message: &'static str,
    grant: GrantItem,
}

impl GrantReply {
    fn new(message: &'static str, grant: Grant) -> Self {
        Self {
            message,
            grant: grant.into(),
        }
    }
}

async fn list(
    caller: Caller<ProductsRead>,
    request: ListRequest<GrantFilters>,
) -> Result<CountedList<GrantList>> {
    let mut read = caller.read_alone().await?;
    let total = grants::count(&mut read, &request.filters).await?;
    let window = request.window();
    let mut found = grants::list(&mut read, &request.filters, window).await?;
    drop(read);
    // One more than the page has was read.
    let shown = usize::try_from(window.limit - 1).unwrap_or(usize::MAX);
    let has_more = found.len() > shown;
    found.truncate(shown);
    let next = found.last().map(|grant| grant.id).filter(|_| has_more);
    let headers = request.headers_before(total, next);
    let grants = found.into_iter().map(GrantItem::from).collect();
    CountedList::new(headers, &GrantList { grants })
}

async fn get(caller: Caller<ProductsRead>, id: Id) -> Result<Single<SingleGrant>> {
    let mut read = caller.read().await?;
    let grant = grants::get(&mut read, id.0).await?;
    let tag = etag::of(&grant);
    let grant = grant.into();
    // The entity tag covers the states, not the attempts.
    caller.single_with_others(&tag, &SingleGrant { grant })
}

async fn create(writer: Writer<Products, NewGrant>) -> Result<Created<GrantReply>> {
    let run = writer.run(async |edit, body| {
        let created = grants::create(edit, body.valid()?).await?;
        Ok(created.map(|grant| GrantReply::new("Product given.", grant)))
    });
    run.await
}

async fn cancel(id: Id, writer: Writer<Products>) -> Result<Done<GrantReply>> {
    let run = writer.run(async |edit, _| {
        let (grant, _) = grants::target(edit, id.0).await?;
        let cancelled = grants::cancel(edit, grant).await?;
        Ok(cancelled.map(|grant| GrantReply::new("Pending steps cancelled.", grant)))
    });
    run.await
}

async fn revoke(id: Id, writer: Writer<Products>) -> Result<Done<GrantReply>> {
    let run = writer.run(async |edit, _| {
        let (grant, user) = grants::target(edit, id.0).await?;
        let revoked = grants::revoke(edit, grant, user).await?;
        Ok(revoked.map(|grant| GrantReply::new("Grant revoked.", grant)))
    });
    run.await
}

async fn retry(id: Id, step: StepId, writer: Writer<Products>) -> Result<Done<GrantReply>> {
    let run = writer.run(async |edit, _| {
        let (grant, user) = grants::target(edit, id.0).await?;
        let retried = grants::retry(edit, grant, user, step.0).await?;
        Ok(retried.map(|grant| GrantReply::new("Step retried.", grant)))
    });
    run.await
}

async fn resolve(
    id: Id,
    step: StepId,
    writer: Writer<Products, StepResolution>,
) -> Result<Done<GrantReply>> {
    let run = writer.run(async |edit, body| {
        let (grant, _) = grants::target(edit, id.0).await?;
        let resolved = grants::resolve(edit, grant, step.0, body.valid()?).await?;
        Ok(resolved.map(|grant| GrantReply::new("Step marked as done.", grant)))
    });
    run.await
}

const NOT_RETRYABLE: &str = "The step has not failed and is not uncertain.";

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/grants",
            get_with(list, named("listGrants", "List grants, newest first")).post_with(
                create,
                named_failing(
                    "createGrant",
                    "Give a product without an invoice",
                    404,
                    "There is no such user or product; `code` says which.",
                ),
            ),
        )
        .api_route(
            "/api/grants/{id}",
            get_with(get, named("getGrant", "Show a grant")),
        )
        .api_route(
            "/api/grants/{id}/cancel",
            post_with(
                cancel,
                named("cancelGrant", "Cancel what has not been carried out"),
            ),
        )
        .api_route(
            "/api/grants/{id}/revoke",
            post_with(revoke, named("revokeGrant", "Take back what can be")),
        )
        .api_route(
            "/api/grants/{id}/steps/{stepId}/retry",
            post_with(
                retry,
                named_failing("retryGrantStep", "Retry a step", 409, NOT_RETRYABLE),
            ),
        )
        .api_route(
            "/api/grants/{id}/steps/{stepId}/resolve",
            post_with(
                resolve,
                named_failing(
                    "resolveGrantStep",
                    "Mark a step as done by hand",
                    409,
                    NOT_RETRYABLE,
                ),
            ),
        )
        .with_path_items(|item| item.tag("Grants"))
}
