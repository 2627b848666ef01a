//! Traces of the whole program, to a collector that is a plain TCP server.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Home, within};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

async fn collector() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, url)
}

/// Accepts requests until they have had this many spans, and returns them.
async fn receive(listener: &TcpListener, count: usize) -> Vec<Value> {
    let mut spans = Vec::new();
    while spans.len() < count {
        let (stream, _) = within(listener.accept()).await.expect("a connection");
        spans.extend(answer(stream).await);
    }
    spans
}

/// Reads a request and answers it with 200. Returns the spans in it.
async fn answer(mut stream: TcpStream) -> Vec<Value> {
    let mut request = Vec::new();
    let body = loop {
        let read = within(stream.read_buf(&mut request)).await;
        assert!(read.expect("a request") > 0, "it ends early");
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let mut lines = head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.expect("a length").parse().expect("a number");
        if body.len() == length {
            assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
            break body.to_owned();
        }
    };
    let answer =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(answer).await.expect("written");
    let mut body: Value = serde_json::from_str(&body).expect("JSON");
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].take();
    spans.as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_stop_sends_the_last_spans_and_the_log_has_their_trace_ids() {
    let (listener, url) = collector().await;
    let home = Home::new().await;
    let service = home.start_with(&["--otlp-endpoint", &url]).await;
    let admin = service.admin();
    let traced = admin.with("traceparent", &format!("00-{TRACE}-{PARENT}-01"));
    traced.get("/api/roles").await.ok();
    admin.get("/api/status").await.ok();
    service.signal("TERM");
    let spans = receive(&listener, 2).await;
    assert_eq!(spans.len(), 2, "{spans:?}");
    assert_eq!(spans[0]["name"], "GET /api/roles");
    assert_eq!(spans[0]["traceId"], TRACE);
    assert_eq!(spans[0]["parentSpanId"], PARENT);
    assert_eq!(spans[1]["name"], "GET /api/status");

    let ended = service.ended().await;
    ended.ok();
    let log = ended.log();
    let requests: Vec<_> = log
        .iter()
        .filter(|line| line["target"] == "request")
        .collect();
    assert_eq!(requests.len(), 2, "{log:?}");
    for (request, span) in requests.iter().zip(&spans) {
        assert_eq!(request["trace_id"], span["traceId"]);
    }
}

#[tokio::test]
async fn spans_arrive_while_the_service_runs() {
    let (listener, url) = collector().await;
    let home = Home::new().await;
    let call = home.steward(&[]).env("STEWARD_OTLP_ENDPOINT", &url);
    let service = call.serve().await;
    service.anonymous().get("/healthz").await;
    service.anonymous().get("/api/status").await;
    let spans = receive(&listener, 1).await;
    assert_eq!(spans[0]["name"], "GET /api/status", "a probe has no span");
    service.stop().await.ok();
}

#[tokio::test]
async fn a_collector_that_never_answers_delays_the_stop_by_seconds_at_most() {
    let (listener, url) = collector().await;
    let home = Home::new().await;
    let service = home.start_with(&["--otlp-endpoint", &url]).await;
    let begun = Instant::now();
    service.admin().get("/api/status").await.ok();
    assert!(begun.elapsed() < Duration::from_secs(9), "{begun:?}");
    let begun = Instant::now();
    let ended = service.stop().await;
    ended.ok();
    assert!(begun.elapsed() < Duration::from_secs(15), "{begun:?}");
    let warning = "the last spans were not exported: the collector is too slow";
    let log = ended.log();
    assert!(log.iter().any(|line| line["message"] == warning), "{log:?}");
    drop(listener);
}

#[tokio::test]
async fn a_collector_that_is_down_is_reported_and_the_service_goes_on() {
    let (listener, url) = collector().await;
    drop(listener);
    let home = Home::new().await;
    let mut service = home.start_with(&["--otlp-endpoint", &url]).await;
    service.admin().get("/api/status").await.ok();
    let message = "spans were not exported and are lost";
    let warning = service.logged(|line| line["message"] == message).await;
    assert_eq!(warning["level"], "WARN");
    assert_eq!(warning["url"], format!("{url}/v1/traces"));
    assert_eq!(warning["spans"], 1);
    let reason = warning["reason"].as_str().expect("text");
    assert!(reason.starts_with("The receiver does not accept connections."));
    let metrics = service.admin().get("/metrics").await.text;
    let counted = "steward_trace_spans_total{outcome=\"failed\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
    service.stop().await.ok();
}

#[tokio::test]
async fn a_wrong_otlp_endpoint_is_refused() {
    let home = Home::new().await;
    for url in ["127.0.0.1:4318", "ftp://127.0.0.1", "http://a:b@127.0.0.1"] {
        let ended = home.run(&["--otlp-endpoint", url]).await;
        ended.misused(&["--otlp-endpoint", "it must"]);
    }
    home.write("steward.toml", "otlp-endpoint = \"collector\"\n");
    let ended = home.run(&[]).await;
    ended.misused(&["otlp-endpoint", "it must be a URL with http or https"]);
    assert!(!home.data().exists());
}

#[tokio::test]
async fn without_the_option_nothing_is_exported_or_counted() {
    let home = Home::new().await;
    let service = home.start().await;
    service.admin().get("/api/status").await.ok();
    let metrics = service.admin().get("/metrics").await.text;
    assert!(!metrics.contains("steward_trace_spans_total{"), "{metrics}");
    let ended = service.stop().await;
    let log = ended.log();
    let request = log.iter().find(|line| line["target"] == "request");
    assert!(request.expect("a request").get("trace_id").is_none());
}
