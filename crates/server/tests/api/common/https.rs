//! HTTPS: HTTP/1.1 and HTTP/2 with the same limits.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use axum::routing::get;
use bytes::Bytes;
use db::testing::Authority;
use kernel::Limits;
use kernel::http::connection::Certificates;
use kernel::http::middleware::Peer;
use serde_json::{Value, json};
use server::routes::{PublicPaths, router};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use crate::support::{RawConnection, SecureClient, TestApp, eventually, listen_with};

const SHORT: Duration = Duration::from_secs(2);

/// A service with TLS, and a client that trusts it.
struct Secured {
    app: TestApp,
    address: SocketAddr,
    client: SecureClient,
    stop: oneshot::Sender<()>,
}

impl Secured {
    async fn start(set: impl FnOnce(&mut Limits)) -> Self {
        let app = TestApp::start_with(set).await;
        let router = router(&app.app, PublicPaths::ALL);
        Self::serve(app, router).await
    }

    async fn serve(app: TestApp, router: Router) -> Self {
        let authority = Authority::new("Private");
        let identity = authority.issue("127.0.0.1");
        let (certificate, key) = identity.write(app.scratch.folder(), "tls");
        let certificates = Certificates::load(&certificate, &key).expect("usable");
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            let _ = stopped.await;
        };
        let address = listen_with(&app.app, router, Some(certificates), stopped).await;
        Self {
            app,
            address,
            client: SecureClient::trusting(&authority),
            stop,
        }
    }

    fn get(&self, path: &str) -> Request<Bytes> {
        self.request("GET", path, Bytes::new())
    }

    fn request(&self, method: &str, path: &str, body: impl Into<Bytes>) -> Request<Bytes> {
        Request::builder()
            .method(method)
            .uri(format!("https://{}{path}", self.address))
            .header("X-API-Key", self.app.admin_key())
            .header("Content-Type", "application/json")
            .body(body.into())
            .expect("a request")
    }
}

fn parsed(body: &Bytes) -> Value {
    serde_json::from_slice(body).expect("JSON")
}

#[service_test]
async fn http_1_and_http_2_are_chosen_by_alpn_and_answer_the_same() {
    let service = Secured::start(|_| ()).await;
    let http2 = service.client.http2(service.address).await;
    let body = json!({ "name": "Guard" }).to_string();
    let (status, body) = http2
        .send(service.request("POST", "/api/roles", body))
        .await
        .expect("answered");
    assert_eq!(status, 201, "{body:?}");
    let id = parsed(&body)["role"]["id"].clone();
    let path = format!("/api/roles/{id}");
    let (status, over_2) = http2.send(service.get(&path)).await.expect("answered");
    assert_eq!(status, 200);
    let key = service.app.admin_key();
    for protocols in [&["http/1.1"][..], &[]] {
        let stream = service.client.connect(service.address, protocols).await;
        let mut stream = stream.expect("connected");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("received");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        let (_, over_1) = answer.split_once("\r\n\r\n").expect("a body");
        assert_eq!(over_1.as_bytes(), over_2);
    }
    // Many at once, on one connection.
    let documents = (0..20).map(|_| http2.send(service.get("/openapi.json")));
    for document in futures_util::future::join_all(documents).await {
        let (status, body) = document.expect("answered");
        assert_eq!(status, 200);
        assert!(parsed(&body)["paths"].is_object());
    }
    // Without TLS there is no answer.
    let mut plain = RawConnection::connect(&format!("http://{}", service.address)).await;
    plain.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let received = plain.closed().await;
    assert!(!received.starts_with(b"HTTP/"), "{received:?}");
}

#[service_test]
async fn the_limits_of_requests_hold_for_http_2() {
    let service = Secured::start(|limits| limits.body_bytes = 1000).await;
    let http2 = service.client.http2(service.address).await;
    let long = json!({ "name": "x".repeat(2000) }).to_string();
    let request = service.request("POST", "/api/roles", long);
    let (status, body) = http2.send(request).await.expect("answered");
    assert_eq!(status, 413, "{body:?}");

    let mut many = service.get("/healthz");
    for i in 0..101 {
        let name = axum::http::HeaderName::try_from(format!("x-{i}")).expect("a name");
        many.headers_mut().insert(name, 1.into());
    }
    let (status, _) = http2.send(many).await.expect("answered");
    assert_eq!(status, 431);

    let mut large = service.get("/healthz");
    let value = "x".repeat(17 << 10).parse().expect("a value");
    large.headers_mut().insert("x-large", value);
    match http2.send(large).await {
        Ok((status, _)) => assert_eq!(status, 431),
        Err(error) => assert!(error.is_reset() || error.is_go_away(), "{error:?}"),
    }
    let http2 = service.client.http2(service.address).await;
    let (status, _) = http2.send(service.get("/healthz")).await.expect("answered");
    assert_eq!(status, 200);
}

