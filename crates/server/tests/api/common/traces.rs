//! Export of traces to a collector.

use std::time::Instant;

use axum::Router;
use axum::routing::get;
use kernel::secret::SecretKey;
use kernel::types::Clock;
use kernel::{Span, SpanQueue};
use platform::trace_export::{self, STOP_TIME};
use serde_json::{Value, json};
use server::app::{App, Settings};
use server::routes::{PublicPaths, router};
use tokio::task::JoinHandle;

use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{Client, TestApp, eventually, listen};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// One more instance, which exports its traces.
struct Exporting {
    app: App,
    admin: Client,
    task: JoinHandle<()>,
}

impl Exporting {
    /// `base` is the URL of the collector.
    async fn start(app: &TestApp, base: &str) -> Self {
        let settings = Settings {
            otlp_endpoint: Some(base.parse().expect("a URL")),
            ..Settings::default()
        };
        let db = app.scratch.open().await;
        let started = App::start(db, Clock::System, SecretKey::new(&[7; 32]), settings).await;
        let started = started.expect("the service starts");
        let address = listen(&started, router(&started, PublicPaths::ALL)).await;
        let exporter = started.traces.clone().expect("an exporter");
        Self {
            admin: Client::new(&address, Some(app.admin_key())),
            task: tokio::spawn(trace_export::run(exporter, started.kernel.clone())),
            app: started,
        }
    }

    /// Returns when the last spans are sent, or their time is over.
    async fn stop(self) -> App {
        self.app.traces.as_ref().expect("an exporter").stop();
        self.task.await.expect("no panic");
        self.app
    }
}

/// The spans that arrived, and where they were sent to.
fn received(collector: &Receiver) -> Vec<Value> {
    let mut spans = Vec::new();
    for request in collector.requests() {
        assert_eq!(request.headers["content-type"], "application/json");
        let mut export = request.json();
        let sent = export["resourceSpans"][0]["scopeSpans"][0]["spans"].take();
        let Value::Array(sent) = sent else {
            panic!("{export}");
        };
        assert!(sent.len() <= 512, "{}", sent.len());
        spans.extend(sent);
    }
    spans
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    let found: Vec<_> = spans.iter().filter(|span| span["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name} in {spans:?}");
    found[0]
}

fn attribute<'a>(span: &'a Value, key: &str) -> Option<&'a Value> {
    let mut attributes = span["attributes"].as_array().expect("a list").iter();
    let found = attributes.find(|attribute| attribute["key"] == key)?;
    let value = found["value"].as_object().expect("an object");
    value.values().next()
}

async fn panics() {
    panic!("this handler always does");
}

#[service_test]
async fn a_request_with_traceparent_gives_a_span_of_that_trace(app: TestApp) {
    let collector = Receiver::start().await;
    let exporting = Exporting::start(&app, &collector.base()).await;
    let admin = &exporting.admin;
    admin.get("/api/status").await.ok();
    // Probes give none.
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(admin.get(path).await.status, 200);
    }
    let traced = |flags: &str| admin.with("traceparent", &format!("00-{TRACE}-{PARENT}-{flags}"));
    let answer = traced("01").get("/api/roles").await;
    traced("00").get("/api/users").await.ok();
    exporting.stop().await;

    let spans = received(&collector);
    assert_eq!(spans.len(), 2, "one is not sampled: {spans:?}");
    let span = named(&spans, "GET /api/roles");
    assert_eq!(span["traceId"], TRACE);
    assert_eq!(span["parentSpanId"], PARENT);
    assert_eq!(span["kind"], 2);
    assert!(span.get("status").is_none());
    for (key, value) in [
        ("http.request.method", "GET"),
        ("http.route", "/api/roles"),
        ("http.response.status_code", "200"),
        ("url.scheme", "http"),
        ("steward.request_id", answer.header("x-request-id")),
        ("steward.key_id", "1"),
    ] {
        assert_eq!(attribute(span, key), Some(&json!(value)), "{key}");
    }
    let time = |name: &str| -> u128 {
        let text = span[name].as_str().expect("a string");
        text.parse().expect("a number")
    };
    let (begun, ended) = (time("startTimeUnixNano"), time("endTimeUnixNano"));
    assert!(begun < ended && ended < begun + 10_000_000_000, "{span}");

    let other = named(&spans, "GET /api/status");
    let trace = other["traceId"].as_str().expect("an id");
    assert!(trace.len() == 32 && trace != TRACE, "{trace}");
    assert!(other.get("parentSpanId").is_none());
    assert_ne!(other["spanId"], span["spanId"]);
    let bodies = collector.requests().into_iter();
    let text: Vec<u8> = bodies.flat_map(|request| request.body).collect();
    let text = String::from_utf8(text).expect("text");
    assert!(
        !text.contains("127.0.0.1"),
        "no address of a client: {text}"
    );
}

