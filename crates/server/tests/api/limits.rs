//! What one request may ask of the service.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use kernel::Limits;
use reqwest::Method;
use serde_json::json;

use crate::support::{Client, TestApp, Wire, listen};

const SHORT: Duration = Duration::from_millis(300);

fn small() -> Limits {
    Limits {
        body_bytes: 1000,
        body_time: SHORT,
        request_time: 3 * SHORT,
        header_bytes: 8 << 10,
        headers: 12,
        ..Limits::default()
    }
}

/// A body of exactly `size` bytes.
fn body_of(size: usize) -> Vec<u8> {
    let text = json!({ "name": "Guard", "padding": "" }).to_string();
    let padding = "x".repeat(size - text.len());
    let body = json!({ "name": "Guard", "padding": padding }).to_string();
    assert_eq!(body.len(), size);
    body.into_bytes()
}

fn head(app: &TestApp, line: &str) -> String {
    let key = app.admin_key();
    format!("{line} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n")
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    for part in body.chunks(100) {
        chunks.extend(format!("{:x}\r\n", part.len()).into_bytes());
        chunks.extend(part);
        chunks.extend(b"\r\n");
    }
    chunks.extend(b"0\r\n\r\n");
    chunks
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let app = TestApp::start_with(small()).await;
    let admin = app.admin();
    let send = async |path: &str, method: Method, size| {
        let body = Some(("application/json", body_of(size)));
        admin.send_bytes(method, path, body).await
    };
    send("/api/roles", Method::POST, 1000).await.created();
    for size in [1001, 5_000_000] {
        let refused = send("/api/roles", Method::POST, size).await;
        refused.error(413, "body_too_large");
    }
    // Who may not, and what is not there, comes first.
    send("/api/roles/99", Method::PUT, 1001).await.not_found();
    let body = Some(("application/json", body_of(1001)));
    let stranger = app.stranger();
    let refused = stranger.send_bytes(Method::POST, "/api/roles", body).await;
    refused.unauthorized();
    // An action takes no body, so its size is nobody's concern.
    send("/api/roles/1", Method::DELETE, 1001).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_holds_for_a_body_of_unknown_length() {
    let app = TestApp::start_with(small()).await;
    for (size, status) in [(1000, 201), (1001, 413), (50_000, 413)] {
        let mut wire = Wire::connect(&app.address).await;
        let head = head(&app, "POST /api/roles");
        wire.send(format!("{head}Transfer-Encoding: chunked\r\n\r\n"))
            .await;
        wire.try_send(chunked(&body_of(size))).await;
        let answer = wire.answer().await;
        if status == 413 {
            answer.error(413, "body_too_large");
        }
        assert_eq!(answer.status, status, "{size}");
    }
    let total = app.admin().get("/api/roles").await;
    assert_eq!(total.header("x-total-count"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_a_mebibyte_is_taken_unless_said_otherwise() {
    let app = TestApp::start().await;
    for (size, status) in [(1 << 20, 201), ((1 << 20) + 1, 413), (20 << 20, 413)] {
        let body = Some(("application/json", body_of(size)));
        let answer = app
            .admin()
            .send_bytes(Method::POST, "/api/roles", body)
            .await;
        assert_eq!(answer.status, status, "{size}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let app = TestApp::start_with(small()).await;
    let mut wire = Wire::connect(&app.address).await;
    let head = head(&app, "POST /api/roles");
    wire.send(format!("{head}Content-Length: 100\r\n\r\n{{\"name\":"))
        .await;
    // It holds nothing that others need.
    app.admin()
        .post("/api/roles", json!({ "name": "Guard" }))
        .await
        .created();
    wire.answer().await.error(408, "request_timeout");
    assert!(wire.closed().await.is_empty());
    let total = app.admin().get("/api/roles").await;
    assert_eq!(total.header("x-total-count"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_trickles_in_is_not_waited_for_either() {
    let app = TestApp::start_with(small()).await;
    let mut wire = Wire::connect(&app.address).await;
    let head = head(&app, "POST /api/roles");
    wire.send(format!("{head}Content-Length: 900\r\n\r\n"))
        .await;
    for _ in 0..20 {
        wire.try_send(" ").await;
        tokio::time::sleep(SHORT / 10).await;
    }
    wire.answer().await.error(408, "request_timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_takes_too_long_is_given_up() {
    let app = TestApp::start_with(small()).await;
    let router = Router::new().route("/sleep", get(std::future::pending::<()>));
    let address = listen(
        &app.app,
        kernel::http::wrap(&app.app.kernel, app.app.clone(), router),
    )
    .await;
    let answer = Client::new(&address, None).get("/sleep").await;
    answer.error(503, "timeout");
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_too_many_headers_is_refused() {
    let app = TestApp::start_with(small()).await;
    for (more, status) in [(9, 200), (10, 431), (1000, 431)] {
        let mut wire = Wire::connect(&app.address).await;
        let more: String = (0..more)
            .map(|number| format!("a{number}: b\r\n"))
            .collect();
        let head = head(&app, "GET /api/status");
        wire.try_send(format!("{head}{more}\r\n")).await;
        assert_eq!(wire.answer().await.status, status);
        if status == 431 {
            wire.closed().await;
        }
    }
    app.admin().get("/api/status").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_too_large_a_head_is_refused() {
    let app = TestApp::start_with(small()).await;
    for (size, status) in [(7000, 200), (9000, 431)] {
        let mut wire = Wire::connect(&app.address).await;
        let head = head(&app, "GET /api/status");
        let long = "x".repeat(size);
        wire.try_send(format!("{head}Long: {long}\r\n\r\n")).await;
        assert_eq!(wire.answer().await.status, status);
    }
    let mut wire = Wire::connect(&app.address).await;
    wire.try_send(format!(
        "GET /{} HTTP/1.1\r\nHost: x\r\n\r\n",
        "x".repeat(9000)
    ))
    .await;
    assert!([414, 431].contains(&wire.answer().await.status));
    app.admin().get("/api/status").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_http_does_no_harm() {
    let app = TestApp::start().await;
    for nonsense in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"hello\r\n\r\n",
        b"GET /api/status HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /api/roles HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/roles HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\r\n\r\n\r\n\x00\r\n\r\n",
    ] {
        let mut wire = Wire::connect(&app.address).await;
        wire.try_send(nonsense).await;
        let said = wire.closed().await;
        assert!(
            said.is_empty() || said.starts_with(b"HTTP/1.1 4"),
            "{nonsense:?}"
        );
    }
    app.admin().get("/api/status").await.ok();
}
