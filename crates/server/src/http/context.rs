//! Who calls, what they may do, and the way in for every read and write.
//!
//! [`Caller`] is for reading, [`Writer`] for writing. Their type parameter is the right
//! that the operation needs: it is checked before anything else is looked at, and written into
//! the OpenAPI document.

mod outside;

use std::marker::PhantomData;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use serde::Serialize;

use super::body::{Body, NoBody, Payload};
use super::openapi;
use super::reply::{Reply, Single, to_json};
use super::request::RequestInfo;
use crate::actor::Actor;
use crate::api_keys::Admitted;
use crate::app::App;
use crate::edit::{Change, Edit, Resource};
use crate::etag::{self, Condition};
use crate::idempotency::{self, Claim, Token};
use crate::input::{Faults, Input};
use crate::permission::Right;
use crate::timestamp::Timestamp;
use crate::{Error, Result};

const API_KEY: &str = "x-api-key";
const IDEMPOTENCY_KEY: &str = "idempotency-key";

async fn authenticate<R: Right>(parts: &Parts, app: &App) -> Result<Actor> {
    let value = text(&parts.headers, API_KEY).ok_or(Error::Unauthorized)?;
    let info = RequestInfo::of(&parts.extensions);
    let Admitted { key, quota } = app.keys.authenticate(app, value, info.ip()).await?;
    info.note_key(key.id);
    if let Some(quota) = quota {
        info.note_quota(quota);
        quota.check()?;
    }
    if !R::is_held(key.permissions) {
        return Err(R::refusal());
    }
    Ok(Actor {
        key_id: Some(key.id),
        key_name: key.name.clone(),
        permissions: key.permissions,
        restrictions: key.restrictions.clone(),
        request_id: info.id().to_owned(),
        ip: info.ip(),
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// All lines of a header that may be repeated. What cannot be read stays in it, so that a
/// condition never counts as absent.
pub(super) fn joined(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<String> {
    let lines: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// A caller who may read.
pub struct Caller<R> {
    app: App,
    actor: Actor,
    if_none_match: Option<String>,
    right: PhantomData<R>,
}

impl<R> Caller<R> {
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    pub fn app(&self) -> &App {
        &self.app
    }

    pub fn now(&self) -> Timestamp {
        self.app.clock.now()
    }

    pub async fn read(&self) -> Result<db::Read> {
        Ok(self.app.db.read().await?)
    }

    /// For a few rows that are found by their keys.
    pub async fn read_briefly(&self) -> Result<db::Read> {
        Ok(self.app.db.read_briefly().await?)
    }

    /// Answers with one resource, unless the caller has it already.
    pub fn single<T: Serialize>(&self, resource: &impl Resource, body: &T) -> Result<Single<T>> {
        self.tagged(etag::of(resource), to_json(body)?)
    }

    /// The same where the body shows other resources, too.
    pub fn single_with_others<T: Serialize>(
        &self,
        resource: &impl Resource,
        body: &T,
    ) -> Result<Single<T>> {
        let body = to_json(body)?;
        self.tagged(etag::of_shown(resource, &body), body)
    }

    fn tagged<T>(&self, tag: String, body: Vec<u8>) -> Result<Single<T>> {
        match &self.if_none_match {
            Some(known) if etag::is_named(known, &tag) => Ok(Single::not_modified(tag)),
            _ => Ok(Single::new(tag, body)),
        }
    }
}

impl<R: Right> FromRequestParts<App> for Caller<R> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        Ok(Self {
            actor: authenticate::<R>(parts, app).await?,
            app: app.clone(),
            if_none_match: joined(&parts.headers, IF_NONE_MATCH),
            right: PhantomData,
        })
    }
}

/// A caller who may write, with the body that was sent.
pub struct Writer<R, B = NoBody> {
    app: App,
    actor: Actor,
    condition: Condition,
    token: Result<Option<Token>>,
    body: Body<B>,
    right: PhantomData<R>,
}

impl<R: Right, B: Payload> FromRequest<App> for Writer<R, B> {
    type Rejection = Error;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let actor = authenticate::<R>(&parts, app).await?;
        let body = Body::receive(&parts, body, app).await?;
        Ok(Self {
            app: app.clone(),
            condition: joined(&parts.headers, IF_MATCH)
                .map_or_else(Condition::none, Condition::if_match),
            token: token(&parts, &actor, &body),
            actor,
            body,
            right: PhantomData,
        })
    }
}

fn token<B: Payload>(parts: &Parts, actor: &Actor, body: &Body<B>) -> Result<Option<Token>> {
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
    let token = |(key_id, body)| {
        Token::new(
            key_id,
            value.to_owned(),
            parts.method.as_str(),
            target,
            body,
        )
    };
    // A body that is not accepted fails before a reply could be kept.
    Ok(actor
        .key_id
        .zip(body.bytes().map(|bytes| &bytes[..]))
        .map(token))
}

impl<R: Right, B> Writer<R, B> {
    /// Does what takes long before the transaction begins, so that nobody waits for it. `work`
    /// gets a valid body and leaves what the transaction needs in its place; when it fails, or
    /// there is no valid body, the transaction says so after the checks that come first.
    pub async fn prepare<P, F>(self, work: F) -> Writer<R, P>
    where
        F: AsyncFnOnce(&App, B) -> Result<P>,
    {
        let body = self.body.prepare(async |body| work(&self.app, body).await);
        Writer {
            body: body.await,
            app: self.app,
            actor: self.actor,
            condition: self.condition,
            token: self.token,
            right: PhantomData,
        }
    }

    /// Carries out a write in one transaction, with everything that belongs to it: the reply to
    /// an earlier request under the same `Idempotency-Key`, the audit entry, and an end that is
    /// either durable or leaves nothing.
    pub async fn run<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        let mut edit = Edit::begin(&self.app, self.actor, self.condition).await?;
        match attempt(&mut edit, self.token, self.body, work).await {
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
    edit: &mut Edit,
    token: Result<Option<Token>>,
    body: Body<B>,
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
            Claim::Begun => return Err(outside::OUTCOME_UNKNOWN),
        }
    }
    let change = work(edit, body).await?;
    // A malformed value is told of only now, since what does not exist comes first.
    let token = token?;
    let reply = Reply::new(&edit.record(change).await?)?;
    if let Some(token) = token.as_ref().filter(|_| !edit.is_rehearsal()) {
        idempotency::keep(edit, token, reply.body()).await?;
    }
    Ok(reply)
}

fn refusals<R: Right>(ctx: &mut GenContext) -> Vec<(Option<u16>, Documented)> {
    let mut refusals = vec![openapi::error(
        ctx,
        401,
        "The API key is missing or invalid.",
    )];
    if !R::NEEDS.is_empty() {
        refusals.push(openapi::error(ctx, 403, "The key lacks the permission."));
    }
    refusals
}

impl<R: Right> OperationInput for Caller<R> {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        openapi::require::<R>(operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        refusals::<R>(ctx)
    }
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
