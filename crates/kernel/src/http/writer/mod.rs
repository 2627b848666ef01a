//! The extractor of every write: [`Writer`] authenticates like a
//! [`Caller`](super::caller::Caller), receives the body, and runs the transaction.

mod explained;
mod external;

use std::marker::PhantomData;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::header::IF_MATCH;
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use bytes::Bytes;
use serde::Serialize;

pub(super) use self::explained::explain;

use super::body::{Body, NoBody, Payload};
use super::caller::{authenticate, joined, presented, refusals};
use super::openapi;
use super::reply::Reply;
use crate::auth::Actor;
use crate::auth::permission::Right;
use crate::input::{Faults, Input};
use crate::types::Timestamp;
use crate::types::time::HOUR;
use crate::write::etag::Condition;
use crate::write::idempotency::{self, Claim, Token};
use crate::write::{Change, Edit};
use crate::{Error, ErrorCode, Kernel, Result};

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A caller who may write, with the body that was sent.
pub struct Writer<R, B = NoBody> {
    kernel: Kernel,
    /// On the heap, since an extractor is moved several times.
    actor: Box<Actor>,
    condition: Condition,
    token: Result<Option<Token>>,
    body: Body<B>,
    target: RequestTarget,
    right: PhantomData<R>,
}

/// What a request is sent to.
struct RequestTarget {
    is_put: bool,
    uri: Uri,
}

impl RequestTarget {
    /// The path of what was created: of a PUT its own, of a POST one below it.
    fn path_of(&self, id: i64) -> String {
        match self.uri.path() {
            path if self.is_put => path.to_owned(),
            path => [path, "/", itoa::Buffer::new().format(id)].concat(),
        }
    }
}

impl<R: Right, B: Payload, S: Sync> FromRequest<S> for Writer<R, B>
where
    Kernel: FromRef<S>,
{
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let kernel = Kernel::from_ref(state);
        let (parts, body) = request.into_parts();
        let actor = authenticate::<R>(&parts, &kernel).await?;
        let body = Body::receive(&parts, body, &kernel.limits).await?;
        Ok(Self {
            kernel,
            condition: joined(&parts.headers, IF_MATCH)
                .map_or_else(Condition::none, Condition::if_match),
            token: token(&parts, &actor, body.bytes()),
            actor,
            body,
            target: RequestTarget {
                is_put: parts.method == Method::PUT,
                uri: parts.uri,
            },
            right: PhantomData,
        })
    }
}

fn token(parts: &Parts, actor: &Actor, body: Option<&Bytes>) -> Result<Option<Token>> {
    let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let visible = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let value = value.to_str().ok().filter(visible);
    let Some(value) = value.filter(|value| (1..=255).contains(&value.len())) else {
        let sentence = "must be 1 to 255 visible ASCII characters";
        return Err(Faults::one("Idempotency-Key", sentence).into());
    };
    let target = parts
        .uri
        .path_and_query()
        .map_or("", |target| target.as_str());
    let token = |((caller, (_, presented)), body)| {
        Token::new(
            caller,
            presented,
            value.to_owned(),
            parts.method.as_str(),
            target,
            body,
        )
    };
    let key = actor.caller_id().zip(presented(parts)?);
    // A request whose body is not accepted fails before a reply could be stored.
    Ok(key.zip(body.map(|bytes| &bytes[..])).map(token))
}

impl<R: Right, B> Writer<R, B> {
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The time to compare expiry with.
    pub fn now(&self) -> Timestamp {
        self.kernel.expiry_now()
    }

    /// Does slow work before the transaction begins, so that it holds no lock. `work` turns a
    /// valid body into what the transaction needs. If it fails, or the body is not valid, the
    /// error is returned inside the transaction, after the checks that come first.
    pub async fn prepare<P, F>(self, work: F) -> Writer<R, P>
    where
        F: AsyncFnOnce(B) -> Result<P>,
    {
        let body = self.body.prepare(work);
        Writer {
            body: body.await,
            kernel: self.kernel,
            actor: self.actor,
            condition: self.condition,
            token: self.token,
            target: self.target,
            right: PhantomData,
        }
    }

