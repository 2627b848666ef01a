//! Background jobs: removing expired data, marking overdue invoices as failed, writing the last
//! uses of API keys.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::app::App;
use crate::servers::history;
use crate::webhooks::deliveries;
use crate::{audit, console, invoices, servers, sessions, users};
use kernel::auth::write_uses;
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR};
use kernel::write::idempotency;
use kernel::{Error, Result};

/// How often the jobs run.
const ROUND: Duration = Duration::from_secs(10 * 60);
/// How often the last uses of keys are written. A killed process loses those since the last round.
const USES_ROUND: Duration = Duration::from_secs(10);

/// The operator's settings for the background jobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// How long audit entries are kept; `None` is for ever.
    pub audit_days: Option<u32>,
    /// After how many hours an unpaid invoice fails; `None` is never.
    pub fail_unpaid_hours: Option<u32>,
    /// How long the player counts of game servers are kept.
    pub history: history::Retention,
    /// How long the finished deliveries of webhooks are kept.
    pub deliveries: deliveries::Retention,
}

/// Writes the last uses of keys and sessions every few seconds, until it is dropped.
pub fn keep_writing_uses(app: App) -> BoxFuture<'static, ()> {
    Box::pin(keep_writing_uses_until_dropped(app))
}

async fn keep_writing_uses_until_dropped(app: App) {
    let mut rounds = tokio::time::interval(USES_ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = write_uses(&app, &app.keys).await {
            tracing::warn!(%error, "the last uses of keys were not written; retrying later");
        }
        if let Err(error) = sessions::write_uses(&app).await {
            tracing::warn!(%error, "the last uses of sessions were not written; retrying later");
        }
    }
}

/// Runs all jobs every few minutes, until it is dropped.
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

/// Runs every job once. Several instances may do this at the same time. Nothing runs while the clock
/// is far ahead of the latest time seen, since most jobs delete what is old.
pub async fn once(app: &App, rules: Rules) -> Result<(), FailedJobs> {
    match app.observe_clock().await {
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

/// A job, which has not started yet.
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
    let seconds_ago = |seconds: i64| Timestamp::from_unix(app.retention_now().unix() - seconds);
    let mut jobs = vec![
        Job::new("idempotency_keys", idempotency::forget_expired(app)),
        Job::new("sessions", sessions::forget_expired(app)),
        Job::new("console_sessions", console::forget_expired(app)),
        Job::new("user_blocks", users::clear_expired_blocks(app)),
        Job::new("user_erasures", users::mask_audit_log(app)),
        Job::new("server_history", history::compact(app, rules.history)),
        Job::new(
            "webhook_deliveries",
            deliveries::forget_old(app, rules.deliveries),
        ),
        // An instance of an earlier version may still run and seal passwords without their server.
        Job::new("rcon_passwords", servers::bind_to_rows(app)),
    ];
    if let Some(days) = rules.audit_days {
        let before = seconds_ago(i64::from(days) * DAY);
        jobs.push(Job::new("audit_log", audit::forget_before(app, before)));
    }
    if let Some(hours) = rules.fail_unpaid_hours {
        let before = seconds_ago(i64::from(hours) * HOUR);
        let fail = invoices::fail_unpaid_since(app, before);
        jobs.push(Job::new("unpaid_invoices", fail));
    }
    jobs
}

/// Runs the jobs one after the other. A failed job does not stop the next ones.
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
