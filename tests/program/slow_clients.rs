use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::support::{HalfSentPost, Home, Program, within};

const PACE: Duration = Duration::from_secs(1);

#[tokio::test]
async fn the_program_serves_others_beside_64_slow_clients() {
    let home = Home::new().await;
    let service = home.start().await;
    let body = json!({ "name": "Slow" }).to_string();
    let mut slow = JoinSet::new();
    for _ in 0..32 {
        slow.spawn(send_head_slowly(&service).await);
        slow.spawn(send_body_slowly(&service, &body).await);
    }

    let admin = service.admin();
    let mut slowest = Duration::ZERO;
    let started = Instant::now();
    // Long enough for each slow client to send more bytes.
    while started.elapsed() < 3 * PACE {
        let asked = Instant::now();
        let role = json!({ "name": "Quick" });
        within(admin.post("/api/roles", role)).await.created();
        within(admin.get("/api/status")).await.ok();
        slowest = slowest.max(asked.elapsed());
    }
    assert!(slowest < Duration::from_secs(9), "{slowest:?}");
    assert_eq!(slow.try_join_next().map(|_| ()), None, "all still send");

    let roles = admin.get("/api/roles").await.ok();
    let roles = roles["roles"].as_array().expect("a list").clone();
    assert!(roles.iter().all(|role| role["name"] == "Quick"));
}

#[tokio::test]
async fn a_slow_client_is_answered() {
    let home = Home::new().await;
    let service = home.start().await;
    let body = json!({ "name": "Slow" }).to_string();
    let mut request = HalfSentPost::post(&service, "/api/roles", &body).await;
    for _ in 0..3 {
        request.send_byte().await;
        tokio::time::sleep(PACE).await;
    }
    // The service closes the connection after this answer, because it is stopping.
    service.signal("TERM");
    let answer = request.finish().await;
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    service.ended().await.ok();
}

/// Holds a connection and never finishes its headers.
async fn send_head_slowly(service: &Program) -> impl Future<Output = ()> + use<> {
    let mut stream = TcpStream::connect(&service.address)
        .await
        .expect("a connection");
    let first = stream.write_all(b"GET /api/roles HTTP/1.1\r\nx-slow: ");
    first.await.expect("the service reads");
    async move {
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(PACE).await;
        }
    }
}

/// Is authenticated and in the middle of its body.
async fn send_body_slowly(service: &Program, body: &str) -> impl Future<Output = ()> + use<> {
    let mut request = HalfSentPost::post(service, "/api/roles", body).await;
    async move {
        while request.send_byte().await {
            tokio::time::sleep(PACE).await;
        }
    }
}
