//! Queries game servers, at most one query per server at a time in this process.
//!
//! A caller that needs the status of a server which is being queried already waits for that
//! answer. [`answers`](super::answers) stores what the servers answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use metrics::{counter, histogram};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Semaphore, watch};

use super::answers::{Answer, AnswerQueue, store_answers};
use super::failure::Failure;
use super::{Endpoint, LiveStatus, Settings, games};
use crate::app::App;
use kernel::metrics::MetricText;
use kernel::{Error, Result};

/// The queries that run, and the answers that wait to be stored.
pub struct Querier {
    settings: Settings,
    /// One permit for each query that may run at the same time.
    permits: Semaphore,
    /// By the id of the server.
    running: Mutex<HashMap<i64, RunningQuery>>,
    pub(super) answers: AnswerQueue,
    /// The status of each server, as `/metrics` shows it.
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

/// Why a server is queried.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    /// The server is due. It has not answered its last `failures` queries.
    Schedule { failures: i64 },
    /// A client wants to know now.
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

    /// Whether the clock is earlier than at the last check of the schedule. Servers would rest until
    /// the clock gets to the times that were scheduled before.
    pub(super) fn is_clock_set_back(&self, now: i64) -> bool {
        self.last_check.swap(now, Ordering::Relaxed) > now
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// As they were read last; empty until then.
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

/// Queries a server for a client, or joins the query that is running. `None` where the server
/// was changed in the meantime.
pub(super) async fn query_for_request(app: &App, endpoint: Endpoint) -> Result<Option<LiveStatus>> {
    let mut query = {
        let mut running = app.live.running();
        match find_running(&running, &endpoint) {
            Some(query) => query,
            None => start(app, &mut running, endpoint, Trigger::Request),
        }
    };
    match query.wait().await {
        Progress::Stored(status) => Ok(Some(LiveStatus::clone(&status))),
        Progress::Outdated => Ok(None),
        Progress::Running | Progress::NotStored => Err(Error::Unavailable),
    }
}

/// Queries a server that is due. A query that is running already is awaited first: a client
/// started it, so it neither adds a sample nor schedules the next query.
pub(super) async fn query_on_schedule(app: &App, endpoint: Endpoint, failures: i64) {
    loop {
        let (mut query, is_ours) = {
            let mut running = app.live.running();
            match find_running(&running, &endpoint) {
                Some(query) => (query, false),
                None => {
                    let trigger = Trigger::Schedule { failures };
                    let query = start(app, &mut running, endpoint.clone(), trigger);
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

/// Starts a query in a task of its own, which finishes even if every caller stops waiting.
fn start(
    app: &App,
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
    tokio::spawn(query_and_store(app.clone(), endpoint, trigger, sender));
    query
}

async fn query_and_store(
    app: App,
    endpoint: Endpoint,
    trigger: Trigger,
    progress: watch::Sender<Progress>,
) {
    let (server_id, epoch) = (endpoint.server_id, endpoint.epoch);
    let outcome = query_server(&app, endpoint).await;
    let answer = Answer {
        server_id,
        epoch,
        status: live_status(&app, outcome),
        trigger,
        progress,
    };
    store_answers(&app, answer).await;
}

/// The report of a server and its latency.
type Reported = (game_query::Report, Option<Duration>);

async fn query_server(app: &App, endpoint: Endpoint) -> Result<Reported, Failure> {
    let settings = &app.live.settings;
    if !settings.networks.allow(endpoint.address.ip()) {
        return Err(Failure::Forbidden);
    }
    let Ok(_permit) = app.live.permits.acquire().await else {
        return Err(Failure::Disabled);
    };
    let protocol = games::protocol_of(&endpoint.game);
    let started = tokio::time::Instant::now();
    // In a task of its own: a packet from a foreign server that makes the parser panic must only
    // fail this query.
    let task = tokio::spawn(game_query::query(
        protocol,
        endpoint.address,
        settings.timeout,
    ));
    let outcome = task.await;
    histogram!("steward_server_query_seconds").record(started.elapsed().as_secs_f64());
    let outcome = outcome.map_err(|_| Failure::Query(game_query::Failure::Protocol))?;
    let report = outcome.answer.map_err(Failure::Query)?;
    Ok((report, outcome.latency))
}

fn live_status(app: &App, outcome: Result<Reported, Failure>) -> LiveStatus {
    let error = outcome.as_ref().err().map(|failure| failure.as_str());
    counter!("steward_server_queries_total", "outcome" => error.unwrap_or("answered")).increment(1);
    let (report, latency) = outcome.unwrap_or_default();
    LiveStatus {
        reachable: error.is_none(),
        checked_at: Some(app.clock.now()),
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
