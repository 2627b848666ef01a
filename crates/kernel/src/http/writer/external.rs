//! Writes with an effect outside the database, which no transaction can roll back.

use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;

use super::Writer;
use super::request::WriteRequest;
use crate::auth::permission::Right;
use crate::http::body::Body;
use crate::http::reply::{Reply, ReplyParts, to_json};
use crate::write::idempotency::{self, Claim};
use crate::write::{Change, Edit, Outcome, Secrecy};
use crate::{Error, ErrorCode, Result};

/// How long a request waits for another with the same `Idempotency-Key`, and how often it checks.
const WAIT_LIMIT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

impl<R: Right, B> Writer<R, B> {
    /// Commits a record of the planned action with its audit entry, then performs the action
    /// outside any transaction.
    ///
    /// An `Idempotency-Key` is claimed with the record and gets the reply afterwards. In the
    /// meantime, a request with the same key waits. If the outcome is unknown, later requests with
    /// the key get an error that says so; if nothing was done, they run.
    pub async fn run_external<const STATUS: u16, P, T, N, A>(
        self,
        note: N,
        act: A,
    ) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        N: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<P>>,
        A: AsyncFnOnce(P) -> Outcome<T>,
    {
        let mut edit = match take_turn(&self.request).await? {
            ControlFlow::Continue(edit) => edit,
            ControlFlow::Break(reply) => return Ok(ReplyParts::replayed(reply)?.into()),
        };
        let WriteRequest {
            kernel,
            actor,
            condition,
            token,
            ..
        } = *self.request;
        let noted = async {
            let change = note(&mut edit, self.body).await?;
            let token = token?;
            if let Some(token) = &token {
                idempotency::begin(&mut edit, token).await?;
            }
            Ok((edit.record(change).await?, token))
        };
        let (plan, token) = match noted.await {
            Ok(noted) => noted,
            Err(error) => {
                edit.rollback().await?;
                return Err(error);
            }
        };
        edit.commit_recorded().await?;

        let (reply, is_known) = match act(plan).await {
            Outcome::Done(done) => (to_json(&done).map(ReplyParts::of_body), true),
            Outcome::NotDone(error) => (Err(error), true),
            Outcome::Unknown(error) => (Err(error), false),
        };
        if let Some(token) = token.as_ref().filter(|_| is_known) {
            let mut edit = Edit::begin_admitted(&kernel.core, actor, condition).await?;
            match &reply {
                Ok(reply) => {
                    let stored = reply.to_stored()?;
                    idempotency::keep(&mut edit, token, &stored, Secrecy::Ordinary).await?
                }
                Err(_) => idempotency::release(&mut edit, token).await?,
            }
            edit.commit_recorded().await?;
        }
        reply.map(Reply::from)
    }
}

/// Continues once this request may run; breaks with the stored reply if it has already run.
async fn take_turn(request: &WriteRequest) -> Result<ControlFlow<Vec<u8>, Edit>> {
    let attempts = WAIT_LIMIT.as_millis() / POLL_INTERVAL.as_millis();
    for _ in 0..attempts {
        let (actor, condition) = (request.actor.clone(), request.condition.clone());
        let mut edit = Edit::begin(&request.kernel.core, actor, condition).await?;
        let claim = match &request.token {
            Ok(Some(token)) => idempotency::claim(&mut edit, token).await,
            _ => Ok(Claim::Granted),
        };
        if matches!(claim, Ok(Claim::Granted)) {
            return Ok(ControlFlow::Continue(edit));
        }
        edit.rollback().await?;
        if let Claim::Replied(reply) = claim? {
            return Ok(ControlFlow::Break(reply));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Err(OUTCOME_UNKNOWN)
}

pub const OUTCOME_UNKNOWN: Error = Error::Conflict {
    code: ErrorCode::OutcomeUnknown,
    message: "A request under this Idempotency-Key was begun, but it is not known whether it was \
              carried out.",
};
