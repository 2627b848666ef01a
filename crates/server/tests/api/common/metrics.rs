use std::collections::{BTreeMap, BTreeSet};

use kernel::types::Clock;
use reqwest::Method;
use serde_json::json;

use crate::support::{
    Client, RawConnection, SESSION, TestApp, console_sign_in, sign_in, unknown_key,
};

/// Samples by name and labels, as Prometheus reads them.
#[derive(Debug, Default)]
struct Samples(BTreeMap<String, f64>);

impl Samples {
    async fn read(caller: &Client) -> Self {
        let answer = caller.get("/metrics").await;
        assert_eq!(answer.status, 200);
        assert!(
            answer
                .header("content-type")
                .starts_with("text/plain; version=0.0.4")
        );
        Self::parse(&answer.text)
    }

    fn parse(text: &str) -> Self {
        let mut samples = Self::default();
        let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
        let mut helps = BTreeSet::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect(line);
                assert!(helps.contains(name), "no help: {line}");
                assert!(kinds.insert(name, kind).is_none(), "{line} twice");
            } else if let Some(help) = line.strip_prefix("# HELP ") {
                helps.extend(help.split(' ').next());
            } else {
                let (sample, value) = line.rsplit_once(' ').expect(line);
                let name = sample.split('{').next().expect(line);
                let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
                assert!(name.chars().all(valid), "{line}");
                let base = ["_bucket", "_sum", "_count"].iter();
                let base = base.filter_map(|end| name.strip_suffix(end));
                assert!(
                    base.chain([name]).any(|name| kinds.contains_key(name)),
                    "no type: {line}"
                );
                let value = value.parse().expect(line);
                assert!(
                    samples.0.insert(sample.to_owned(), value).is_none(),
                    "{line}"
                );
            }
        }
        samples
    }

    /// The sum of all samples whose name and labels contain these parts.
    fn sum(&self, parts: &[&str]) -> f64 {
        let fits = |sample: &str| parts.iter().all(|part| sample.contains(part));
        let found = self.0.iter().filter(|(sample, _)| fits(sample));
        found.map(|(_, value)| value).sum()
    }

    fn has(&self, name: &str) -> bool {
        let mut names = self.0.keys().map(|sample| sample.split('{').next());
        names.any(|found| found == Some(name))
    }
}

/// To Prometheus, a counter that appears with a value has not increased.
#[service_test]
async fn every_counter_but_that_of_requests_is_0_from_the_start(app: TestApp) {
    let text = app.anonymous().get("/metrics").await.text;
    let samples = Samples::parse(&text);
    for (name, series) in [
        ("steward_connections_refused_total", 2),
        ("steward_heads_refused_total", 2),
        ("steward_wrong_keys_total", 2),
        ("steward_discord_visits_total", 6),
        ("steward_logins_total", 4),
        ("steward_login_failures_unaudited_total", 1),
        ("steward_passwords_total", 1),
        ("steward_server_queries_total", 5),
        ("steward_webhook_attempts_total", 2),
        ("steward_backups_failed_total", 1),
    ] {
        let found = samples
            .0
            .iter()
            .filter(|(sample, _)| sample.starts_with(name));
        let values: Vec<f64> = found.map(|(_, value)| *value).collect();
        assert_eq!(values, vec![0.0; series], "{name}");
    }
    // Whatever a later version counts is in this list.
    let counters = text.lines().filter_map(|line| {
        let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        (kind == "counter").then_some(name)
    });
    let others = ["steward_http_requests_total", "process_cpu_seconds_total"];
    assert_eq!(counters.filter(|name| !others.contains(name)).count(), 11);
}

#[service_test]
async fn requests_are_counted_and_timed_by_route(app: TestApp, admin: Client) {
    let before = Samples::read(&app.anonymous()).await;
    admin.create_role("Guard").await;
    for _ in 0..3 {
        admin.get("/api/roles/1").await.ok();
    }
    admin.get("/api/roles/2").await.not_found();
    admin.get("/nowhere").await.not_found();
    let after = Samples::read(&app.anonymous()).await;

    let assert_counted = |count: f64, parts: &[&str]| {
        assert_eq!(after.sum(parts) - before.sum(parts), count, "{parts:?}");
    };
    let requests = "steward_http_requests_total";
    let one = "route=\"/api/roles/{id}\"";
    assert_counted(3.0, &[requests, "method=\"GET\"", one, "status=\"200\""]);
    assert_counted(1.0, &[requests, "method=\"GET\"", one, "status=\"404\""]);
    assert_counted(
        1.0,
        &[requests, "\"POST\"", "route=\"/api/roles\"", "\"201\""],
    );
    assert_counted(1.0, &[requests, "route=\"unmatched\"", "\"404\""]);
    assert_counted(4.0, &["steward_http_request_seconds_count", "\"GET\"", one]);
    let seconds = after.sum(&["steward_http_request_seconds_sum", "\"GET\"", one]);
    assert!(seconds > 0.0);
    let bucket = "steward_http_request_seconds_bucket";
    assert_counted(4.0, &[bucket, "\"GET\"", one, "le=\"+Inf\""]);
    let below = |limit| after.sum(&[bucket, "\"GET\"", one, limit]);
    assert!(below("le=\"0.001\"") <= below("le=\"30\""));
    assert!(below("le=\"30\"") <= below("le=\"+Inf\""));
}

