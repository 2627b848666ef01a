//! Queries servers that are due, in the background.
//!
//! The schedule is in the database. An instance leases the servers that it queries; if it dies,
//! the leases expire and other instances take over.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::querier::{self, Endpoint};
use super::schedule::{self, now};
use super::{gauges, store};
use crate::servers;
use crate::servers::State;
use kernel::Result;

/// How much longer a lease lasts than a query may take.
const LEASE_MARGIN: Duration = Duration::from_secs(20);
/// How often the schedule is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often the gauges that need a statement are updated.
const GAUGE_INTERVAL: Duration = Duration::from_secs(10);

/// Queries due servers until the future is dropped.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(run_until_dropped(state))
}

async fn run_until_dropped(state: State) {
    if !state.live.settings().enabled {
        return;
    }
    if let Err(error) = shorten_delays(&state).await {
        tracing::warn!(%error, "the schedule of game servers could not be checked");
    }
    let check_interval = CHECK_INTERVAL.min(state.live.settings().interval / 4);
    let mut poller = Poller::new(state);
    let mut gauges_updated: Option<Instant> = None;
    loop {
        if let Err(error) = poller.query_due().await {
            tracing::warn!(%error, "game servers could not be queried; retrying");
        }
        if gauges_updated.is_none_or(|updated| updated.elapsed() >= GAUGE_INTERVAL) {
            gauges_updated = Some(Instant::now());
            if let Err(error) = gauges::update(&poller.state).await {
                tracing::warn!(%error, "game servers could not be counted; retrying");
            }
        }
        tokio::time::sleep(check_interval).await;
    }
}

/// Shortens delays and leases that are longer than now possible: the interval was longer before, or
/// a clock was wrong.
async fn shorten_delays(state: &State) -> Result<()> {
    let now = now(&state.kernel.core);
    let latest = schedule::longest_delay(state.live.settings()).saturating_add(now);
    let lease = state.live.settings().timeout + LEASE_MARGIN;
    let mut tx = state.kernel.core.db.begin().await?;
    store::shorten_delays(&mut tx, now, latest, now + lease.as_millis() as i64).await?;
    Ok(tx.commit().await?)
}

/// Queries every server that is due, and returns when the answers are stored.
pub async fn once(state: &State) -> Result<()> {
    let mut poller = Poller::new(state.clone());
    poller.query_due().await?;
    while poller.queries.join_next().await.is_some() {}
    Ok(())
}

struct Poller {
    state: State,
    queries: JoinSet<()>,
}

impl Poller {
    fn new(state: State) -> Self {
        Self {
            state,
            queries: JoinSet::new(),
        }
    }

    /// Starts queries of all due servers, as fast as the concurrency limit allows.
    async fn query_due(&mut self) -> Result<()> {
        if self
            .state
            .live
            .is_clock_set_back(now(&self.state.kernel.core))
        {
            shorten_delays(&self.state).await?;
        }
        let limit = self.state.live.settings().concurrency;
        loop {
            while self.queries.try_join_next().is_some() {}
            // Waits for a quarter of the limit, to claim many servers with one statement.
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
        let now = now(&self.state.kernel.core);
        if !store::has_due(&mut *self.state.kernel.core.db.read_alone().await?, now).await? {
            set_lag(&self.state, 0);
            return Ok(0);
        }
        let lease = self.state.live.settings().timeout + LEASE_MARGIN;
        let mut tx = self.state.kernel.core.db.begin().await?;
        let until = now.saturating_add(lease.as_millis() as i64);
        let claims = store::claim(&mut tx, now, until, limit as i64).await?;
        let ids: Vec<i64> = claims.iter().map(|claim| claim.server_id).collect();
        let servers = servers::by_ids(&mut tx, &ids).await?;
        tx.commit().await?;

        // A server that was never queried is not late.
        let late = claims.iter().filter(|claim| claim.due_at > 0);
        set_lag(
            &self.state,
            late.map(|claim| now - claim.due_at).max().unwrap_or(0),
        );
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
            let (state, failures) = (self.state.clone(), claim.failures);
            self.queries
                .spawn(async move { querier::query_on_schedule(&state, endpoint, failures).await });
        }
        Ok(claims.len())
    }
}

fn set_lag(state: &State, milliseconds: i64) {
    let lag = state
        .kernel
        .core
        .metrics
        .gauge("steward_server_query_lag_seconds");
    lag.set(milliseconds as f64 / 1000.0);
}
