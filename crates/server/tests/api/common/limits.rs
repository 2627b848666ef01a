//! Limits on a single request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use parking_lot::Mutex;
use reqwest::Method;
use serde_json::json;
use tokio::sync::oneshot;

use crate::support::{Client, RawConnection, TestApp, listen};

const SHORT: Duration = Duration::from_secs(1);

async fn small() -> TestApp {
    TestApp::start_with(|limits| {
        limits.body_bytes = 1000;
        limits.header_bytes = 8 << 10;
        limits.headers = 12;
    })
    .await
}

/// For bodies that do not arrive in time.
async fn impatient() -> TestApp {
    TestApp::start_with(|limits| limits.body_time = SHORT).await
}

/// For requests that take too long.
async fn hasty() -> TestApp {
    TestApp::start_with(|limits| limits.request_time = 3 * SHORT).await
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

#[service_test(small())]
async fn a_body_over_the_limit_gives_413_after_401_and_404(app: TestApp, admin: Client) {
    let send = async |path: &str, method: Method, size| {
        let body = Some(("application/json", body_of(size)));
        admin.send_bytes(method, path, body).await
    };
    send("/api/roles", Method::POST, 1000).await.created();
    for size in [1001, 5_000_000] {
        let refused = send("/api/roles", Method::POST, size).await;
        refused.error(413, "body_too_large");
    }
    // 401 and 404 come first.
    send("/api/roles/99", Method::PUT, 1001).await.not_found();
    let body = Some(("application/json", body_of(1001)));
    let anonymous = app.anonymous();
    let refused = anonymous.send_bytes(Method::POST, "/api/roles", body).await;
    refused.unauthorized();
    // An action takes no body, so its size does not matter.
    send("/api/roles/1", Method::DELETE, 1001).await.ok();
}

#[service_test(small())]
async fn a_chunked_body_over_the_limit_gives_413(app: TestApp) {
    for (size, status) in [(1000, 201), (1001, 413), (50_000, 413)] {
        let mut connection = RawConnection::connect(&app.address).await;
        let head = head(&app, "POST /api/roles");
        connection
            .send(format!("{head}Transfer-Encoding: chunked\r\n\r\n"))
            .await;
        connection.try_send(chunked(&body_of(size))).await;
        let answer = connection.answer().await;
        if status == 413 {
            answer.error(413, "body_too_large");
        }
        assert_eq!(answer.status, status, "{size}");
    }
    assert_eq!(app.admin().total("/api/roles").await, "1");
}

#[service_test]
async fn a_body_of_one_mebibyte_is_accepted_by_default(app: TestApp) {
    for (size, status) in [(1 << 20, 201), ((1 << 20) + 1, 413), (20 << 20, 413)] {
        let body = Some(("application/json", body_of(size)));
        let answer = app
            .admin()
            .send_bytes(Method::POST, "/api/roles", body)
            .await;
        assert_eq!(answer.status, status, "{size}");
    }
}

#[service_test(impatient())]
async fn a_body_that_does_not_arrive_gives_408(app: TestApp, admin: Client) {
    // This instance would not wait for a body if the machine paused.
    let other = app.second_instance().await;
    other.holder(app.admin_key()).create_role("Guard").await;
    let mut connection = RawConnection::connect(&app.address).await;
    let head = head(&app, "POST /api/roles");
    connection
        .send(format!("{head}Content-Length: 100\r\n\r\n{{\"name\":"))
        .await;
    // It blocks no other request.
    assert_eq!(admin.total("/api/roles").await, "1");
    admin.delete("/api/roles/1").await.ok();
    connection.answer().await.error(408, "request_timeout");
    assert!(connection.closed().await.is_empty());
    assert_eq!(admin.total("/api/roles").await, "0");
}

#[service_test(impatient())]
async fn a_body_that_arrives_too_slowly_gives_408(app: TestApp) {
    let mut connection = RawConnection::connect(&app.address).await;
    let head = head(&app, "POST /api/roles");
    connection
        .send(format!("{head}Content-Length: 900\r\n\r\n"))
        .await;
    for _ in 0..20 {
        connection.try_send(" ").await;
        tokio::time::sleep(SHORT / 10).await;
    }
    connection.answer().await.error(408, "request_timeout");
}

#[service_test(hasty())]
async fn a_request_that_takes_too_long_gives_503(app: TestApp) {
    let router = Router::new().route("/sleep", get(std::future::pending::<()>));
    let address = listen(&app.app, kernel::http::wrap(&app.app.kernel, router)).await;
    let answer = Client::new(&address, None).get("/sleep").await;
    answer.error(503, "timeout");
    assert_eq!(answer.header("retry-after"), "1");
}

/// Tells when it is dropped, as a transaction lets go of its locks then.
struct Held(Option<oneshot::Sender<Instant>>);

impl Drop for Held {
    fn drop(&mut self) {
        let dropped = self.0.take().expect("dropped once");
        dropped.send(Instant::now()).expect("the test waits");
    }
}

#[service_test(hasty())]
async fn a_request_that_takes_too_long_holds_nothing_while_its_body_is_discarded(app: TestApp) {
    let (dropped, when) = oneshot::channel();
    let held = Arc::new(Mutex::new(Some(Held(Some(dropped)))));
    let sleep = async move |body: Body| {
        drop(body);
        let _held = held.lock().take();
        std::future::pending::<()>().await;
    };
    let router = Router::new().route("/sleep", post(sleep));
    let router = kernel::http::wrap(&app.app.kernel, router);
    let address = listen(&app.app, router).await;
    let mut connection = RawConnection::connect(&address).await;
    // The service waits for this body for a second, in case the client is about to send it.
    connection
        .send("POST /sleep HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n")
        .await;
    connection.answer().await.error(503, "timeout");
    let dropped = when.await.expect("the handler was dropped");
    assert!(dropped.elapsed() > Duration::from_millis(500));
}

/// Sends a request with its three headers and `more` others.
async fn send_headers(app: &TestApp, more: usize) -> RawConnection {
    let mut connection = RawConnection::connect(&app.address).await;
    let more: String = (0..more)
        .map(|number| format!("a{number}: b\r\n"))
        .collect();
    let head = head(app, "GET /api/status");
    connection.try_send(format!("{head}{more}\r\n")).await;
    connection
}

#[service_test]
async fn a_request_with_more_than_100_headers_gives_431_by_default(app: TestApp) {
    for (more, status) in [(97, 200), (98, 431)] {
        let mut connection = send_headers(&app, more).await;
        assert_eq!(connection.answer().await.status, status);
    }
}

#[service_test(small())]
async fn a_request_with_too_many_headers_gives_431(app: TestApp) {
    for (more, status) in [(9, 200), (10, 431), (1000, 431)] {
        let mut connection = send_headers(&app, more).await;
        assert_eq!(connection.answer().await.status, status);
        if status == 431 {
            connection.closed().await;
        }
    }
    app.admin().get("/api/status").await.ok();
}

#[service_test(small())]
async fn a_request_with_too_large_headers_gives_431(app: TestApp) {
    for (size, status) in [(7000, 200), (9000, 431)] {
        let mut connection = RawConnection::connect(&app.address).await;
        let head = head(&app, "GET /api/status");
        let long = "x".repeat(size);
        connection
            .try_send(format!("{head}Long: {long}\r\n\r\n"))
            .await;
        assert_eq!(connection.answer().await.status, status);
    }
    let mut connection = RawConnection::connect(&app.address).await;
    connection
        .try_send(format!(
            "GET /{} HTTP/1.1\r\nHost: x\r\n\r\n",
            "x".repeat(9000)
        ))
        .await;
    assert!([414, 431].contains(&connection.answer().await.status));
    app.admin().get("/api/status").await.ok();
}

#[service_test]
async fn http_1_1_without_one_host_gives_400(app: TestApp) {
    for (line, hosts, status) in [
        ("GET /healthz HTTP/1.1", "", 400),
        ("GET /healthz HTTP/1.1", "Host: a\r\nHost: b\r\n", 400),
        ("GET /healthz HTTP/1.1", "Host: a\r\n", 200),
        ("GET /healthz HTTP/1.1", "Host:\r\n", 200),
        ("GET /healthz HTTP/1.0", "", 200),
    ] {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.send(format!("{line}\r\n{hosts}\r\n")).await;
        let answer = connection.answer().await;
        assert_eq!(answer.status, status, "{line} {hosts}");
        if status == 400 {
            answer.error(400, "missing_host");
        }
    }
}

#[service_test]
async fn a_body_with_a_content_encoding_gives_415(admin: Client) {
    let body = || json!({ "name": "Guard" });
    for encoding in ["gzip", "br", "zstd", "identity, gzip"] {
        let client = admin.with("Content-Encoding", encoding);
        let answer = client.post("/api/roles", body()).await;
        answer.error(415, "unsupported_media_type");
    }
    let plain = admin.with("Content-Encoding", "identity");
    plain.post("/api/roles", body()).await.created();
}

#[service_test]
async fn transfer_encoding_with_content_length_gives_400_and_closes_the_connection(app: TestApp) {
    let (length, encoding) = ("Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n");
    let body = String::from_utf8(chunked(b"{\"name\":\"Guard\"}")).expect("text");
    for headers in [
        format!("{length}{encoding}"),
        format!("{encoding}{length}"),
        format!("{encoding}A: b\r\n{}", length.to_lowercase()),
        format!("{length}{}", encoding.to_uppercase()),
    ] {
        let mut connection = RawConnection::connect(&app.address).await;
        let head = head(&app, "POST /api/roles");
        // In two pieces, so that neither has both headers.
        let (one, other) = headers.split_at(headers.len() / 2);
        connection.send(format!("{head}{one}")).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        connection.send(format!("{other}\r\n{body}")).await;
        connection
            .try_send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            .await;
        let answer = connection.answer().await;
        answer.error(400, "ambiguous_length");
        assert_eq!(answer.header("connection"), Some("close"), "{headers}");
        assert!(connection.closed().await.is_empty(), "{headers}");
    }
    let roles = app.admin().get("/api/roles").await;
    assert_eq!(
        roles.header("x-total-count"),
        "0",
        "nothing was carried out"
    );

    // Either alone is fine, also one after the other.
    let mut connection = RawConnection::connect(&app.address).await;
    for (framing, body) in [
        ("Content-Length: 16", "{\"name\":\"Guard\"}"),
        ("Transfer-Encoding: chunked", &*body),
        ("Content-Length: 16", "{\"name\":\"Guard\"}"),
        ("Transfer-Encoding: chunked", &*body),
    ] {
        let head = head(&app, "POST /api/roles");
        connection
            .send(format!("{head}{framing}\r\n\r\n{body}"))
            .await;
    }
    for _ in 0..4 {
        assert_eq!(connection.answer().await.status, 201);
    }
}

#[service_test]
async fn bytes_that_are_not_http_do_no_harm(app: TestApp) {
    for nonsense in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"hello\r\n\r\n",
        b"GET /api/status HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /api/roles HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/roles HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\r\n\r\n\r\n\x00\r\n\r\n",
    ] {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.try_send(nonsense).await;
        let received = connection.closed().await;
        assert!(
            received.is_empty() || received.starts_with(b"HTTP/1.1 4"),
            "{nonsense:?}"
        );
    }
    app.admin().get("/api/status").await.ok();
}