    /// Runs a write in one transaction, with its audit entry and its stored reply. An earlier
    /// request under the same `Idempotency-Key` is answered with the reply it had. The write is
    /// either durable when this returns, or rolled back.
    pub async fn run<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        // On the heap: the future is large, and axum moves that of a handler six times.
        Box::pin(self.run_in_place(work)).await
    }

    async fn run_in_place<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        let Self {
            kernel,
            actor,
            condition,
            token,
            body,
            target,
            ..
        } = self;
        let mut edit = Edit::begin(&kernel, actor, condition).await?;
        match attempt(&kernel, &mut edit, token, body, &target, work).await {
            Ok(reply) => {
                edit.commit_recorded().await?;
                Ok(reply)
            }
            Err(error) => {
                edit.rollback().await?;
                Err(error)
            }
        }
    }
}

async fn attempt<const STATUS: u16, B, T, F>(
    kernel: &Kernel,
    edit: &mut Edit,
    token: Result<Option<Token>>,
    body: Body<B>,
    target: &RequestTarget,
    work: F,
) -> Result<Reply<STATUS, T>>
where
    T: Serialize,
    F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
{
    if let Ok(Some(token)) = &token {
        match idempotency::claim(edit, token).await? {
            Claim::Granted => {}
            Claim::Replied(earlier) => return Ok(Reply::replayed(earlier)),
            Claim::Begun => return Err(external::OUTCOME_UNKNOWN),
        }
    }
    let worked = work(edit, body).await;
    // A malformed value is refused only now, because 404 comes first.
    let (change, token) = match (worked, token) {
        (Err(Error::Invalid(mut faults)), Err(error)) => {
            faults.gather(Err(error))?;
            return Err(faults.into());
        }
        (worked, token) => (worked?, token?),
    };
    let secrecy = change.secrecy();
    let etag = change.etag().map(str::to_owned);
    let location = change.created_id().map(|id| target.path_of(id));
    let reply = Reply::new(&edit.record(change).await?)?
        .with_etag(etag)
        .with_location(location);
    if let Some(token) = token.as_ref().filter(|_| !edit.is_dry_run()) {
        let stored = reply.to_stored();
        count_stored(kernel, token, &stored)?;
        idempotency::keep(edit, token, &stored, secrecy).await?;
    }
    Ok(reply)
}

/// Counts a stored reply against the quota of its key: clients decide how many replies there are.
fn count_stored(kernel: &Kernel, token: &Token, stored: &[u8]) -> Result<()> {
    let limit = kernel.limits.stored_reply_bytes;
    let now = kernel.clock.now().unix();
    let hour = now.div_euclid(HOUR);
    let size = stored.len() as u64;
    if kernel
        .keys
        .count_stored_reply(token.key_id(), size, hour, limit)
    {
        return Ok(());
    }
    Err(Error::TooManyRequests {
        code: ErrorCode::IdempotencyQuota,
        message: "This key has stored too many replies under Idempotency-Key values within an hour. \
                  Nothing was written. Retry later, or without the header.",
        retry_after: (HOUR - now.rem_euclid(HOUR)).unsigned_abs(),
    })
}

impl<R: Right> OperationInput for Writer<R> {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        openapi::require::<R>(operation);
        openapi::add_write_headers(operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        let mut responses = refusals::<R>(ctx);
        responses.push(openapi::error(ctx, 422, openapi::INVALID));
        responses
    }
}

impl<R: Right, B: Input> OperationInput for Writer<R, B> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Writer::<R>::operation_input(ctx, operation);
        openapi::set_body::<B>(ctx, operation, true);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        let mut responses = refusals::<R>(ctx);
        responses.extend(Body::<B>::inferred_early_responses(ctx, operation));
        responses
    }
}

impl<R: Right, B: Input> OperationInput for Writer<R, Option<B>> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Writer::<R>::operation_input(ctx, operation);
        openapi::set_body::<B>(ctx, operation, false);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        Writer::<R, B>::inferred_early_responses(ctx, operation)
    }
}
