//! Connections: how many at once, how slow, and how long.

use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use kernel::Limits;
use serde_json::json;

use crate::support::{Client, RawConnection, TestApp, eventually, listen};

const SHORT: Duration = Duration::from_millis(400);
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
/// 401, and 503 over a connection above a limit.
const STATUS: &str = "GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n";

#[service_test]
async fn sixty_four_slow_clients_do_not_delay_another(app: TestApp, admin: Client) {
    for _ in 0..64 {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.send("G").await;
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                connection.try_send("E").await;
            }
        });
    }
    for number in 0..20 {
        admin.create_role(&format!("Role {number}")).await;
        admin.get("/api/roles").await.ok();
    }
}

#[service_test(TestApp::start_with(|limits| limits.header_time = SHORT))]
async fn a_client_that_is_idle_or_sends_headers_too_slowly_is_disconnected(app: TestApp) {
    let started = Instant::now();

    let mut silent = RawConnection::connect(&app.address).await;
    let mut halfway = RawConnection::connect(&app.address).await;
    halfway.send("GET /api/status HTTP/1.1\r\nHo").await;
    let mut idle = RawConnection::connect(&app.address).await;
    idle.send(HEALTH).await;
    assert_eq!(idle.answer().await.status, 200);
    let mut trickling = RawConnection::connect(&app.address).await;
    trickling.send("GET /api/status HTTP/1.1\r\n").await;
    for _ in 0..20 {
        trickling.try_send("a: b\r\n").await;
        tokio::time::sleep(SHORT / 10).await;
    }
    for connection in [&mut silent, &mut halfway, &mut idle, &mut trickling] {
        let received = connection.closed().await;
        assert!(received.is_empty() || received.starts_with(b"HTTP/1.1 408"));
    }
    assert!(started.elapsed() >= SHORT, "not before their time");
}

#[service_test]
async fn a_client_that_does_not_read_its_responses_is_disconnected() {
    let app = TestApp::start_with(|limits| {
        limits.connections = 1;
        limits.send_time = SHORT;
    })
    .await;
    let mut deaf = RawConnection::connect(&app.address).await;
    let started = Instant::now();
    // More than all buffers on the way can hold.
    let document = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
    deaf.try_send(document.repeat(200)).await;
    eventually("its connection slot is free", async || {
        let mut next = RawConnection::connect(&app.address).await;
        next.send(STATUS).await;
        next.answer().await.status == 401
    })
    .await;
    assert!(started.elapsed() >= SHORT, "not before its time");
}

