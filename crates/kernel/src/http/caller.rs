//! The extractor of every read: it authenticates the caller and checks the permission.
//!
//! The type parameter of [`Caller`] is the right that the operation needs. It is checked before
//! anything else, and the OpenAPI document shows it.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::header::{AUTHORIZATION, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use db::Version;
use serde::Serialize;

use super::cookie::Cookie;
use super::header::joined;
use super::reply::{Single, to_json};
use super::request_info::RequestInfo;
use super::same_origin;
use crate::auth::console::{self, CONFIRMED_FOR, Holder, token_hash};
use crate::auth::permission::{PermissionSet, Right};
use crate::auth::{Actor, ActorSession, Admission, Admitted, OPERATOR, Presented, Quota, TOPIC};
use crate::secret::Secret;
use crate::types::{Timestamp, client_network};
use crate::write::etag::{self, Condition};
use crate::write::{Change, Edit};
use crate::{Error, ErrorCode, Kernel, Result};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A [`Right`] as a value.
#[derive(Clone, Copy)]
pub(super) struct Needed {
    right: Check,
    needs_session: bool,
    needs_confirmation: bool,
}

type Check = fn(PermissionSet) -> Result<()>;

impl Needed {
    pub fn of<R: Right>() -> Self {
        Self {
            right: R::check,
            needs_session: R::NEEDS_SESSION,
            needs_confirmation: R::NEEDS_CONFIRMATION,
        }
    }
}

/// Authenticates a request. If it has both a key and a session, the key is used. Not generic, so
/// that it is compiled once and not once for each right.
pub(super) async fn authenticate(
    parts: &Parts,
    kernel: &Kernel,
    needed: Needed,
) -> Result<Box<Actor>> {
    let Needed {
        right,
        needs_session,
        needs_confirmation,
    } = needed;
    let info = RequestInfo::of(&parts.extensions);
    let actor = match presented(parts)? {
        Some((Presented::Key, value)) if !needs_session => {
            by_key(&info, kernel, value, right).await?
        }
        Some((Presented::Session, token)) => {
            // On the heap, to keep the future of a request with a key small.
            let actor = Box::pin(by_session(&info, kernel, token, right)).await?;
            match parts.method {
                Method::GET | Method::HEAD => same_origin::require_for_read(parts)?,
                _ => same_origin::require(parts, info.is_secure())?,
            }
            if !needs_session {
                require_two_factor(&actor, kernel)?;
            }
            actor
        }
        _ => return Err(Error::Unauthorized),
    };
    right(actor.permissions)?;
    if needs_confirmation {
        require_confirmation(&actor, kernel.core.expiry_now())?;
    }
    Ok(actor)
}

async fn by_key(
    info: &RequestInfo,
    kernel: &Kernel,
    value: &str,
    right: Check,
) -> Result<Box<Actor>> {
    let limit = kernel.limits.requests_per_second;
    let network = info.ip().map(client_network);
    let now = || kernel.core.clock.elapsed();
    let may_look_up = || !network.is_some_and(|from| kernel.wrong_keys.is_limited(from, now()));
    let admitted = kernel
        .keys
        .authenticate(&kernel.core, value, info.ip(), limit, may_look_up);
    let Admitted {
        key,
        hash,
        valid_until,
        as_of,
        quota,
    } = match admitted.await {
        Err(Error::Unauthorized) => return Err(unauthorized(info, kernel)),
        admitted => admitted?,
    };
    info.record_key(key.id);
    let actor = Box::new(Actor {
        key_id: Some(key.id),
        key_name: key.name.clone(),
        admission: Some(Admission {
            presented: Presented::Key,
            hash: Secret::new(hash),
            valid_until,
            as_of: as_of.map(Version::announcement),
            right,
        }),
        permissions: key.permissions,
        restrictions: key.restrictions.clone(),
        ..anonymous(info)
    });
    admit(info, &actor, quota)?;
    Ok(actor)
}

