//! Work that nobody asks for: removing what is out of date.

use std::time::Duration;

use crate::app::App;
use crate::timestamp::Timestamp;
use crate::{Result, audit, idempotency};

const ROUND: Duration = Duration::from_secs(10 * 60);

/// Goes on until it is dropped. `audit_days` says how long audit entries are kept; `None` is for
/// ever.
pub async fn run(app: App, audit_days: Option<u32>) {
    let mut rounds = tokio::time::interval(ROUND);
    loop {
        rounds.tick().await;
        if let Err(error) = once(&app, audit_days).await {
            tracing::warn!(%error, "upkeep failed; it is tried again later");
        }
    }
}

/// One round. Rounds of several instances do not get in each other's way.
pub async fn once(app: &App, audit_days: Option<u32>) -> Result<()> {
    idempotency::forget_expired(app).await?;
    if let Some(days) = audit_days {
        let kept = i64::from(days) * 24 * 60 * 60;
        let oldest = Timestamp::from_unix(app.clock.now().unix() - kept);
        audit::forget_before(app, oldest).await?;
    }
    Ok(())
}