#[service_test]
async fn metrics_cover_the_database_and_the_process(app: TestApp) {
    app.admin().create_role("Guard").await;
    let samples = Samples::read(&app.anonymous()).await;
    let version = format!("version=\"{}\"", kernel::VERSION);
    assert_eq!(samples.sum(&["steward_build_info", &version]), 1.0);
    for operation in ["read", "write", "commit"] {
        let operation = format!("operation=\"{operation}\"");
        assert!(
            samples.sum(&["steward_db_seconds_count", &operation]) > 0.0,
            "{operation}"
        );
    }
    assert!(samples.has("steward_db_waiting"));
    let of_process = |name: &str| {
        assert!(samples.has(name), "{name}");
        samples.sum(&[name])
    };
    assert!(of_process("process_cpu_seconds_total") >= 0.0);
    let resident = of_process("process_resident_memory_bytes");
    assert!((1e6..1e10).contains(&resident), "{resident}");
    assert!(of_process("process_virtual_memory_bytes") > resident);
    assert!(of_process("process_threads") > 1.0);
    let open = of_process("process_open_fds");
    assert!(open > 3.0 && open < of_process("process_max_fds"), "{open}");
    let started = of_process("process_start_time_seconds");
    let now = Clock::System.now().unix() as f64;
    assert!((now - 3600.0..now + 5.0).contains(&started), "{started}");
    if app.core().db.on_postgres() {
        assert!(samples.sum(&["steward_db_connections"]) > 0.0);
        assert!(samples.has("steward_db_connections_idle"));
    } else {
        assert!(samples.sum(&["steward_db_group_size_count"]) > 0.0);
        assert!(samples.sum(&["steward_db_log_bytes"]) > 0.0);
    }
}

#[service_test]
async fn refused_heads_connections_and_wrong_keys_are_counted(app: TestApp) {
    let before = Samples::read(&app.anonymous()).await;
    for head in [
        "not http\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nLong: {}\r\n\r\n", "x".repeat(50_000)),
    ] {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.try_send(head).await;
        connection.closed().await;
    }
    let stranger = app.holder(&unknown_key());
    for _ in 0..61 {
        stranger.get("/api/roles").await;
    }
    let full = TestApp::start_with(|limits| limits.connections = 0).await;
    full.anonymous().get("/docs").await.error(503, "busy");
    let after = Samples::read(&app.anonymous()).await;
    for (name, label, count) in [
        ("steward_heads_refused_total", "status=\"400\"", 1.0),
        ("steward_heads_refused_total", "status=\"431\"", 1.0),
        ("steward_wrong_keys_total", "outcome=\"refused\"", 60.0),
        ("steward_wrong_keys_total", "outcome=\"throttled\"", 1.0),
    ] {
        let more = after.sum(&[name, label]) - before.sum(&[name, label]);
        assert_eq!(more, count, "{name} {label}");
    }
    let of_full = Samples::parse(&full.app.kernel.core.metrics.render());
    let refused = ["steward_connections_refused_total", "limit=\"connections\""];
    assert_eq!(of_full.sum(&refused), 1.0);
    assert_eq!(after.sum(&refused), 0.0, "each service has its own metrics");
    assert!(after.has("steward_connections"));
}

#[service_test]
async fn metrics_contain_nothing_that_a_client_sends(app: TestApp, admin: Client) {
    let unknown = unknown_key();
    admin.get("/api/roles/424242").await.not_found();
    let answer = admin.get("/secret-path/424242?token=hunter2").await;
    answer.not_found();
    app.holder(&unknown).get("/api/roles").await.unauthorized();
    let caller = admin
        .with("X-Request-Id", "my-request-id")
        .with("User-Agent", "my-browser");
    caller.get("/api/status").await.ok();
    // Each label value takes memory forever, so a client must not be able to add new ones.
    for number in 0..3 {
        let method: Method = format!("MY-METHOD-{number}").parse().expect("a method");
        let answer = admin.send(method, "/api/roles", None).await;
        answer.error(405, "method_not_allowed");
    }
    let text = app.anonymous().get("/metrics").await.text;
    for word in [
        "424242",
        "secret-path",
        "hunter2",
        "my-request-id",
        "my-browser",
        "MY-METHOD",
        "127.0.0.1",
        app.admin_key(),
        &unknown,
        "stw_",
    ] {
        assert!(!text.contains(word), "{word}");
    }
}

#[service_test]
async fn sign_in_attempts_are_counted_by_outcome(app: TestApp, admin: Client) {
    app.user("anna").await;
    let before = Samples::read(&app.anonymous()).await;
    let mut wrong = sign_in("anna");
    wrong["password"] = json!("wrong");
    app.sign_in("anna").await;
    admin.post_empty("/api/users/1/block").await.ok();
    let sessions = "/api/sessions";
    let answer = admin.post(sessions, sign_in("anna")).await;
    answer.error(403, "user_blocked");
    for _ in 0..5 {
        let answer = admin.post(sessions, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    for _ in 0..2 {
        let answer = admin.post(sessions, wrong.clone()).await;
        answer.error(429, "too_many_attempts");
    }
    app.operator("clerk", &["admin.roles"]).await;
    let signed_in = app
        .anonymous()
        .post(SESSION, console_sign_in("clerk"))
        .await;
    signed_in.created();
    let after = Samples::read(&app.anonymous()).await;
    let assert_counted = |count: f64, parts: &[&str]| {
        assert_eq!(after.sum(parts) - before.sum(parts), count, "{parts:?}");
    };
    for (outcome, count) in [
        ("success", 2.0),
        ("blocked", 1.0),
        ("invalid", 5.0),
        ("throttled", 2.0),
    ] {
        let label = format!("outcome=\"{outcome}\"");
        assert_counted(count, &["steward_logins_total", &label]);
    }
    // Seven attempts of Anna; the password of the operator is stored and checked.
    assert_counted(9.0, &["steward_passwords_total"]);
}
