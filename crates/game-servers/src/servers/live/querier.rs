//! Queries game servers, at most one query per server at a time in this process.
//!
//! A caller that needs the status of a server that is being queried waits for that answer.
//! [`answers`](super::answers) stores the answers.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Semaphore, watch};

use super::answers::{Answer, AnswerQueue, store_answers};
use super::failure::Failure;
use super::{LiveStatus, Settings, games};
use crate::servers::{Server, State};
use kernel::metrics::MetricText;
use kernel::{Error, Result};

/// The address and the protocol to query a server with.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub server_id: i64,
    /// Increases whenever the endpoint changes, so that late answers are recognised.
    pub epoch: i64,
    pub address: SocketAddr,
    pub game: String,
}

impl Endpoint {
    pub fn new(server: &Server, epoch: i64) -> Option<Self> {
        let address: IpAddr = server.ip.as_str().parse().ok()?;
        let port = server.query_port.unwrap_or(server.port);
        Some(Self {
            server_id: server.id,
            epoch,
            address: SocketAddr::new(address.to_canonical(), u16::try_from(port).ok()?),
            game: server.game.as_str().to_owned(),
        })
    }
}

/// The running queries, and the answers waiting to be stored.
pub struct Querier {
    settings: Settings,
    /// One permit per concurrent query.
    permits: Semaphore,
    /// Running queries, by server id.
    running: Mutex<HashMap<i64, RunningQuery>>,
    pub(super) answers: AnswerQueue,
    /// The status of each server in `/metrics`.
    pub(super) gauges: Mutex<Arc<MetricText>>,
    /// When the schedule was last checked, in milliseconds since 1970.
    last_check: AtomicI64,
}

/// A query whose answer is not stored yet.
#[derive(Clone)]
struct RunningQuery {
    epoch: i64,
    progress: watch::Receiver<Progress>,
}

#[derive(Clone, Debug)]
pub(super) enum Progress {
    Running,
    Stored(Arc<LiveStatus>),
    /// The server was changed after the query began.
    Outdated,
    NotStored,
}

/// The cause of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    /// The server is due. It has not answered its last `failures` queries.
    Schedule { failures: i64 },
    /// A client requested the status.
    Request,
}

impl Querier {
    pub fn new(settings: Settings) -> Self {
        Self {
            permits: Semaphore::new(settings.concurrency),
            settings,
            running: Mutex::default(),
            answers: AnswerQueue::default(),
            gauges: Mutex::default(),
            last_check: AtomicI64::new(0),
        }
    }

    /// Whether the clock was set back since the last check of the schedule. Servers would then not
    /// be queried until the times that were scheduled before.
    pub(super) fn is_clock_set_back(&self, now: i64) -> bool {
        self.last_check.swap(now, Ordering::Relaxed) > now
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The last metrics that were read; empty until then.
    pub fn gauges(&self) -> Arc<MetricText> {
        self.gauges.lock().clone()
    }

    fn running(&self) -> MutexGuard<'_, HashMap<i64, RunningQuery>> {
        self.running.lock()
    }

    /// Removes the query of this answer, so that the next caller starts a new one.
    pub(super) fn finish(&self, answer: &Answer) {
        let ours = answer.progress.subscribe();
        let mut running = self.running();
        let query = running.get(&answer.server_id);
        if query.is_some_and(|query| query.progress.same_channel(&ours)) {
            running.remove(&answer.server_id);
        }
    }
}

/// Queries a server for a client, or joins the running query. `None` if the server was changed in
/// the meantime.
pub(super) async fn query_for_request(
    state: &State,
    endpoint: Endpoint,
) -> Result<Option<LiveStatus>> {
    let mut query = {
        let mut running = state.live.running();
        match find_running(&running, &endpoint) {
            Some(query) => query,
            None => start(state, &mut running, endpoint, Trigger::Request),
        }
    };
    match query.wait().await {
        Progress::Stored(status) => Ok(Some(LiveStatus::clone(&status))),
        Progress::Outdated => Ok(None),
        Progress::Running | Progress::NotStored => Err(Error::Unavailable),
    }
}

