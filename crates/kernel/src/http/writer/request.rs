//! A write as it was received, and its transaction.

use std::ops::ControlFlow;

use axum::extract::Request;
use axum::http::header::IF_MATCH;
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use bytes::Bytes;

use super::external;
use crate::auth::Actor;
use crate::http::body::Received;
use crate::http::caller::{Needed, authenticate, presented};
use crate::http::header::joined;
use crate::http::reply::ReplyParts;
use crate::input::{CharacterSet, Fault, Faults};
use crate::types::time::HOUR;
use crate::write::etag::Condition;
use crate::write::idempotency::{self, Claim, Token};
use crate::write::{Change, CreatedPath, Edit};
use crate::{Error, ErrorCode, Kernel, Result};

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A write without its body.
pub(super) struct WriteRequest {
    pub kernel: Kernel,
    pub actor: Box<Actor>,
    pub condition: Condition,
    pub token: Result<Option<Token>>,
    target: RequestTarget,
}

/// The target of a request.
struct RequestTarget {
    is_put: bool,
    uri: Uri,
}

impl RequestTarget {
    /// The path of a created resource.
    fn path_of(&self, created: CreatedPath) -> String {
        let path = self.uri.path();
        match created {
            _ if self.is_put => path.to_owned(),
            CreatedPath::Below(id) => [path, "/", itoa::Buffer::new().format(id)].concat(),
            CreatedPath::OfAction => path.rsplit_once('/').map_or(path, |(on, _)| on).to_owned(),
        }
    }
}

/// A write whose transaction has begun. On the heap, because it is large and moved.
pub(super) struct BegunWrite {
    pub edit: Edit,
    kernel: Kernel,
    token: Result<Option<Token>>,
    target: RequestTarget,
}

impl WriteRequest {
    /// Authenticates, then receives the body.
    pub async fn receive(
        kernel: Kernel,
        request: Request,
        needed: Needed,
        expects_body: bool,
    ) -> Result<(Box<Self>, Received)> {
        let (parts, body) = request.into_parts();
        let actor = authenticate(&parts, &kernel, needed).await?;
        let body = Received::new(&parts, body, &kernel.limits, expects_body).await?;
        let request = Self {
            kernel,
            condition: joined(&parts.headers, IF_MATCH)
                .map_or_else(Condition::none, Condition::if_match),
            token: token(&parts, &actor, body.bytes()),
            actor,
            target: RequestTarget {
                is_put: parts.method == Method::PUT,
                uri: parts.uri,
            },
        };
        Ok((Box::new(request), body))
    }

    /// Begins the transaction. Breaks with the reply of an earlier request that had the same
    /// `Idempotency-Key`.
    pub async fn begin(self) -> Result<ControlFlow<ReplyParts, Box<BegunWrite>>> {
        let Self {
            kernel,
            actor,
            condition,
            token,
            target,
        } = self;
        let mut edit = Edit::begin(&kernel.core, actor, condition).await?;
        let claim = match &token {
            Ok(Some(token)) => idempotency::claim(&mut edit, token).await,
            _ => Ok(Claim::Granted),
        };
        let error = match claim {
            Ok(Claim::Granted) => {
                return Ok(ControlFlow::Continue(Box::new(BegunWrite {
                    edit,
                    kernel,
                    token,
                    target,
                })));
            }
            Ok(Claim::Replied(earlier)) => {
                edit.commit_recorded().await?;
                // The earlier request may have revoked a key, and may still be waiting for the
                // other instances.
                kernel.core.db.wait_for_instances().await;
                return Ok(ControlFlow::Break(ReplyParts::replayed(earlier)?));
            }
            Ok(Claim::Begun) => external::OUTCOME_UNKNOWN,
            Err(error) => error,
        };
        edit.rollback().await?;
        Err(error)
    }
}

impl BegunWrite {
    /// Commits the change with its audit entry and its stored reply, or rolls it back.
    pub async fn finish(
        mut self: Box<Self>,
        worked: Result<Change<Vec<u8>>>,
    ) -> Result<ReplyParts> {
        match self.record(worked).await {
            Ok(reply) => {
                self.edit.commit_recorded().await?;
                Ok(reply)
            }
            Err(error) => {
                self.edit.rollback().await?;
                Err(error)
            }
        }
    }

    async fn record(&mut self, worked: Result<Change<Vec<u8>>>) -> Result<ReplyParts> {
        let Self {
            edit,
            kernel,
            token,
            target,
        } = self;
        // Refuse a malformed value only now, because 404 comes first.
        let (change, token) = match (worked, std::mem::replace(token, Ok(None))) {
            (Err(Error::Invalid(mut faults)), Err(error)) => {
                faults.gather(Err(error))?;
                return Err(faults.into());
            }
            (worked, token) => (worked?, token?),
        };
        let secrecy = change.secrecy();
        let etag = change.etag().map(str::to_owned);
        let location = change.created_path().map(|created| target.path_of(created));
        let body = edit.record(change).await?;
        let reply = ReplyParts::new(body, etag, location);
        if let Some(token) = token.as_ref().filter(|_| !edit.is_dry_run()) {
            let stored = reply.to_stored()?;
            count_stored(kernel, token, &stored)?;
            idempotency::keep(edit, token, &stored, secrecy).await?;
        }
        Ok(reply)
    }
}

fn token(parts: &Parts, actor: &Actor, body: Option<&Bytes>) -> Result<Option<Token>> {
    let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let visible = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let value = value.to_str().ok().filter(visible);
    let Some(value) = value.filter(|value| (1..=255).contains(&value.len())) else {
        let fault = Fault::wrong_characters(CharacterSet::VisibleAscii, 1, 255);
        return Err(Faults::one("Idempotency-Key", fault).into());
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

/// Counts a stored reply against the quota of its key: clients choose the number of replies.
fn count_stored(kernel: &Kernel, token: &Token, stored: &[u8]) -> Result<()> {
    let limit = kernel.limits.stored_reply_bytes;
    let now = kernel.core.clock.now().unix();
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
