use serde_json::json;
use tokio::net::TcpStream;

use crate::support::{ADMIN_KEY, HalfSentPost, Home, within};

#[tokio::test]
async fn sigterm_lets_running_requests_finish() {
    assert_finishes_requests_on("TERM").await;
}

#[tokio::test]
async fn sigint_lets_running_requests_finish() {
    assert_finishes_requests_on("INT").await;
}

async fn assert_finishes_requests_on(signal: &str) {
    let home = Home::new().await;
    let service = home.start().await;
    let body = json!({ "name": "Sent slowly" }).to_string();
    let mut request = HalfSentPost::post(&service, "/api/roles", &body).await;
    request.send_byte().await;

    service.signal(signal);
    within(refuses_connections(&service.address)).await;
    let answer = request.finish().await;
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert!(answer.contains("\"Sent slowly\""), "{answer}");

    let ended = service.ended().await;
    ended.ok();
    let log = ended.log();
    assert_eq!(log.last().expect("a log")["message"], "stopped");

    let service = home.start().await;
    let roles = service.admin().get("/api/roles").await.ok();
    assert_eq!(roles["roles"][0]["name"], "Sent slowly");
}

/// Resolves when new connections are refused.
async fn refuses_connections(address: &str) {
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stream_of_events_does_not_delay_the_stop() {
    let home = Home::new().await;
    let service = home.start().await;
    let address = format!("http://{}/api/events", service.address);
    let http = reqwest::Client::builder().no_proxy().build();
    let request = http.expect("a client").get(address);
    let mut stream = request
        .header("X-API-Key", ADMIN_KEY)
        .send()
        .await
        .expect("an answer");
    assert_eq!(stream.status(), 200);
    let started = std::time::Instant::now();
    service.stop().await.ok();
    assert!(started.elapsed().as_secs() < 20, "it waited for the stream");
    while let Some(_rest) = stream.chunk().await.expect("a proper end") {}
}

#[tokio::test]
async fn an_idle_connection_does_not_delay_the_stop() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    // Its connection stays open for the next request.
    admin.get("/api/status").await.ok();
    let started = std::time::Instant::now();
    service.stop().await.ok();
    assert!(
        started.elapsed().as_secs() < 5,
        "it waited for an idle caller"
    );
    drop(admin);
}