/// Queries a server that is due. Waits for a running query first: a client started it, so it
/// neither adds a sample nor schedules the next query.
pub(super) async fn query_on_schedule(state: &State, endpoint: Endpoint, failures: i64) {
    loop {
        let (mut query, is_ours) = {
            let mut running = state.live.running();
            match find_running(&running, &endpoint) {
                Some(query) => (query, false),
                None => {
                    let trigger = Trigger::Schedule { failures };
                    let query = start(state, &mut running, endpoint.clone(), trigger);
                    (query, true)
                }
            }
        };
        query.wait().await;
        if is_ours {
            return;
        }
    }
}

fn find_running(running: &HashMap<i64, RunningQuery>, endpoint: &Endpoint) -> Option<RunningQuery> {
    let query = running.get(&endpoint.server_id);
    query
        .filter(|query| query.epoch == endpoint.epoch && query.is_running())
        .cloned()
}

impl RunningQuery {
    fn is_running(&self) -> bool {
        self.progress.has_changed().is_ok() && matches!(*self.progress.borrow(), Progress::Running)
    }

    async fn wait(&mut self) -> Progress {
        let progress = self
            .progress
            .wait_for(|progress| !matches!(progress, Progress::Running))
            .await;
        progress.map_or(Progress::NotStored, |progress| progress.clone())
    }
}

/// Starts a query in a separate task, which finishes even if every caller stops waiting.
fn start(
    state: &State,
    running: &mut HashMap<i64, RunningQuery>,
    endpoint: Endpoint,
    trigger: Trigger,
) -> RunningQuery {
    let (sender, receiver) = watch::channel(Progress::Running);
    let query = RunningQuery {
        epoch: endpoint.epoch,
        progress: receiver,
    };
    running.insert(endpoint.server_id, query.clone());
    tokio::spawn(query_and_store(state.clone(), endpoint, trigger, sender));
    query
}

async fn query_and_store(
    state: State,
    endpoint: Endpoint,
    trigger: Trigger,
    progress: watch::Sender<Progress>,
) {
    let (server_id, epoch) = (endpoint.server_id, endpoint.epoch);
    let outcome = query_server(&state, endpoint).await;
    let answer = Answer {
        server_id,
        epoch,
        status: live_status(&state, outcome),
        trigger,
        progress,
    };
    store_answers(&state, answer).await;
}

/// The report of a server and its latency.
type Reported = (game_query::Report, Option<Duration>);

async fn query_server(state: &State, endpoint: Endpoint) -> Result<Reported, Failure> {
    let settings = &state.live.settings;
    if !settings.networks.allow(endpoint.address.ip()) {
        return Err(Failure::Forbidden);
    }
    let Ok(_permit) = state.live.permits.acquire().await else {
        return Err(Failure::Disabled);
    };
    let protocol = games::protocol_of(&endpoint.game);
    let started = tokio::time::Instant::now();
    // A separate task: a packet that makes the parser panic must only fail this query.
    let task = tokio::spawn(game_query::query(
        protocol,
        endpoint.address,
        settings.timeout,
    ));
    let outcome = task.await;
    let seconds = state
        .kernel
        .core
        .metrics
        .histogram("steward_server_query_seconds");
    seconds.record(started.elapsed().as_secs_f64());
    let outcome = outcome.map_err(|_| Failure::Query(game_query::Failure::Protocol))?;
    let report = outcome.answer.map_err(Failure::Query)?;
    Ok((report, outcome.latency))
}

fn live_status(state: &State, outcome: Result<Reported, Failure>) -> LiveStatus {
    let error = outcome.as_ref().err().map(|failure| failure.as_str());
    let labels = [("outcome", error.unwrap_or("answered"))];
    let queries = state
        .kernel
        .core
        .metrics
        .counter("steward_server_queries_total", &labels);
    queries.increment(1);
    let (report, latency) = outcome.unwrap_or_default();
    LiveStatus {
        reachable: error.is_none(),
        checked_at: Some(state.kernel.core.clock.now()),
        latency_ms: latency.map(|latency| latency.as_millis() as i64),
        players_online: report.players_online,
        max_players: report.max_players,
        map: report.map,
        name: report.name,
        version: report.version,
        players: report.players,
        error,
    }
}
