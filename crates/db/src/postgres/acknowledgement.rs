//! Waits, after an announcement, until no instance uses the versions from before it.
//!
//! Each instance acknowledges announcements in the table `instances`; see [`super::changes`]. One
//! that does not is stalled, paused, cut off or gone, and its versions expire: it asked for them
//! before the announcement was committed, and they are valid for [`LEASE`] from then on. Only
//! monotonic durations count, never the time of a clock.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

use super::Postgres;
use crate::fair_slots::Use;
use crate::{Error, Result, Row, params};

/// How long versions are valid from the start of the query that read them.
pub(super) const LEASE: Duration = Duration::from_millis(900);

/// When a lease has certainly expired. The clocks of two machines may differ in speed.
pub(super) const LEASE_EXPIRY: Duration = Duration::from_millis(950);

/// The first pause between two looks at the acknowledgements; it doubles.
const PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(16);

/// Removes instances whose leases have expired because they did not acknowledge `$1`
/// announcements.
pub(super) const REMOVE: &str = "DELETE FROM instances WHERE seen < $1";

/// Returns when every instance has acknowledged all announcements committed so far, or cannot use
/// earlier versions any more. If the database gives no answer, the leases limit the wait.
pub(super) async fn wait_for_all(postgres: &Postgres) {
    let mut end = Instant::now() + LEASE_EXPIRY;
    let mut announced = None;
    let mut pause = PAUSE;
    loop {
        if let Ok(Ok(found)) = timeout_at(end, look(postgres, announced)).await {
            if found.behind == 0 {
                return;
            }
            announced.get_or_insert_with(|| {
                end = Instant::now() + LEASE_EXPIRY;
                found.announced
            });
        }
        if Instant::now() + pause >= end {
            break;
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
    sleep_until(end).await;
    let Some(announced) = announced else {
        return;
    };
    // Later announcements need not wait for them. If this fails, the next one does.
    let remove = async {
        let mut session = postgres.session(Use::Write).await?;
        session.execute(REMOVE, params![announced]).await
    };
    if let Ok(Ok(removed)) = timeout(LEASE, remove).await
        && removed > 0
    {
        tracing::info!(removed, "instances that no longer answer were removed");
    }
}

struct Found {
    /// The number of announcements of all topics.
    announced: i64,
    /// The number of instances that have not acknowledged the announcements.
    behind: i64,
}

/// `announced` is the number that must have been acknowledged; without it, all so far. A higher
/// acknowledgement than there are announcements is one from before a restore.
async fn look(postgres: &Postgres, announced: Option<i64>) -> Result<Found> {
    let mut session = postgres.shared_session().await?;
    let sql = "SELECT announced, (SELECT COUNT(*) FROM instances
                   WHERE seen NOT BETWEEN COALESCE($1, announced) AND announced)
               FROM (SELECT COALESCE(SUM(counter), 0)::BIGINT AS announced FROM changes) AS now";
    let rows = session.query(sql, params![announced]).await?;
    let row = Row::Postgres(rows.first().ok_or(Error::NoRow)?);
    Ok(Found {
        announced: row.get(0)?,
        behind: row.get(1)?,
    })
}
