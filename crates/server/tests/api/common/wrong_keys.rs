//! A network that sends many wrong keys.

use serde_json::json;

use crate::support::{TestApp, at_once, unknown_key};

async fn start() -> TestApp {
    TestApp::start_with(|limits| limits.wrong_keys_per_minute = 5).await
}

#[service_test(start())]
async fn a_network_that_sends_many_wrong_keys_gets_429_while_a_valid_key_passes(app: TestApp) {
    for _ in 0..5 {
        let stranger = app.holder(&unknown_key());
        stranger.get("/api/roles").await.unauthorized();
    }
    app.advance(20);
    let stranger = app.holder(&unknown_key());
    for _ in 0..3 {
        let answer = stranger.get("/api/roles").await;
        answer.error(429, "too_many_wrong_keys");
        assert_eq!(answer.header("retry-after"), "40");
        let answer = stranger.post("/api/roles", json!({})).await;
        answer.error(429, "too_many_wrong_keys");
    }
    // A valid key passes, also one that was not used before, and so does a request without a key.
    app.admin().get("/api/roles").await.ok();
    let new = app.actor(&["admin.roles.read"]).await;
    new.get("/api/roles").await.ok();
    app.anonymous().get("/api/roles").await.unauthorized();
    // Another network is not affected.
    let elsewhere = stranger.at("127.0.0.2");
    elsewhere.get("/api/roles").await.unauthorized();

    app.advance(40);
    stranger.get("/api/roles").await.unauthorized();
}

#[service_test(start())]
async fn concurrent_wrong_keys_do_not_exceed_the_limit(app: TestApp) {
    let stranger = app.holder(&unknown_key());
    let requests = (0..50).map(|_| {
        let stranger = stranger.clone();
        async move { stranger.get("/api/roles").await.status }
    });
    let answers = at_once(requests).await;
    let refused = answers.iter().filter(|status| **status == 401).count();
    let throttled = answers.iter().filter(|status| **status == 429).count();
    assert_eq!((refused, throttled), (5, 45));
}

#[service_test(start())]
async fn a_revoked_key_counts_as_a_wrong_one(app: TestApp) {
    let (id, revoked) = app.key(&["admin.roles.read"]).await;
    revoked.get("/api/roles").await.ok();
    let answer = app.admin().delete(&format!("/api/api-keys/{id}")).await;
    answer.ok();
    for _ in 0..5 {
        revoked.get("/api/roles").await.unauthorized();
    }
    let answer = revoked.get("/api/roles").await;
    answer.error(429, "too_many_wrong_keys");
}
