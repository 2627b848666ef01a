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
    let whole = tokio::spawn(async move {
        while let Some(_part) = stream.chunk().await.expect("a proper end") {}
    });
    let started = std::time::Instant::now();
    service.stop().await.ok();
    assert!(started.elapsed().as_secs() < 20, "it waited for the stream");
    whole.await.expect("the stream ends");
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
        started.elapsed().as_secs() < 9,
        "it waited for an idle caller"
    );
    drop(admin);
}

/// Longer than any test waits.
const LONG_DRAIN: [&str; 2] = ["--drain-seconds", "300"];

#[tokio::test]
async fn sigterm_after_a_probe_of_readyz_gives_503_there_before_the_stop() {
    let home = Home::new().await;
    let service = home.start_with(&LONG_DRAIN).await;
    let anonymous = service.anonymous();
    assert_eq!(anonymous.get("/readyz").await.status, 200);
    let kept_alive = service.admin();
    kept_alive.get("/api/status").await.ok();

    service.signal("TERM");
    within(async {
        while anonymous.get("/readyz").await.status == 200 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let refused = service.anonymous().get("/readyz").await;
    assert_eq!(refused.expect(503)["code"], "stopping");
    // Requests are still answered, on old connections and on new ones, each of which is the last.
    for client in [&kept_alive, &service.admin()] {
        let answer = client.begin("/api/status").await;
        assert_eq!(answer.status().as_u16(), 200);
        assert_eq!(answer.headers()["connection"], "close");
    }
    assert_eq!(anonymous.get("/healthz").await.status, 200);

    // Ends the drain.
    service.signal("INT");
    service.ended().await.ok();
}

#[tokio::test]
async fn sigterm_without_a_probe_and_sigint_stop_at_once() {
    let home = Home::new().await;
    let service = home.start_with(&LONG_DRAIN).await;
    service.anonymous().get("/healthz").await;
    service.stop().await.ok();

    let service = home.start_with(&LONG_DRAIN).await;
    assert_eq!(service.anonymous().get("/readyz").await.status, 200);
    service.signal("INT");
    service.ended().await.ok();
}
