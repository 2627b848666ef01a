//! Work that nobody asks for: removing what is out of date, and ending what is overdue.

use std::time::Duration;

use crate::app::App;
use crate::servers::history;
use crate::{audit, invoices, sessions, users};
use kernel::Result;
use kernel::auth::write_uses;
use kernel::types::Timestamp;
use kernel::write::idempotency;

const ROUND: Duration = Duration::from_secs(10 * 60);
/// How often last uses of keys are written; a killed process loses those since then.
const USES_ROUND: Duration = Duration::from_secs(10);
const HOUR: i64 = 60 * 60;

/// What the operator wants done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// How long audit entries are kept; `None` is for ever.
    pub audit_days: Option<u32>,
    /// After how long an unpaid invoice has failed; `None` is never.
    pub fail_unpaid_hours: Option<u32>,
    /// How long it is known what game servers said.
    pub history: history::Keep,
}

/// Writes the last uses of keys every few seconds, until it is dropped.
pub async fn keep_writing_uses(app: App) {
    let mut rounds = tokio::time::interval(USES_ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = write_uses(&app, &app.keys).await {
            tracing::warn!(%error, "the last uses of keys were not written; retrying later");
        }
    }
}

/// Goes on until it is dropped.
pub async fn run(app: App, rules: Rules) {
    let mut rounds = tokio::time::interval(ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = once(&app, rules).await {
            tracing::warn!(%error, "upkeep failed; it is tried again later");
        }
    }
}

/// One round. Rounds of several instances do not get in each other's way.
pub async fn once(app: &App, rules: Rules) -> Result<()> {
    idempotency::forget_expired(app).await?;
    sessions::forget_expired(app).await?;
    users::clear_expired_blocks(app).await?;
    if let Some(days) = rules.audit_days {
        audit::forget_before(app, hours_ago(app, i64::from(days) * 24)).await?;
    }
    if let Some(hours) = rules.fail_unpaid_hours {
        invoices::fail_unpaid_since(app, hours_ago(app, hours.into())).await?;
    }
    history::thin(app, rules.history).await?;
    Ok(())
}

fn hours_ago(app: &App, hours: i64) -> Timestamp {
    Timestamp::from_unix(app.clock.now().unix() - hours * HOUR)
}
