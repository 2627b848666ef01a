//! Audit entries of failed sign-in attempts.

use std::net::IpAddr;

use parking_lot::Mutex;
use serde::Serialize;

use crate::operators;
use crate::sessions::State;
use crate::users::identities::Provider;
use kernel::auth::Actor;
use kernel::types::Timestamp;
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit, Resource};
use kernel::{Error, ErrorCode, Result};

/// How many entries an instance writes per minute. Anyone can cause failures, so they must not fill
/// the disk.
const MOST_PER_MINUTE: u32 = 60;
/// Of these, how many are kept for logins of operators.
const KEPT_FOR_OPERATORS: u32 = 10;
const MINUTE: i64 = 60;
/// The error codes that are failures.
const FAILURES: [ErrorCode; 4] = [
    ErrorCode::InvalidCredentials,
    ErrorCode::InvalidCode,
    ErrorCode::SignInFailed,
    ErrorCode::TwoFactorRequired,
];

/// The number of entries written in the current minute, and of those omitted since the last one.
#[derive(Default)]
pub struct Failures(Mutex<Written>);

#[derive(Default)]
struct Written {
    minute: i64,
    entries: u32,
    omitted: u64,
}

impl Failures {
    /// Admits an entry. Returns how many were omitted before it; `None` if it must be omitted too.
    fn admit(&self, now: Timestamp, is_operator: bool) -> Option<u64> {
        let mut written = self.0.lock();
        let minute = now.unix() / MINUTE;
        if written.minute != minute {
            written.minute = minute;
            written.entries = 0;
        }
        let kept = if is_operator { 0 } else { KEPT_FOR_OPERATORS };
        if written.entries >= MOST_PER_MINUTE - kept {
            written.omitted += 1;
            return None;
        }
        written.entries += 1;
        Some(std::mem::take(&mut written.omitted))
    }
}

/// An attempt in the audit log. The login is left out: it may be a password typed into the wrong
/// field.
#[derive(Clone, Copy, Serialize)]
pub struct Attempted {
    /// The user with this login.
    pub user_id: Option<i64>,
    pub client_ip: Option<IpAddr>,
    /// Who should have verified the person; `None` for a password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
}

#[derive(Serialize)]
struct Failure {
    #[serde(flatten)]
    attempted: Attempted,
    code: ErrorCode,
    /// The number of failures without an entry before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<u64>,
}

#[derive(Serialize)]
struct Nothing {}

/// Writes the entry of an attempt that failed because of the user or the password. A refused
/// attempt (429) has no entry, since no password was checked.
pub async fn record<R: Resource>(state: &State, actor: Actor, attempted: Attempted, error: &Error) {
    let is_failure = match error {
        Error::Rejected { code, .. } => FAILURES.contains(code),
        error => matches!(error, Error::UserBlocked { .. } | Error::Forbidden { .. }),
    };
    if !is_failure {
        return;
    }
    if let Err(error) = count(state, attempted, error).await {
        tracing::warn!(%error, "a failed sign-in was not counted");
    }
    let is_operator = is_operator(state, attempted).await.unwrap_or_default();
    let now = state.kernel.core.clock.now();
    let Some(omitted) = state.failures.admit(now, is_operator) else {
        let metrics = &state.kernel.core.metrics;
        let unaudited = metrics.counter("steward_login_failures_unaudited_total", &[]);
        unaudited.increment(1);
        return;
    };
    let failure = Failure {
        attempted,
        code: error.code(),
        omitted: (omitted > 0).then_some(omitted),
    };
    // The client gets the same reply whether or not this succeeds.
    if let Err(error) = write::<R>(state, actor, &failure).await {
        tracing::warn!(%error, "a failed sign-in has no audit entry");
    }
}

/// Counts a wrong password or code, to be shown to the operator after the next sign-in. It takes the
/// same time if no user has the login.
async fn count(state: &State, attempted: Attempted, error: &Error) -> Result<()> {
    let is_code = match error.code() {
        ErrorCode::InvalidCredentials => false,
        ErrorCode::InvalidCode => true,
        _ => return Ok(()),
    };
    let mut tx = state.kernel.core.db.begin().await?;
    let user_id = attempted.user_id.unwrap_or_default();
    operators::count_failure(&mut tx, user_id, is_code).await?;
    Ok(tx.commit().await?)
}

async fn is_operator(state: &State, attempted: Attempted) -> Result<bool> {
    let user_id = attempted.user_id.unwrap_or_default();
    let mut read = state.kernel.core.db.read().await?;
    Ok(operators::find(&mut read, user_id).await?.is_some())
}

async fn write<R: Resource>(state: &State, actor: Actor, failure: &Failure) -> Result<()> {
    let edit = Edit::begin(&state.kernel.core, actor, Condition::none()).await?;
    let verb = match failure.code {
        // A right password without the code that is due.
        ErrorCode::TwoFactorRequired => "password_only",
        _ => "fail",
    };
    let change = Change::of_many::<R>(verb, &Nothing {}, failure, ());
    edit.commit(change.about_user(failure.attempted.user_id))
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_limited_by_the_minute_and_say_how_many_were_omitted() {
        let failures = Failures::default();
        let at = Timestamp::from_unix;
        for _ in 0..50 {
            assert_eq!(failures.admit(at(0), false), Some(0));
        }
        assert_eq!(failures.admit(at(59), false), None);
        assert_eq!(failures.admit(at(59), false), None);
        assert_eq!(failures.admit(at(59), true), Some(2));
        for _ in 0..9 {
            assert_eq!(failures.admit(at(59), true), Some(0));
        }
        assert_eq!(failures.admit(at(59), true), None);
        assert_eq!(failures.admit(at(60), false), Some(1));
        assert_eq!(failures.admit(at(61), false), Some(0));
    }
}
