//! Registers and describes the metrics of `/metrics`.

mod text;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState as FastHash;
use metrics::{
    Counter, Gauge, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram, with_local_recorder,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};
use parking_lot::RwLock;

pub use self::text::{Kind, MetricText};

use crate::VERSION;
use crate::types::Clock;

/// Buckets from a tenth of a millisecond to the default time limit of a request.
const SECONDS_BUCKETS: [f64; 14] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0,
];
const GROUP_SIZE_BUCKETS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0];

/// How often recorded samples are aggregated into buckets. Until then each takes memory.
const AGGREGATION_INTERVAL: Duration = Duration::from_secs(1);

/// The metrics of one service. They are not those of the process, so that several services in one
/// process, such as those of tests, count apart. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
    requests: Arc<RequestMetrics>,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            recorder: Arc::new(new_recorder()),
            requests: Arc::default(),
        };
        metrics.register(|| {
            describe();
            begin_counters();
            gauge!("steward_build_info", "version" => VERSION).set(1.0);
            // The recorder is made when the process starts. The system knows the moment as well,
            // but the unit hides from the service what it would be computed from.
            gauge!("process_start_time_seconds").set(Clock::System.millis() as f64 / 1e3);
        });
        metrics
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// The recorder for a database that belongs to the same service.
    pub fn db_recorder(&self) -> db::Recorder {
        db::Recorder::new(Arc::clone(&self.recorder) as _)
    }

    /// Runs `register`, whose macros then use these metrics.
    pub fn register<T>(&self, register: impl FnOnce() -> T) -> T {
        with_local_recorder(&*self.recorder, register)
    }

    pub fn counter(&self, name: &'static str, labels: &[(&'static str, &str)]) -> Counter {
        self.register(|| counter!(name, &owned(labels)))
    }

    pub fn gauge(&self, name: &'static str) -> Gauge {
        self.register(|| gauge!(name))
    }

    pub fn labelled_gauge(&self, name: &'static str, labels: &[(&'static str, &str)]) -> Gauge {
        self.register(|| gauge!(name, &owned(labels)))
    }

    pub fn histogram(&self, name: &'static str) -> Histogram {
        self.register(|| histogram!(name))
    }

    pub fn render(&self) -> String {
        let handle = self.recorder.handle();
        handle.run_upkeep();
        handle.render()
    }

    /// Bounds the memory of recorded samples while `/metrics` is not read. Runs until dropped.
    pub async fn aggregate(self) {
        let mut interval = tokio::time::interval(AGGREGATION_INTERVAL);
        let handle = self.recorder.handle();
        loop {
            interval.tick().await;
            handle.run_upkeep();
        }
    }

    pub fn record_request(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        self.requests.record(self, method, route, status, took);
    }
}

fn owned(labels: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let owned = |(name, value): &(&'static str, &str)| (*name, (*value).to_owned());
    labels.iter().map(owned).collect()
}

/// Cached handles of the request metrics, by route. A look-up by labels can cost more than the
/// request itself.
#[derive(Default)]
struct RequestMetrics(RwLock<HashMap<String, Vec<Handles>, FastHash>>);

/// The metrics of one method and status of a route.
struct Handles {
    method: &'static str,
    status: u16,
    count: Counter,
    seconds: Histogram,
}

impl RequestMetrics {
    fn record(
        &self,
        metrics: &Metrics,
        method: &'static str,
        route: &str,
        status: u16,
        took: Duration,
    ) {
        let is_same = |cached: &&Handles| cached.method == method && cached.status == status;
        let routes = self.0.read();
        if let Some(cached) = routes.get(route).and_then(|all| all.iter().find(is_same)) {
            return cached.record(took);
        }
        drop(routes);
        let mut routes = self.0.write();
        let cached = routes.entry(route.to_owned()).or_default();
        // Another request may have added it since the read lock was dropped.
        let at = cached.iter().position(|handles| is_same(&handles));
        let at = at.unwrap_or_else(|| {
            let new = || Handles::new(method, route, status);
            cached.push(metrics.register(new));
            cached.len() - 1
        });
        cached[at].record(took);
    }
}

impl Handles {
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

    fn record(&self, took: Duration) {
        self.count.increment(1);
        self.seconds.record(took);
    }
}

fn new_recorder() -> PrometheusRecorder {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS_BUCKETS)
        .and_then(|builder| {
            builder.set_buckets_for_metric(
                Matcher::Full("steward_db_group_size".into()),
                &GROUP_SIZE_BUCKETS,
            )
        })
        .expect("the buckets are not empty")
        .build_recorder()
}

/// Counters by label and its values. All but those of requests, whose labels are too many.
const COUNTERS: [(&str, &str, &[&str]); 8] = [
    (
        "steward_connections_refused_total",
        "limit",
        &["connections", "connections_per_address"],
    ),
    ("steward_heads_refused_total", "status", &["400", "431"]),
    (
        "steward_wrong_keys_total",
        "outcome",
        &["refused", "throttled"],
    ),
    (
        "steward_ban_commands_total",
        "outcome",
        &["sent", "retried", "failed"],
    ),
    (
        "steward_discord_visits_total",
        "outcome",
        &[
            "done",
            "not_a_member",
            "refused",
            "limited",
            "unfinished",
            "failed",
        ],
    ),
    (
        "steward_logins_total",
        "outcome",
        &["success", "invalid", "blocked", "throttled"],
    ),
    (
        "steward_server_queries_total",
        "outcome",
        &["answered", "timeout", "refused", "protocol", "forbidden"],
    ),
    (
        "steward_webhook_attempts_total",
        "outcome",
        &["delivered", "failed"],
    ),
];

