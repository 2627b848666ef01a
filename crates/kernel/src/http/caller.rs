//! The extractor of every read: it authenticates the caller and checks the permission.
//!
//! The type parameter of [`Caller`] is the right that the operation needs. It is checked before
//! anything else, and the OpenAPI document shows it.

use std::marker::PhantomData;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use axum::http::request::Parts;
use db::Version;
use serde::Serialize;

use super::middleware::RequestInfo;
use super::openapi;
use super::reply::{Single, to_json};
use crate::auth::permission::{PermissionSet, Right};
use crate::auth::{Actor, Admission, Admitted};
use crate::secret::Secret;
use crate::types::{Timestamp, client_network};
use crate::write::{Resource, etag};
use crate::{Error, Kernel, Result};

const API_KEY: &str = "x-api-key";

pub(super) async fn authenticate<R: Right>(parts: &Parts, kernel: &Kernel) -> Result<Actor> {
    let actor = identify(parts, kernel, R::check).await?;
    R::check(actor.permissions)?;
    Ok(actor)
}

async fn identify(
    parts: &Parts,
    kernel: &Kernel,
    right: fn(PermissionSet) -> Result<()>,
) -> Result<Actor> {
    let value = key_value(&parts.headers).ok_or(Error::Unauthorized)?;
    let info = RequestInfo::of(&parts.extensions);
    let limit = kernel.limits.requests_per_second;
    let network = info.ip().map(client_network);
    let now = || kernel.clock.elapsed();
    let may_look_up = || !network.is_some_and(|from| kernel.wrong_keys.is_limited(from, now()));
    let admitted = kernel
        .keys
        .authenticate(kernel, value, info.ip(), limit, may_look_up);
    let Admitted {
        key,
        hash,
        valid_until,
        as_of,
        quota,
    } = match (admitted.await, network) {
        (Err(Error::Unauthorized), Some(from)) => {
            return Err(kernel.wrong_keys.record(from, now()));
        }
        (admitted, _) => admitted?,
    };
    info.record_key(key.id);
    db::Client::set_share(key.id.unsigned_abs());
    if let Some(quota) = quota {
        info.record_quota(quota);
        quota.check()?;
    }
    Ok(Actor {
        key_id: Some(key.id),
        key_name: key.name.clone(),
        admission: Some(Admission {
            hash: Secret::new(hash),
            valid_until,
            as_of: as_of.map(Version::announcement),
            right,
        }),
        permissions: key.permissions,
        restrictions: key.restrictions.clone(),
        request_id: info.id().to_owned(),
        client_request_id: info.client_id().map(str::to_owned),
        ip: info.ip(),
    })
}

/// The value of the API key, as it was sent.
pub(super) fn key_value(headers: &HeaderMap) -> Option<&str> {
    text(headers, API_KEY)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// All lines of a header that may be repeated. Bytes that are not text are replaced, not dropped:
/// a malformed condition must not count as absent.
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
    kernel: Kernel,
    actor: Actor,
    if_none_match: Option<String>,
    right: PhantomData<R>,
}

impl<R> Caller<R> {
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Authenticates the caller again, for an operation that has waited for its body.
    pub async fn confirm(&self) -> Result<()> {
        let keys = &self.kernel.keys;
        keys.confirm(&self.kernel, &self.actor).await.map(|_| ())
    }

    /// The time to compare expiry with.
    pub fn now(&self) -> Timestamp {
        self.kernel.expiry_now()
    }

    /// For short reads: a few rows found by their keys.
    pub async fn read(&self) -> Result<db::Read> {
        Ok(self.kernel.db.read().await?)
    }

    /// For lists, searches and reports. See [`db::Db::read_alone`].
    pub async fn read_alone(&self) -> Result<db::Read> {
        Ok(self.kernel.db.read_alone().await?)
    }

    /// Answers with one resource, or 304 if `If-None-Match` names its entity tag.
    pub fn single<T: Serialize>(&self, resource: &impl Resource, body: &T) -> Result<Single<T>> {
        self.tagged(etag::of(resource), to_json(body)?)
    }

    /// The same for a body that also shows other resources.
    pub fn single_with_others<T: Serialize>(
        &self,
        resource: &impl Resource,
        body: &T,
    ) -> Result<Single<T>> {
        let body = to_json(body)?;
        self.tagged(etag::with_body(resource, &body), body)
    }

    /// The tag as `If-None-Match` names it, if it does.
    pub(super) fn known_tag(&self, tag: &str) -> Option<String> {
        let known = self.if_none_match.as_deref()?;
        etag::find(known, tag)
    }

    fn tagged<T>(&self, tag: String, body: Vec<u8>) -> Result<Single<T>> {
        match self.known_tag(&tag) {
            Some(known) => Ok(Single::not_modified(known)),
            None => Ok(Single::new(tag, body)),
        }
    }
}

impl<R: Right, S: Sync> FromRequestParts<S> for Caller<R>
where
    Kernel: FromRef<S>,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let kernel = Kernel::from_ref(state);
        Ok(Self {
            actor: authenticate::<R>(parts, &kernel).await?,
            kernel,
            if_none_match: joined(&parts.headers, IF_NONE_MATCH),
            right: PhantomData,
        })
    }
}

pub(super) fn refusals<R: Right>(ctx: &mut GenContext) -> Vec<(Option<u16>, Documented)> {
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