#[service_test]
async fn only_the_span_of_a_500_has_the_status_of_an_error(app: TestApp) {
    let collector = Receiver::start().await;
    let exporting = Exporting::start(&app, &collector.base()).await;
    let broken = Router::new().route("/panic", get(panics));
    let broken = kernel::http::wrap(&exporting.app.kernel, broken);
    let broken = Client::new(&listen(&exporting.app, broken).await, None);
    assert_eq!(broken.get("/panic").await.status, 500);
    assert_eq!(exporting.admin.get("/api/roles/99").await.status, 404);
    assert_eq!(broken.get("/nowhere").await.status, 404);
    exporting.stop().await;

    let spans = received(&collector);
    let status = |span| attribute(span, "http.response.status_code").cloned();
    let failed = named(&spans, "GET /panic");
    assert_eq!(failed["status"], json!({ "code": 2 }));
    assert_eq!(status(failed), Some(json!("500")));
    assert_eq!(attribute(failed, "steward.key_id"), None);
    // The path that matched nothing is in no span.
    for name in ["GET /api/roles/{id}", "GET"] {
        let missing = named(&spans, name);
        assert!(missing.get("status").is_none(), "{missing}");
        assert_eq!(status(missing), Some(json!("404")));
    }
    assert_eq!(attribute(named(&spans, "GET"), "http.route"), None);
}

/// How many spans had this outcome.
fn spans_with_outcome(app: &App, outcome: &str) -> u64 {
    let metrics = app.kernel.core.metrics.render();
    let start = format!("steward_trace_spans_total{{outcome=\"{outcome}\"}} ");
    let value = metrics.lines().find_map(|line| line.strip_prefix(&start));
    value.map_or(0, |value| value.parse().expect("a number"))
}

#[service_test]
async fn spans_that_the_collector_does_not_accept_are_counted(app: TestApp) {
    for behaviour in [
        None,
        Some(Behaviour::Status(400)),
        Some(Behaviour::Status(503)),
    ] {
        let collector = Receiver::start().await;
        let exporting = Exporting::start(&app, &collector.base()).await;
        match behaviour {
            Some(behaviour) => collector.behaves(behaviour),
            None => collector.stop().await,
        }
        for _ in 0..10 {
            exporting.admin.get("/api/status").await.ok();
        }
        let stopped = exporting.stop().await;
        let failed = spans_with_outcome(&stopped, "failed");
        assert_eq!(failed, 10, "{behaviour:?}");
    }
}

#[service_test]
async fn a_collector_that_never_answers_delays_no_request_and_further_spans_are_dropped() {
    let app = TestApp::start().await;
    let collector = Receiver::start().await;
    collector.behaves(Behaviour::Hang);
    let exporting = Exporting::start(&app, &collector.base()).await;
    let spans = exporting.app.kernel.spans.clone().expect("a queue");
    let span = Span {
        trace_id: TRACE.into(),
        id: PARENT.into(),
        ..Span::default()
    };
    let push = |count| (0..count).for_each(|_| spans.push(span.clone()));
    push(SpanQueue::BATCH);
    eventually("a batch is on its way", async || collector.count() == 1).await;
    push(SpanQueue::CAPACITY + 1000);
    let dropped = spans_with_outcome(&exporting.app, "full");
    assert_eq!(dropped, 1000);
    let begun = Instant::now();
    for _ in 0..20 {
        exporting.admin.get("/api/status").await.ok();
    }
    assert!(begun.elapsed() < STOP_TIME, "{begun:?}");
    let after = spans_with_outcome(&exporting.app, "full");
    assert_eq!(after - dropped, 20, "the spans of these requests");

    let begun = Instant::now();
    exporting.stop().await;
    assert!(begun.elapsed() < 2 * STOP_TIME);
    assert_eq!(collector.count(), 1, "one request at a time");
}

#[service_test]
async fn spans_are_sent_in_batches_of_at_most_512_and_all_of_them_before_the_stop(app: TestApp) {
    let collector = Receiver::start().await;
    let exporting = Exporting::start(&app, &collector.base()).await;
    for _ in 0..520 {
        exporting.admin.get("/api/status").await.ok();
    }
    exporting.stop().await;
    let spans = received(&collector);
    assert_eq!(spans.len(), 520);
    assert!(collector.count() >= 2);
}