/// Whether a client that reads 100 KiB a second is disconnected soon after `send_time`.
async fn is_too_slow(send_rate: u64, send_time: Duration, patience: Duration) -> bool {
    let app = TestApp::start_with(|limits| {
        limits.send_time = send_time;
        limits.send_rate = send_rate;
    })
    .await;
    let mut slow = RawConnection::connect_slow_reader(&app.address).await;
    let document = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
    slow.send(document.repeat(20)).await;
    let started = Instant::now();
    while started.elapsed() < patience {
        if slow.read_some(10 << 10).await == 0 {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

#[service_test]
async fn a_client_that_reads_below_the_least_rate_is_disconnected() {
    assert!(is_too_slow(10 << 20, Duration::from_secs(1), Duration::from_secs(60)).await);
}

#[service_test]
async fn a_client_that_reads_slowly_but_above_the_least_rate_is_not_disconnected() {
    assert!(!is_too_slow(1 << 10, Duration::from_secs(6), Duration::from_secs(9)).await);
}

/// How many bytes of a document of 500 KiB a client gets at 200 KiB a second, above the least rate.
async fn read_slowly(response_time: Duration) -> usize {
    let app = TestApp::start_with(|limits| limits.response_time = response_time).await;
    let mut slow = RawConnection::connect_slow_reader(&app.address).await;
    let head = "GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    slow.send(head).await;
    let mut bytes = 0;
    loop {
        match slow.read_some(20 << 10).await {
            0 => return bytes,
            read => bytes += read,
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[service_test]
async fn a_client_that_reads_above_the_least_rate_is_disconnected_after_the_total_time() {
    let document = include_str!("../../../../../openapi.json").len();
    assert!(read_slowly(Duration::from_millis(500)).await < document);
    assert!(read_slowly(Duration::from_secs(60)).await > document);
}

/// Each response has its own time, whatever came before on the connection.
#[service_test]
async fn the_total_time_begins_with_each_response() {
    const RESPONSE_TIME: Duration = Duration::from_secs(8);
    const PAUSE: Duration = Duration::from_millis(2500);
    let app = TestApp::start_with(|limits| limits.response_time = RESPONSE_TIME).await;
    let body = async || vec![b'x'; 1 << 20];
    let router = Router::new().route("/large", get(body));
    let router = kernel::http::wrap(&app.app.kernel, router);
    let address = listen(&app.app, router).await;
    let mut slow = RawConnection::connect_slow_reader(&address).await;
    let started = Instant::now();
    for _ in 0..4 {
        slow.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await;
        tokio::time::sleep(PAUSE).await;
        assert_eq!(slow.answer().await.body.len(), 1 << 20);
    }
    assert!(started.elapsed() > RESPONSE_TIME);
}

#[service_test]
async fn a_response_that_pauses_because_the_service_has_nothing_to_send_is_not_cut_off() {
    const SEND_TIME: Duration = Duration::from_secs(2);
    let app = TestApp::start_with(|limits| {
        limits.send_time = SEND_TIME;
        limits.send_rate = 10 << 20;
    })
    .await;
    let part = |number: usize| async move {
        if number > 0 {
            tokio::time::sleep(2 * SEND_TIME).await;
        }
        Ok::<_, std::io::Error>(vec![b'x'; 100_000])
    };
    let parts = move || futures_util::StreamExt::then(futures_util::stream::iter(0..3), part);
    let body = async move || axum::body::Body::from_stream(parts());
    let router = Router::new().route("/pauses", get(body));
    let router = kernel::http::wrap(&app.app.kernel, router);
    let client = Client::new(&listen(&app.app, router).await, None);
    assert_eq!(client.get("/pauses").await.text.len(), 300_000);
}

#[service_test]
async fn a_connection_over_the_limit_of_its_address_gets_503_and_others_are_served() {
    let four = |limits: &mut Limits| {
        limits.connections = 4;
        limits.connections_per_address = 2;
    };
    let app = TestApp::start_with(four).await;
    let mut held = hold(&app, 2).await;
    app.anonymous().get("/docs").await.error(503, "busy");
    let other = app.anonymous().at("127.0.0.2");
    assert_eq!(other.get("/docs").await.status, 200);
    // Open connections are not affected, and free their slots.
    held[0].send(HEALTH).await;
    assert_eq!(held[0].answer().await.status, 200);
    drop(held);
    eventually("its connection slots are free", async || {
        app.anonymous().get("/docs").await.status == 200
    })
    .await;

    let proxy = "127.0.0.1".parse().expect("an address");
    let app = TestApp::start_with(|limits| {
        four(limits);
        limits.trusted_proxies = [proxy].into_iter().collect();
    })
    .await;
    let _held = hold(&app, 3).await;
    assert_eq!(app.anonymous().get("/docs").await.status, 200);
}

/// Opens connections and leaves them idle.
async fn hold(app: &TestApp, count: usize) -> Vec<RawConnection> {
    let mut held = Vec::new();
    for _ in 0..count {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.send(HEALTH).await;
        assert_eq!(connection.answer().await.status, 200);
        held.push(connection);
    }
    held
}

#[service_test]
async fn the_number_of_connections_that_are_being_told_503_is_limited() {
    let app = TestApp::start_with(|limits| {
        limits.connections = 0;
        limits.refusals = 2;
    })
    .await;
    // They keep the service waiting for a request that it can answer.
    let mut silent = Vec::new();
    for _ in 0..2 {
        silent.push(RawConnection::connect(&app.address).await);
    }
    let mut further = RawConnection::connect(&app.address).await;
    further.try_send(HEALTH).await;
    assert!(
        further.closed().await.is_empty(),
        "closed without an answer"
    );
    for connection in &mut silent {
        assert!(connection.closed().await.is_empty());
    }
    app.anonymous().get("/docs").await.error(503, "busy");
}

/// Connections that are held are not idle for too long, also on a busy machine.
fn two_patient_connections(limits: &mut Limits) {
    limits.connections = 2;
    limits.header_time = Duration::from_secs(120);
}

#[service_test(TestApp::start_with(two_patient_connections))]
async fn probes_and_metrics_are_answered_while_clients_hold_all_connections(app: TestApp) {
    let _held = hold(&app, 2).await;
    for _ in 0..20 {
        for path in ["/healthz", "/readyz", "/metrics"] {
            let answer = app.anonymous().get(path).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.header("connection"), "close");
        }
        app.admin().get("/api/roles").await.error(503, "busy");
    }
    // One connection carries one probe, so that it cannot be held.
    let mut probe = RawConnection::connect(&app.address).await;
    probe.send([HEALTH, HEALTH].concat()).await;
    assert_eq!(probe.answer().await.status, 200);
    assert!(probe.closed().await.is_empty());
}

#[service_test(TestApp::start_with(two_patient_connections))]
async fn a_connection_over_the_limit_gets_503(app: TestApp, admin: Client) {
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut connection = RawConnection::connect(&app.address).await;
        connection.send(HEALTH).await;
        assert_eq!(connection.answer().await.status, 200);
        held.push(connection);
    }
    // Whatever it sends, it can read the answer.
    for size in [1, 1000, 500_000].repeat(10) {
        let body = json!({ "name": "x".repeat(size) });
        let answer = app.admin().post("/api/roles", body).await;
        answer.error(503, "busy");
        assert_eq!(answer.header("retry-after"), "1");
    }
    // Open connections are not affected.
    for connection in &mut held {
        connection.send(HEALTH).await;
        assert_eq!(connection.answer().await.status, 200);
    }
    drop(held);
    let deadline = Instant::now() + Duration::from_secs(60);
    while admin.get("/api/status").await.status == 503 {
        assert!(
            Instant::now() < deadline,
            "connection slots become free again"
        );
        tokio::task::yield_now().await;
    }
}

#[service_test]
async fn one_connection_carries_many_requests(app: TestApp) {
    let mut connection = RawConnection::connect(&app.address).await;
    let key = app.admin_key();
    for _ in 0..3 {
        connection.send(HEALTH).await;
        assert_eq!(connection.answer().await.body, b"ok\n");
        connection
            .send(format!(
                "GET /api/roles/99 HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\r\n"
            ))
            .await;
        connection.answer().await.error(404, "not_found");
    }
    connection
        .send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(connection.answer().await.status, 200);
    assert!(connection.closed().await.is_empty());
}

#[service_test]
async fn pipelined_requests_are_answered_in_order(app: TestApp) {
    let mut connection = RawConnection::connect(&app.address).await;
    let key = app.admin_key();
    let mut requests = String::new();
    for number in 1..=10 {
        let body = json!({ "name": format!("Role {number}") }).to_string();
        requests += &format!(
            "POST /api/roles HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\
             X-Request-Id: ahead-{number}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    connection.send(requests).await;
    for number in 1..=10 {
        let answer = connection.answer().await;
        assert_eq!(answer.status, 201);
        assert_eq!(
            answer.header("x-request-id"),
            Some(&*format!("ahead-{number}"))
        );
        let body = String::from_utf8(answer.body).expect("text");
        assert!(body.contains(&format!("\"Role {number}\"")), "{body}");
    }
}