#[service_test]
async fn handshakes_and_idle_connections_have_a_time_limit_and_a_slot() {
    // Long enough for the steps in between, also on a busy machine.
    const LIMIT: Duration = Duration::from_secs(5);
    let service = Secured::start(|limits| {
        limits.connections = 2;
        limits.header_time = LIMIT;
    })
    .await;
    let started = Instant::now();
    let mut silent = RawConnection::connect(&format!("http://{}", service.address)).await;
    let mut idle = service.client.http2(service.address).await;
    // Both slots are taken: a third connection serves probes only.
    let third = service.client.http2(service.address).await;
    for (path, expected) in [("/api/roles", 503), ("/healthz", 200), ("/metrics", 200)] {
        let (status, _) = third.send(service.get(path)).await.expect("answered");
        assert_eq!(status, expected, "{path}");
    }
    drop(third);
    assert!(silent.closed().await.is_empty());
    assert!(started.elapsed() >= LIMIT, "not before its time");
    idle.closed().await;
    // A connection in use stays, even if it is used seldom.
    let mut used = None;
    eventually("a slot is free", async || {
        let http2 = service.client.http2(service.address).await;
        let (status, _) = http2
            .send(service.get("/api/roles"))
            .await
            .expect("answered");
        used = (status == 200).then_some(http2);
        used.is_some()
    })
    .await;
    let used = used.expect("connected");
    for _ in 0..6 {
        let (status, _) = used.send(service.get("/healthz")).await.expect("answered");
        assert_eq!(status, 200);
        tokio::time::sleep(LIMIT / 3).await;
    }
}

#[service_test]
async fn a_client_that_takes_no_data_is_disconnected() {
    let service = Secured::start(|limits| limits.send_time = SHORT).await;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(1);
    let mut deaf = service.client.http2_with(service.address, &builder).await;
    let request = service.get("/openapi.json").map(|_| ());
    let (response, _sender) = deaf.requests.send_request(request, true).expect("sent");
    let started = Instant::now();
    let response = response.await.expect("a head");
    assert_eq!(response.status(), 200);
    deaf.closed().await;
    assert!(started.elapsed() >= SHORT, "not before its time");
    drop(response);
}

#[service_test]
async fn strict_transport_security_is_sent_over_tls_if_the_option_is_set() {
    for (seconds, expected) in [(31_536_000, Some("max-age=31536000")), (0, None)] {
        let service = Secured::start(|limits| limits.hsts_seconds = seconds).await;
        let mut http2 = service.client.http2(service.address).await;
        let request = service.get("/healthz").map(|_| ());
        let (response, _) = http2.requests.send_request(request, true).expect("sent");
        let response = response.await.expect("a head");
        let header = response.headers().get("strict-transport-security");
        let header = header.map(|value| value.to_str().expect("text"));
        assert_eq!(header, expected);
        // Plain HTTP must not have it (RFC 6797, section 7.2).
        let plain = service.app.anonymous().get("/healthz").await;
        assert!(!plain.has_header("strict-transport-security"));
    }
}

#[service_test]
async fn a_client_that_cancels_most_of_its_requests_is_disconnected(app: TestApp) {
    let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
    let handler = get(move || {
        let _ = started.send(());
        std::future::pending::<()>()
    });
    let service = Secured::serve(app, Router::new().route("/slow", handler)).await;
    let mut http2 = service.client.http2(service.address).await;
    let mut cancelled = 0;
    while http2.is_open() {
        assert!(cancelled < 5_000, "still connected");
        let Ok(mut requests) = http2.requests.clone().ready().await else {
            break;
        };
        let request = service.get("/slow").map(|_| ());
        let Ok((_response, mut sender)) = requests.send_request(request, true) else {
            break;
        };
        // Once it runs, HTTP/2 itself has no limit.
        tokio::select! {
            _ = starts.recv() => sender.send_reset(h2::Reason::CANCEL),
            () = http2.closed() => break,
        }
        cancelled += 1;
    }
    assert!(cancelled >= 100, "some are allowed: {cancelled}");
}

