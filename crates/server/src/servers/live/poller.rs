//! Queries servers that are due, in the background.
//!
//! The schedule is in the database. An instance leases the servers that it queries; if it dies,
//! the leases expire and other instances take over.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use metrics::gauge;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Endpoint, gauges, now, querier, schedule, store};
use crate::app::App;
use crate::servers;
use kernel::Result;

/// How much longer a lease is than the time that a query may take.
const LEASE_MARGIN: Duration = Duration::from_secs(20);
/// How often the schedule is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often the gauges are updated that need a statement.
const GAUGE_INTERVAL: Duration = Duration::from_secs(10);

/// A server that is leased to this instance.
pub struct Claim {
    pub server_id: i64,
    pub epoch: i64,
    pub due_at: i64,
    pub failures: i64,
}

/// Queries due servers until it is dropped.
pub fn run(app: App) -> BoxFuture<'static, ()> {
    Box::pin(run_until_dropped(app))
}

async fn run_until_dropped(app: App) {
    if !app.live.settings().enabled {
        return;
    }
    if let Err(error) = shorten_delays(&app).await {
        tracing::warn!(%error, "the schedule of game servers could not be checked");
    }
    let check_interval = CHECK_INTERVAL.min(app.live.settings().interval / 4);
    let mut poller = Poller::new(app);
    let mut gauges_updated: Option<Instant> = None;
    loop {
        if let Err(error) = poller.query_due().await {
            tracing::warn!(%error, "game servers could not be queried; retrying");
        }
        if gauges_updated.is_none_or(|updated| updated.elapsed() >= GAUGE_INTERVAL) {
            gauges_updated = Some(Instant::now());
            if let Err(error) = gauges::update(&poller.app).await {
                tracing::warn!(%error, "game servers could not be counted; retrying");
            }
        }
        tokio::time::sleep(check_interval).await;
    }
}

/// Shortens delays and leases that are longer than they could be now: the interval was longer
/// before, or a clock was wrong.
async fn shorten_delays(app: &App) -> Result<()> {
    let now = now(app);
    let latest = schedule::longest_delay(app.live.settings()).saturating_add(now);
    let lease = app.live.settings().timeout + LEASE_MARGIN;
    let mut tx = app.db.begin().await?;
    store::shorten_delays(&mut tx, now, latest, now + lease.as_millis() as i64).await?;
    Ok(tx.commit().await?)
}

/// Queries every server that is due, and returns when the answers are stored.
pub async fn once(app: &App) -> Result<()> {
    let mut poller = Poller::new(app.clone());
    poller.query_due().await?;
    while poller.queries.join_next().await.is_some() {}
    Ok(())
}

struct Poller {
    app: App,
    queries: JoinSet<()>,
}

impl Poller {
    fn new(app: App) -> Self {
        Self {
            app,
            queries: JoinSet::new(),
        }
    }

    /// Starts queries of all servers that are due, as fast as the concurrency limit allows.
    async fn query_due(&mut self) -> Result<()> {
        if self.app.live.is_clock_set_back(now(&self.app)) {
            shorten_delays(&self.app).await?;
        }
        let limit = self.app.live.settings().concurrency;
        loop {
            while self.queries.try_join_next().is_some() {}
            // Wait for a quarter of the limit, to claim many servers with one statement.
            while limit - self.queries.len() < limit.div_ceil(4) {
                self.queries.join_next().await;
            }
            let free = limit - self.queries.len();
            if self.claim(free).await? < free {
                return Ok(());
            }
        }
    }

    /// Claims at most `limit` due servers and starts their queries. Returns how many it claimed.
    async fn claim(&mut self, limit: usize) -> Result<usize> {
        let now = now(&self.app);
        if !store::has_due(&mut *self.app.db.read_alone().await?, now).await? {
            set_lag(0);
            return Ok(0);
        }
        let lease = self.app.live.settings().timeout + LEASE_MARGIN;
        let mut tx = self.app.db.begin().await?;
        let until = now.saturating_add(lease.as_millis() as i64);
        let claims = store::claim(&mut tx, now, until, limit as i64).await?;
        let ids: Vec<i64> = claims.iter().map(|claim| claim.server_id).collect();
        let servers = servers::by_ids(&mut tx, &ids).await?;
        tx.commit().await?;

        // A server that was never queried before is not late.
        let late = claims.iter().filter(|claim| claim.due_at > 0);
        set_lag(late.map(|claim| now - claim.due_at).max().unwrap_or(0));
        let servers: HashMap<i64, _> = servers
            .into_iter()
            .map(|server| (server.id, server))
            .collect();
        for claim in &claims {
            let server = servers.get(&claim.server_id);
            let endpoint = server.and_then(|server| Endpoint::new(server, claim.epoch));
            let Some(endpoint) = endpoint else {
                continue;
            };
            let (app, failures) = (self.app.clone(), claim.failures);
            self.queries
                .spawn(async move { querier::query_on_schedule(&app, endpoint, failures).await });
        }
        Ok(claims.len())
    }
}

fn set_lag(milliseconds: i64) {
    gauge!("steward_server_query_lag_seconds").set(milliseconds as f64 / 1000.0);
}
