//! Audit entries of failed attempts to sign in.

use std::net::IpAddr;

use metrics::counter;
use parking_lot::Mutex;
use serde::Serialize;

use crate::app::App;
use kernel::auth::Actor;
use kernel::types::Timestamp;
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit, Resource};
use kernel::{Error, ErrorCode, Result};

/// How many entries an instance writes in a minute. Strangers decide how often they fail, and may
/// not fill the disk by it.
const MOST_PER_MINUTE: u32 = 60;
const MINUTE: i64 = 60;
/// The codes of attempts that failed.
const FAILURES: [ErrorCode; 2] = [ErrorCode::InvalidCredentials, ErrorCode::InvalidCode];

/// How many entries were written in the current minute, and how many left out since the last one.
#[derive(Default)]
pub struct Failures(Mutex<Written>);

#[derive(Default)]
struct Written {
    minute: i64,
    entries: u32,
    omitted: u64,
}

impl Failures {
    /// Whether an entry may be written, and how many were left out before it.
    fn admit(&self, now: Timestamp) -> Option<u64> {
        let mut written = self.0.lock();
        let minute = now.unix() / MINUTE;
        if written.minute != minute {
            written.minute = minute;
            written.entries = 0;
        }
        if written.entries == MOST_PER_MINUTE {
            written.omitted += 1;
            return None;
        }
        written.entries += 1;
        Some(std::mem::take(&mut written.omitted))
    }
}

/// An attempt, as its audit entry describes it. The login is left out: it may be a password that
/// was typed into the wrong field.
#[derive(Clone, Copy, Serialize)]
pub struct Attempted {
    /// The user who has the login.
    pub user_id: Option<i64>,
    pub client_ip: Option<IpAddr>,
}

#[derive(Serialize)]
struct Failure {
    #[serde(flatten)]
    attempted: Attempted,
    code: ErrorCode,
    /// How many failures before this one have no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<u64>,
}

#[derive(Serialize)]
struct Nothing {}

/// Writes the entry of an attempt that failed because of the user or the password. A refused
/// attempt (429) has none, since it was not made.
pub async fn record<R: Resource>(app: &App, actor: Actor, attempted: Attempted, error: &Error) {
    let is_failure = match error {
        Error::Rejected { code, .. } => FAILURES.contains(code),
        error => matches!(error, Error::UserBlocked { .. } | Error::Forbidden { .. }),
    };
    if !is_failure {
        return;
    }
    let Some(omitted) = app.failures.admit(app.clock.now()) else {
        counter!("steward_login_failures_unaudited_total").increment(1);
        return;
    };
    let failure = Failure {
        attempted,
        code: error.code(),
        omitted: (omitted > 0).then_some(omitted),
    };
    // The reply to the client is the same whether or not this succeeds.
    if let Err(error) = write::<R>(app, actor, &failure).await {
        tracing::warn!(%error, "a failed sign-in has no audit entry");
    }
}

async fn write<R: Resource>(app: &App, actor: Actor, failure: &Failure) -> Result<()> {
    let edit = Edit::begin(app, actor, Condition::none()).await?;
    let change = Change::of_many::<R>("fail", &Nothing {}, failure, ());
    edit.commit(change).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_limited_by_the_minute_and_say_how_many_were_omitted() {
        let failures = Failures::default();
        let at = Timestamp::from_unix;
        for _ in 0..MOST_PER_MINUTE {
            assert_eq!(failures.admit(at(0)), Some(0));
        }
        assert_eq!(failures.admit(at(59)), None);
        assert_eq!(failures.admit(at(59)), None);
        assert_eq!(failures.admit(at(60)), Some(2));
        assert_eq!(failures.admit(at(61)), Some(0));
    }
}