#[service_test]
async fn requests_over_http_2_are_limited_in_number() {
    let app = TestApp::start_with(|limits| {
        limits.connections = 4;
        limits.connections_per_address = 4;
    })
    .await;
    let slow = Router::new().route("/slow", get(std::future::pending::<()>));
    let service = Secured::serve(app, slow).await;
    let (one, two) = (
        service.client.http2(service.address).await,
        service.client.http2(service.address).await,
    );
    // On both connections together, one more than there may be.
    let requests = [&one, &one, &one, &two, &two].map(|c| Box::pin(c.send(service.get("/slow"))));
    let (first, _, others) = futures_util::future::select_all(requests).await;
    let (status, body) = first.expect("answered");
    assert_eq!(status, 503, "{body:?}");
    assert_eq!(parsed(&body)["code"], "busy");
    drop(others);
}

#[service_test]
async fn a_probe_is_answered_while_http_2_requests_hold_all_slots() {
    let service = Secured::start(|limits| {
        limits.connections = 4;
        limits.connections_per_address = 4;
    })
    .await;
    let http2 = service.client.http2(service.address).await;
    // Their bodies never end.
    let mut held = Vec::new();
    for _ in 0..4 {
        let mut request = service.request("POST", "/api/roles", String::new());
        let length = axum::http::HeaderValue::from_static("10");
        request.headers_mut().insert("content-length", length);
        let mut requests = http2.requests.clone().ready().await.expect("open");
        held.push(
            requests
                .send_request(request.map(|_| ()), false)
                .expect("sent"),
        );
    }
    let (status, _) = http2
        .send(service.get("/api/roles"))
        .await
        .expect("answered");
    assert_eq!(status, 503);
    for path in ["/healthz", "/readyz", "/metrics"] {
        let (status, _) = http2.send(service.get(path)).await.expect("answered");
        assert_eq!(status, 200, "{path}");
    }
    drop(held);
}

#[service_test]
async fn a_stop_lets_running_requests_finish_over_tls(app: TestApp) {
    let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
    let (go, gone) = tokio::sync::watch::channel(false);
    let handler = get(move || {
        let (started, mut gone) = (started.clone(), gone.clone());
        async move {
            let _ = started.send(());
            let _ = gone.wait_for(|go| *go).await;
            "finished"
        }
    });
    let service = Secured::serve(app, Router::new().route("/slow", handler)).await;
    let http2 = service.client.http2(service.address).await;
    let http1 = service.client.connect(service.address, &["http/1.1"]).await;
    let mut http1 = http1.expect("connected");
    let head = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
    http1.write_all(head).await.expect("sent");
    let request = service.get("/slow");
    let over_2 = tokio::spawn(async move {
        let answer = http2.send(request).await;
        (http2, answer)
    });
    for _ in 0..2 {
        starts.recv().await.expect("running");
    }
    service.stop.send(()).expect("it runs");
    eventually("it accepts no connections", async || {
        tokio::net::TcpStream::connect(service.address)
            .await
            .is_err()
    })
    .await;
    go.send_replace(true);
    let (mut http2, answer) = over_2.await.expect("no panic");
    let (status, body) = answer.expect("answered");
    assert_eq!((status, &body[..]), (200, &b"finished"[..]));
    http2.closed().await;
    let mut answer = String::new();
    http1.read_to_string(&mut answer).await.expect("closed");
    assert!(answer.ends_with("finished"), "{answer}");
}

#[service_test]
async fn handlers_know_whether_the_connection_has_tls(app: TestApp) {
    let handler = get(async |request: axum::extract::Request| {
        let peer = request.extensions().get::<Peer>().expect("a peer");
        peer.has_tls.to_string()
    });
    let router = Router::new().route("/tls", handler);
    let plain = crate::support::listen(&app.app, router.clone()).await;
    let plain = crate::support::Client::new(&plain, None);
    assert_eq!(plain.get("/tls").await.text, "false");
    let service = Secured::serve(app, router).await;
    let http2 = service.client.http2(service.address).await;
    let (_, body) = http2.send(service.get("/tls")).await.expect("answered");
    assert_eq!(body, "true");
    let http1 = service.client.connect(service.address, &["http/1.1"]).await;
    let mut http1 = http1.expect("connected");
    let head = b"GET /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    http1.write_all(head).await.expect("sent");
    let mut answer = String::new();
    http1.read_to_string(&mut answer).await.expect("received");
    assert!(answer.ends_with("true"), "{answer}");
}