async fn by_session(
    info: &RequestInfo,
    kernel: &Kernel,
    token: &str,
    right: Check,
) -> Result<Box<Actor>> {
    let now = kernel.core.expiry_now();
    let hash = token_hash(token);
    // The version is read before the session, so the next request notices a change in between.
    let as_of = kernel.core.db.changes(TOPIC)?.map(Version::announcement);
    let mut read = kernel.core.db.read().await?;
    let found = console::find(&mut read, &hash, now, info.ip()).await?;
    drop(read);
    let session = found.ok_or_else(|| unauthorized(info, kernel))?;
    console::touch(&kernel.core, &session, now, kernel.limits.note_time).await;
    let actor = Actor {
        session: Some(ActorSession {
            id: session.id,
            expires_at: session.expires_at(),
            ends_at: session.ends_at(),
            confirmed_at: session.confirmed_at,
            has_two_factor: match &session.holder {
                Holder::Operator(operator) => operator.has_two_factor,
                Holder::Key(_) => false,
            },
        }),
        admission: Some(Admission {
            presented: Presented::Session,
            hash: Secret::new(hash),
            valid_until: session.holder.valid_until(),
            as_of,
            right,
        }),
        permissions: session.holder.permissions(),
        ..anonymous(info)
    };
    let actor = match session.holder {
        Holder::Operator(operator) => {
            info.record_operator(operator.user_id);
            Actor {
                key_name: OPERATOR.to_owned(),
                user_id: Some(operator.user_id),
                user_name: Some(operator.username),
                ..actor
            }
        }
        Holder::Key(found) => {
            info.record_key(found.key.id);
            Actor {
                key_id: Some(found.key.id),
                key_name: found.key.name,
                restrictions: found.key.restrictions,
                ..actor
            }
        }
    };
    let own = actor.restrictions.requests_per_second;
    let limit = own.or(kernel.limits.requests_per_second);
    let quota = actor.caller_id().and_then(|caller| {
        let keys = &kernel.keys;
        keys.count_request(caller, &kernel.core.clock, info.ip(), limit)
    });
    admit(info, &actor, quota)?;
    Ok(Box::new(actor))
}

/// Counts a wrong key or token: 401, or 429 if there were too many.
fn unauthorized(info: &RequestInfo, kernel: &Kernel) -> Error {
    match info.ip().map(client_network) {
        Some(from) => kernel.wrong_keys.record(from, kernel.core.clock.elapsed()),
        None => Error::Unauthorized,
    }
}

fn anonymous(info: &RequestInfo) -> Actor {
    Actor {
        client_request_id: info.client_id().map(str::to_owned),
        ip: info.ip(),
        ..Actor::without_permissions("", info.id().to_owned())
    }
}

/// Assigns the request its share of the database, and counts it against the rate limit.
fn admit(info: &RequestInfo, actor: &Actor, quota: Option<Quota>) -> Result<()> {
    if let Some(share) = actor.share() {
        db::Client::set_share(share);
    }
    if let Some(quota) = quota {
        info.record_quota(quota);
        quota.check()?;
    }
    Ok(())
}

/// An operator without a mandatory second factor can only sign in, sign out and enrol.
fn require_two_factor(actor: &Actor, kernel: &Kernel) -> Result<()> {
    let session = actor.session.as_ref();
    let has_factor = session.is_some_and(|session| session.has_two_factor);
    if !kernel.limits.require_two_factor || actor.user_id.is_none() || has_factor {
        return Ok(());
    }
    Err(Error::Forbidden {
        code: ErrorCode::TwoFactorRequired,
        message: "Set up a second factor first: this service requires one.",
    })
}

/// A session must have been confirmed; an API key is given with each request.
fn require_confirmation(actor: &Actor, now: Timestamp) -> Result<()> {
    let is_outdated =
        |session: &ActorSession| session.confirmed_at.unix() + CONFIRMED_FOR <= now.unix();
    if actor.session.as_ref().is_some_and(is_outdated) {
        return Err(Error::Forbidden {
            code: ErrorCode::ConfirmationRequired,
            message: "Confirm with your password or a code first: POST /api/console/confirm.",
        });
    }
    Ok(())
}

