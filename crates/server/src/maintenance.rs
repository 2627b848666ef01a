//! Background jobs: removing expired data, ending roles, marking overdue invoices as failed, writing
//! the last uses of API keys.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::app::App;
use accounts::{console, sessions, sign_in, users};
use game_servers::servers::history;
use kernel::auth::write_uses;
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR};
use kernel::write::idempotency;
use kernel::{Error, Result};
use payments::invoices;
use platform::audit;
use platform::webhooks::deliveries;

/// How often the jobs run.
const ROUND: Duration = Duration::from_secs(10 * 60);
/// How often the last uses of keys are written. A killed process loses the uses since then.
const USES_ROUND: Duration = Duration::from_secs(10);

/// How often expired roles are ended. Their events follow within 5 seconds.
pub const ROLES_ROUND: Duration = Duration::from_secs(2);

/// The operator's settings for the background jobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// How long audit entries are kept; `None` is forever.
    pub audit_days: Option<u32>,
    /// After how many hours an unpaid invoice fails; `None` is never.
    pub fail_unpaid_hours: Option<u32>,
    /// How long the player counts of game servers are kept.
    pub history: history::Retention,
    /// How long the finished deliveries of webhooks are kept.
    pub deliveries: deliveries::Retention,
}

/// Writes the last uses of keys and sessions every few seconds, until the future is dropped.
pub fn keep_writing_uses(app: App) -> BoxFuture<'static, ()> {
    Box::pin(keep_writing_uses_until_dropped(app))
}

async fn keep_writing_uses_until_dropped(app: App) {
    let mut rounds = tokio::time::interval(USES_ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = write_uses(&app.kernel.core, &app.kernel.keys).await {
            tracing::warn!(%error, "the last uses of keys were not written; retrying later");
        }
        if let Err(error) = sessions::write_uses(&app.sessions).await {
            tracing::warn!(%error, "the last uses of sessions were not written; retrying later");
        }
    }
}

/// Ends expired roles every few seconds, until the future is dropped.
pub fn keep_ending_roles(app: App) -> BoxFuture<'static, ()> {
    Box::pin(keep_ending_roles_until_dropped(app))
}

async fn keep_ending_roles_until_dropped(app: App) {
    let mut rounds = tokio::time::interval(ROLES_ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = users::end_expired_roles(&app.kernel.core).await {
            tracing::warn!(%error, "expired roles were not ended; retrying later");
        }
    }
}

/// Runs all jobs every few minutes, until the future is dropped.
pub fn run(app: App, rules: Rules) -> BoxFuture<'static, ()> {
    Box::pin(run_until_dropped(app, rules))
}

async fn run_until_dropped(app: App, rules: Rules) {
    let mut rounds = tokio::time::interval(ROUND);
    loop {
        rounds.tick().await;
        let Err(FailedJobs(failed)) = once(&app, rules).await else {
            continue;
        };
        for (job, error) in failed {
            tracing::warn!(job, %error, "a background job failed; retrying in the next round");
        }
    }
}

/// Runs every job once. Several instances may do this at the same time. Nothing runs while the
/// clock is far ahead of the latest time seen, since most jobs delete old data.
pub async fn once(app: &App, rules: Rules) -> Result<(), FailedJobs> {
    match app.kernel.core.observe_clock().await {
        Ok(true) => run_all(jobs(app, rules)).await,
        Ok(false) => {
            tracing::warn!(
                "the clock is more than a day ahead of the latest time seen; nothing is deleted \
                 until it has stayed there for an hour"
            );
            Ok(())
        }
        Err(error) => Err(FailedJobs(vec![("clock", error)])),
    }
}

/// The errors of one round, each with the name of its job.
#[derive(Debug)]
pub struct FailedJobs(pub Vec<(&'static str, Error)>);

impl fmt::Display for FailedJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (job, error)) in self.0.iter().enumerate() {
            let separator = if i > 0 { "; " } else { "" };
            write!(f, "{separator}{job}: {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FailedJobs {}

/// A job that has not started yet.
struct Job<'a> {
    name: &'static str,
    work: Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>,
}

impl<'a> Job<'a> {
    fn new(name: &'static str, work: impl Future<Output = Result<()>> + Send + 'a) -> Self {
        Self {
            name,
            work: Box::pin(work),
        }
    }
}

fn jobs(app: &App, rules: Rules) -> Vec<Job<'_>> {
    let core = &app.kernel.core;
    let seconds_ago = |seconds: i64| Timestamp::from_unix(core.retention_now().unix() - seconds);
    let mut jobs = vec![
        Job::new("idempotency_keys", idempotency::forget_expired(core)),
        Job::new("sessions", sessions::forget_expired(&app.sessions)),
        Job::new("sign_ins", sign_in::forget_expired(core)),
        Job::new("console_sessions", console::forget_expired(core)),
        Job::new("user_blocks", users::clear_expired_blocks(core)),
        Job::new("user_erasures", users::mask_audit_log(&app.events)),
        Job::new("server_history", history::compact(core, rules.history)),
        Job::new(
            "webhook_deliveries",
            deliveries::forget_old(core, rules.deliveries),
        ),
    ];
    if let Some(days) = rules.audit_days {
        let before = seconds_ago(i64::from(days) * DAY);
        jobs.push(Job::new("audit_log", audit::forget_before(core, before)));
    }
    if let Some(hours) = rules.fail_unpaid_hours {
        let before = seconds_ago(i64::from(hours) * HOUR);
        let fail = invoices::fail_unpaid_since(core, before);
        jobs.push(Job::new("unpaid_invoices", fail));
    }
    jobs
}

/// Runs the jobs one after the other. A failed job does not stop the others.
async fn run_all(jobs: Vec<Job<'_>>) -> Result<(), FailedJobs> {
    let mut failed = Vec::new();
    for Job { name, work } in jobs {
        if let Err(error) = work.await {
            failed.push((name, error));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(FailedJobs(failed)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn every_job_runs_and_every_error_has_the_name_of_its_job() {
        let runs = AtomicU32::new(0);
        let work = async |result| {
            runs.fetch_add(1, Ordering::Relaxed);
            result
        };
        let outcome = run_all(vec![
            Job::new("first", work(Err(Error::Busy))),
            Job::new("second", work(Ok(()))),
            Job::new("third", work(Err(Error::Unavailable))),
            Job::new("fourth", work(Ok(()))),
        ])
        .await;
        let FailedJobs(failed) = outcome.expect_err("two jobs fail");
        let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["first", "third"]);
        assert_eq!(runs.into_inner(), 4);
    }
}