const COUNTERS_WITHOUT_LABEL: [&str; 3] = [
    "steward_backups_failed_total",
    "steward_login_failures_unaudited_total",
    "steward_passwords_total",
];

/// Exports counters as 0 from the start. To Prometheus, a counter that appears with a value has not
/// increased.
fn begin_counters() {
    for (name, label, values) in COUNTERS {
        for value in values {
            counter!(name, label => *value).absolute(0);
        }
    }
    for name in COUNTERS_WITHOUT_LABEL {
        counter!(name).absolute(0);
    }
}

fn describe() {
    describe_gauge!("steward_build_info", "Always 1; the label is the version.");
    describe_gauge!(
        "process_start_time_seconds",
        "When the process started, in Unix seconds."
    );
    describe_counter!(
        "steward_http_requests_total",
        "Responses sent, by method, route and status."
    );
    describe_histogram!(
        "steward_http_request_seconds",
        Unit::Seconds,
        "Time from the head of a request to its response, by method and route."
    );
    describe_gauge!("steward_connections", "Open connections of clients.");
    describe_gauge!(
        "steward_http2_requests",
        "Requests of HTTP/2 that are being answered."
    );
    describe_counter!(
        "steward_connections_refused_total",
        "Connections refused, by the limit that they exceeded."
    );
    describe_counter!(
        "steward_heads_refused_total",
        "Request heads that could not be read, by the status that was sent: 400 or 431."
    );
    describe_counter!(
        "steward_wrong_keys_total",
        "Requests with an API key that is not valid, by outcome: refused (401) or throttled (429)."
    );
    describe_histogram!(
        "steward_db_seconds",
        Unit::Seconds,
        "Duration of a statement or a commit, by operation."
    );
    describe_histogram!(
        "steward_db_group_size",
        "Writes in one group commit (SQLite)."
    );
    describe_counter!(
        "steward_logins_total",
        "Sign-in attempts, by outcome: success, invalid, blocked or throttled."
    );
    describe_counter!(
        "steward_login_failures_unaudited_total",
        "Failed sign-ins without an audit entry, because there were too many."
    );
    describe_counter!(
        "steward_passwords_total",
        "Passwords hashed, to store or to verify them."
    );
    describe_counter!(
        "steward_ban_commands_total",
        "Attempts to kick and mute players on game servers, by outcome: sent, retried or failed."
    );
    describe_counter!(
        "steward_discord_visits_total",
        "Visits to members at Discord, by outcome: done, not_a_member, refused, limited, \
         unfinished or failed."
    );
    describe_gauge!(
        "steward_grant_steps",
        "Steps of grants that are not finished, by state: pending, sending, failed or uncertain."
    );
    describe_gauge!(
        "steward_grant_oldest_pending_seconds",
        "Age of the oldest pending step of a grant; 0 if there is none."
    );
    describe_counter!(
        "steward_server_queries_total",
        "Queries to game servers, by outcome."
    );
    describe_histogram!(
        "steward_server_query_seconds",
        Unit::Seconds,
        "Duration of a query to a game server."
    );
    describe_gauge!(
        "steward_server_query_lag_seconds",
        "How long the most recently queried server had been due."
    );
    describe_gauge!(
        "steward_servers_watched",
        "Game servers that are queried regularly."
    );
    describe_gauge!(
        "steward_servers_reachable",
        "Game servers that answered the last query."
    );
    describe_gauge!(
        "steward_passwords_waiting",
        "Passwords waiting to be hashed."
    );
    describe_gauge!(
        "steward_db_waiting",
        "Writers waiting for their turn (SQLite), or requests waiting for a connection (PostgreSQL)."
    );
    describe_gauge!(
        "steward_db_log_bytes",
        "Size of the write-ahead log (SQLite)."
    );
    describe_gauge!(
        "steward_backup_age_seconds",
        Unit::Seconds,
        "Age of the newest whole backup in the folder of the service; infinite while there is none."
    );
    describe_counter!(
        "steward_backups_failed_total",
        "Backups of the service that failed."
    );
    describe_counter!(
        "steward_webhook_attempts_total",
        "Attempts to deliver an event to a webhook, by outcome: delivered or failed."
    );
    describe_histogram!(
        "steward_webhook_attempt_seconds",
        Unit::Seconds,
        "Duration of an attempt to deliver an event to a webhook."
    );
    describe_counter!(
        "steward_trace_spans_total",
        "Spans of requests, by outcome: sent, failed (not accepted by the collector) or full (dropped \
         because too many were waiting)."
    );
    describe_gauge!("steward_db_connections", "Open connections (PostgreSQL).");
    describe_gauge!(
        "steward_db_connections_idle",
        "Idle connections (PostgreSQL)."
    );
}