/// The credential of the request: an API key in either header, or else the cookie of a session.
pub(super) fn presented(parts: &Parts) -> Result<Option<(Presented, &str)>> {
    let own = parts.headers.get(API_KEY).map(HeaderValue::as_bytes);
    let value = match (own, bearer(&parts.headers)) {
        (Some(own), Some(bearer)) if own != bearer => return Err(Error::AmbiguousKey),
        (own, bearer) => own.or(bearer),
    };
    if let Some(value) = value {
        let value = std::str::from_utf8(value).ok();
        return Ok(value.map(|value| (Presented::Key, value)));
    }
    let is_secure = RequestInfo::of(&parts.extensions).is_secure();
    let token = Cookie::Session.read(&parts.headers, is_secure);
    Ok(token.map(|token| (Presented::Session, token)))
}

/// The token of `Authorization: Bearer` (RFC 6750). Other schemes may be meant for a proxy.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer ");
    is_bearer.then(|| token.trim_ascii_start())
}

/// A caller who may read.
pub struct Caller<R> {
    kernel: Kernel,
    /// On the heap, since an extractor is moved several times.
    actor: Box<Actor>,
    if_none_match: Option<String>,
    is_head: bool,
    right: PhantomData<R>,
}

impl<R> Caller<R> {
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Authenticates the caller again, for an operation that waited for its body.
    pub async fn confirm(&self) -> Result<()> {
        let keys = &self.kernel.keys;
        keys.confirm(&self.kernel.core, &self.actor)
            .await
            .map(|_| ())
    }

    /// Writes the audit entry of a read that takes many data away, before the data is sent. HEAD
    /// sends none.
    pub async fn record(&self, change: Change<()>) -> Result<()> {
        if self.is_head {
            return Ok(());
        }
        let actor = self.actor.clone();
        let edit = Edit::begin(&self.kernel.core, actor, Condition::none()).await?;
        edit.commit(change).await
    }

    /// The time to compare expiry with.
    pub fn now(&self) -> Timestamp {
        self.kernel.core.expiry_now()
    }

    /// A connection for short reads: a few rows found by their keys.
    pub async fn read(&self) -> Result<db::Read> {
        Ok(self.kernel.core.db.read().await?)
    }

    /// A connection for lists, searches and reports. See [`db::Db::read_alone`].
    pub async fn read_alone(&self) -> Result<db::Read> {
        Ok(self.kernel.core.db.read_alone().await?)
    }

    /// Answers with one resource, or 304 if `If-None-Match` names its entity tag.
    pub fn single<T: Serialize>(&self, tag: String, body: &T) -> Result<Single<T>> {
        self.tagged(tag, to_json(body)?)
    }

    /// Like [`Self::single`], for a body that also shows other resources.
    pub fn single_with_others<T: Serialize>(&self, tag: &str, body: &T) -> Result<Single<T>> {
        let body = to_json(body)?;
        self.tagged(etag::with_body(tag, &body), body)
    }

    /// The tag in the form that `If-None-Match` has, if it contains it.
    pub(super) fn known_tag(&self, tag: &str) -> Option<String> {
        let known = self.if_none_match.as_deref()?;
        etag::find(known, tag)
    }

    fn tagged<T>(&self, tag: String, body: Vec<u8>) -> Result<Single<T>> {
        let single = match self.known_tag(&tag) {
            Some(known) => Single::new(known, None),
            None => Single::new(tag, Some(body)),
        };
        Ok(match self.actor.session {
            Some(_) => single.not_stored(),
            None => single,
        })
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
            actor: authenticate(parts, &kernel, Needed::of::<R>()).await?,
            kernel,
            if_none_match: joined(&parts.headers, IF_NONE_MATCH),
            is_head: parts.method == Method::HEAD,
            right: PhantomData,
        })
    }
}
