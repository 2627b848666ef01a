//! Errors that are known before the body was read.

use std::time::Duration;

use serde_json::json;

use crate::support::{RawConnection, TestApp};

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/// The pause between the head and the body: the service has answered by then, if it answers before
/// the body has arrived.
const PAUSE: Duration = Duration::from_millis(50);

struct Case {
    line: &'static str,
    headers: String,
    status: u16,
}

impl Case {
    fn head(&self, more: &str) -> String {
        let Self { line, headers, .. } = self;
        format!("{line} HTTP/1.1\r\nHost: x\r\n{headers}{more}\r\n")
    }
}

async fn start() -> (TestApp, Vec<Case>) {
    let app = TestApp::start_with(|limits| {
        limits.body_bytes = 1000;
        limits.wrong_keys_per_minute = 10;
        limits.discard_time = Duration::from_secs(30);
    })
    .await;
    let powerless = app.actor(&[]).await;
    let admin = app.admin();
    let limited = admin.post("/api/api-keys", json!({ "name": "L" })).await;
    let limited = limited.created()["api_key"].clone();
    let path = format!("/api/api-keys/{}/restrictions", limited["id"]);
    let once = json!({ "requests_per_second": 1 });
    admin.put(&path, once).await.ok();
    let limited = limited["key"].as_str().expect("a value").to_owned();
    // The clock stands still, so this was the only request of its second.
    app.holder(&limited).get("/api/status").await;
    let json = "Content-Type: application/json\r\n";
    let key = |value: &str| format!("X-API-Key: {value}\r\n");
    let admin = key(app.admin_key());
    let cases = [
        ("POST /api/roles", json.to_owned(), 401),
        ("POST /api/roles", key(powerless.key_value()) + json, 403),
        ("POST /nowhere", admin.clone() + json, 404),
        ("PATCH /api/roles", admin.clone() + json, 405),
        ("POST /api/roles", key(&limited) + json, 429),
        ("POST /api/roles", admin.clone(), 415),
        ("POST /api/roles", admin.clone() + json, 422),
        // An operation without a body.
        ("DELETE /api/roles/99", admin.clone() + json, 404),
        ("GET /api/roles", admin + json, 200),
    ];
    let cases = cases.map(|(line, headers, status)| Case {
        line,
        headers,
        status,
    });
    (app, cases.into())
}

#[service_test]
async fn after_an_error_with_a_small_unread_body_the_connection_can_be_used() {
    let (app, cases) = start().await;
    for case in &cases {
        for (framing, body) in [
            ("Content-Length: 100\r\n", "x".repeat(100)),
            (
                "Transfer-Encoding: chunked\r\n",
                format!("64\r\n{}\r\n0\r\n\r\n", "x".repeat(100)),
            ),
        ] {
            let mut connection = RawConnection::connect(&app.address).await;
            connection.send(case.head(framing)).await;
            tokio::time::sleep(PAUSE).await;
            connection.send(body).await;
            connection.send(HEALTH).await;
            let answer = connection.answer().await;
            assert_eq!(answer.status, case.status, "{}", case.line);
            assert_eq!(answer.header("connection"), None, "{}", case.line);
            let next = connection.answer().await;
            assert_eq!((next.status, &*next.body), (200, &b"ok\n"[..]));
        }
    }
}

#[service_test]
async fn after_an_error_with_a_large_unread_body_the_answer_says_connection_close() {
    let (app, cases) = start().await;
    let size = 10 << 20;
    for case in &cases {
        let mut connection = RawConnection::connect(&app.address).await;
        let head = case.head(&format!("Content-Length: {size}\r\n"));
        connection.send(head).await;
        connection.try_send(vec![b'x'; size]).await;
        connection.try_send(HEALTH).await;
        let answer = connection.answer().await;
        // A body that is too large is found before its content type and its faults.
        let status = match case.status {
            415 | 422 => 413,
            status => status,
        };
        assert_eq!(answer.status, status, "{}", case.line);
        assert_eq!(answer.header("connection"), Some("close"), "{}", case.line);
        assert!(connection.closed().await.is_empty(), "{}", case.line);
    }
}

#[service_test]
async fn a_413_after_a_body_that_was_received_keeps_the_connection() {
    let (app, _) = start().await;
    let mut connection = RawConnection::connect(&app.address).await;
    let key = app.admin_key();
    connection
        .send(format!(
            "POST /api/roles HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{}",
            "x".repeat(5000)
        ))
        .await;
    connection.send(HEALTH).await;
    let answer = connection.answer().await;
    answer.error(413, "body_too_large");
    assert_eq!(answer.header("connection"), None);
    assert_eq!(connection.answer().await.status, 200);
}

#[service_test]
async fn a_client_that_waits_for_100_continue_is_answered_at_once_with_connection_close() {
    let (app, cases) = start().await;
    for case in cases
        .iter()
        .filter(|case| [401, 403, 404, 405].contains(&case.status))
    {
        let mut connection = RawConnection::connect(&app.address).await;
        let expecting = "Content-Length: 100\r\nExpect: 100-continue\r\n";
        connection.send(case.head(expecting)).await;
        let answer = connection.answer().await;
        assert_eq!(answer.status, case.status, "{}", case.line);
        assert_eq!(answer.header("connection"), Some("close"), "{}", case.line);
        assert!(connection.closed().await.is_empty(), "{}", case.line);
    }
}
