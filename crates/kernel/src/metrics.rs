//! The figures of `/metrics`.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use metrics::{
    Counter, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::VERSION;

/// From a tenth of a millisecond to the longest a request may take.
const SECONDS: [f64; 14] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0,
];
const SIZES: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0];

/// How often single times are sorted into their buckets; until then each is kept.
const SORTING: Duration = Duration::from_secs(1);

/// Collected for the whole process.
#[derive(Clone)]
pub struct Metrics {
    prometheus: PrometheusHandle,
    requests: Arc<Requests>,
}

impl Metrics {
    /// Starts collecting, once; must come before the database is opened for its figures to count.
    pub fn install() -> Self {
        static FIGURES: OnceLock<Metrics> = OnceLock::new();
        let start = || Self {
            prometheus: start(),
            requests: Arc::default(),
        };
        FIGURES.get_or_init(start).clone()
    }

    pub fn render(&self) -> String {
        self.prometheus.run_upkeep();
        self.prometheus.render()
    }

    /// Keeps what is collected from growing while nobody asks for it. Goes on until it is dropped.
    pub async fn keep_small(self) {
        let mut rounds = tokio::time::interval(SORTING);
        loop {
            rounds.tick().await;
            self.prometheus.run_upkeep();
        }
    }

    /// Notes a request that was answered.
    pub fn record_request(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        self.requests.note(method, route, status, took);
    }
}

/// The figures of requests by route. They are looked up once, because a look-up by labels costs
/// more than many a request.
#[derive(Default)]
struct Requests(RwLock<HashMap<String, Vec<Answers>>>);

/// Requests that were answered alike.
struct Answers {
    method: &'static str,
    status: u16,
    count: Counter,
    seconds: Histogram,
}

impl Requests {
    fn note(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let is_same = |known: &&Answers| known.method == method && known.status == status;
        let routes = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = routes.get(route).and_then(|all| all.iter().find(is_same)) {
            return known.note(took);
        }
        drop(routes);
        let mut routes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = routes.entry(route.to_owned()).or_default();
        // Somebody else may have been faster.
        let at = known.iter().position(|known| is_same(&known));
        let at = at.unwrap_or_else(|| {
            known.push(Answers::new(method, route, status));
            known.len() - 1
        });
        known[at].note(took);
    }
}

impl Answers {
    fn new(method: &'static str, route: &str, status: u16) -> Self {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.to_string()),
        ];
        Self {
            method,
            status,
            count: counter!("steward_http_requests_total", &labels),
            seconds: histogram!("steward_http_request_seconds", &labels[..2]),
        }
    }

    fn note(&self, took: Duration) {
        self.count.increment(1);
        self.seconds.record(took);
    }
}

fn start() -> PrometheusHandle {
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)
        .and_then(|builder| {
            builder.set_buckets_for_metric(Matcher::Full("steward_db_group_size".into()), &SIZES)
        })
        .expect("the buckets are not empty")
        .build_recorder();
    let handle = recorder.handle();
    // Fails only where something else collects already, as in a program that embeds this one.
    let _ = metrics::set_global_recorder(recorder);
    describe();
    gauge!("steward_build_info", "version" => VERSION).set(1.0);
    handle
}

fn describe() {
    describe_gauge!(
        "steward_build_info",
        "Always 1; the label says the version."
    );
    describe_counter!(
        "steward_http_requests_total",
        "Requests answered, by method, route and status."
    );
    describe_histogram!(
        "steward_http_request_seconds",
        Unit::Seconds,
        "Time from the head of a request to its response, by method and route."
    );
    describe_histogram!(
        "steward_db_seconds",
        Unit::Seconds,
        "Time of a statement or a commit, by operation."
    );
    describe_histogram!(
        "steward_db_group_size",
        "Writes made durable by one commit (SQLite)."
    );
    describe_counter!(
        "steward_logins_total",
        "Attempts to sign in, by outcome: success, invalid, blocked or throttled."
    );
    describe_counter!(
        "steward_passwords_total",
        "Passwords that were hashed, to store them or to check them."
    );
    describe_counter!(
        "steward_server_queries_total",
        "Questions to game servers, by outcome."
    );
    describe_histogram!(
        "steward_server_query_seconds",
        Unit::Seconds,
        "Time that a game server was asked for."
    );
    describe_gauge!(
        "steward_server_query_lag_seconds",
        "How long the server that was taken last had been due."
    );
    describe_gauge!("steward_servers_watched", "Game servers that are asked.");
    describe_gauge!(
        "steward_servers_reachable",
        "Game servers that answered when they were last asked."
    );
    describe_gauge!(
        "steward_passwords_waiting",
        "Passwords that wait for their turn to be hashed."
    );
    describe_gauge!(
        "steward_db_waiting",
        "Waiting for their turn to write (SQLite) or for a connection (PostgreSQL)."
    );
    describe_gauge!(
        "steward_db_log_bytes",
        "Size of the write-ahead log (SQLite)."
    );
    describe_gauge!("steward_db_connections", "Open connections (PostgreSQL).");
    describe_gauge!(
        "steward_db_connections_idle",
        "Connections at rest (PostgreSQL)."
    );
}
