//! Who is asked next.
//!
//! The schedule is in the database. An instance takes servers that are due and holds them for a
//! while; if it dies, the others find them due again.

use std::collections::HashMap;
use std::time::Duration;

use metrics::gauge;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Subject, now, querier, store};
use crate::app::App;
use crate::servers;
use kernel::Result;

/// How long a server is held beyond the time that asking it may take.
const LEASE: Duration = Duration::from_secs(20);
/// How often it is looked whether somebody is due.
const LOOK: Duration = Duration::from_secs(1);
/// How often the gauges are set that cost a statement.
const COUNT: Duration = Duration::from_secs(10);

/// A server that this instance, and no other, is to ask.
pub struct Claim {
    pub server_id: i64,
    pub epoch: i64,
    pub due_at: i64,
    pub failures: i64,
}

/// Goes on until it is dropped.
pub async fn run(app: App) {
    if !app.live.settings().enabled {
        return;
    }
    if let Err(error) = pull_in(&app).await {
        tracing::warn!(%error, "the schedule of game servers could not be checked");
    }
    let look = LOOK.min(app.live.settings().interval / 4);
    let mut poller = Poller::new(app);
    let mut counted: Option<Instant> = None;
    loop {
        if let Err(error) = poller.take_all().await {
            tracing::warn!(%error, "game servers could not be asked; it is tried again");
        }
        if counted.is_none_or(|counted| counted.elapsed() >= COUNT) {
            counted = Some(Instant::now());
            if let Err(error) = poller.count().await {
                tracing::warn!(%error, "game servers could not be counted; it is tried again");
            }
        }
        tokio::time::sleep(look).await;
    }
}

/// Brings forward what was put off further than it would be now: the interval was longer, or some
/// clock was wrong.
async fn pull_in(app: &App) -> Result<()> {
    let now = now(app);
    let furthest = querier::longest_wait(app).saturating_add(now);
    let held = app.live.settings().timeout + LEASE;
    let mut tx = app.db.begin().await?;
    store::pull_in(&mut tx, now, furthest, now + held.as_millis() as i64).await?;
    Ok(tx.commit().await?)
}

/// Asks everybody who is due, and returns when their answers are stored.
pub async fn once(app: &App) -> Result<()> {
    let mut poller = Poller::new(app.clone());
    poller.take_all().await?;
    while poller.asking.join_next().await.is_some() {}
    Ok(())
}

struct Poller {
    app: App,
    asking: JoinSet<()>,
}

impl Poller {
    fn new(app: App) -> Self {
        Self {
            app,
            asking: JoinSet::new(),
        }
    }

    /// Takes everybody who is due, as fast as there is room to ask them.
    async fn take_all(&mut self) -> Result<()> {
        let at_once = self.app.live.settings().concurrency;
        loop {
            while self.asking.try_join_next().is_some() {}
            // One claim for many: not for each place that gets free.
            while at_once - self.asking.len() < at_once.div_ceil(4) {
                self.asking.join_next().await;
            }
            let room = at_once - self.asking.len();
            if self.take(room).await? < room {
                return Ok(());
            }
        }
    }

    /// Takes as many as there are, or as there is `room` for; says how many.
    async fn take(&mut self, room: usize) -> Result<usize> {
        let now = now(&self.app);
        if !store::some_are_due(&mut *self.app.db.read_alone().await?, now).await? {
            lag(0);
            return Ok(0);
        }
        let held = self.app.live.settings().timeout + LEASE;
        let mut tx = self.app.db.begin().await?;
        let until = now.saturating_add(held.as_millis() as i64);
        let claims = store::claim(&mut tx, now, until, room as i64).await?;
        let ids: Vec<i64> = claims.iter().map(|claim| claim.server_id).collect();
        let servers = servers::by_ids(&mut tx, &ids).await?;
        tx.commit().await?;

        // Who was never asked yet is not late.
        let asked = claims.iter().filter(|claim| claim.due_at > 0);
        lag(asked.map(|claim| now - claim.due_at).max().unwrap_or(0));
        let servers: HashMap<i64, _> = servers
            .into_iter()
            .map(|server| (server.id, server))
            .collect();
        for claim in &claims {
            let server = servers.get(&claim.server_id);
            let Some(subject) = server.and_then(|server| Subject::new(server, claim.epoch)) else {
                continue;
            };
            let (app, failures) = (self.app.clone(), claim.failures);
            self.asking
                .spawn(async move { querier::ask_regularly(&app, subject, failures).await });
        }
        Ok(claims.len())
    }

    async fn count(&self) -> Result<()> {
        let (watched, reachable) = store::count(&mut *self.app.db.read_alone().await?).await?;
        gauge!("steward_servers_watched").set(watched as f64);
        gauge!("steward_servers_reachable").set(reachable as f64);
        Ok(())
    }
}

fn lag(milliseconds: i64) {
    gauge!("steward_server_query_lag_seconds").set(milliseconds as f64 / 1000.0);
}
