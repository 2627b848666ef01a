use reqwest::Method;
use serde_json::json;

use super::restrict;
use crate::support::{Answer, Client, TestApp, at_once, count};

/// A client whose key may make `rate` requests a second.
async fn key_with_limit(app: &TestApp, permissions: &[&str], rate: u32) -> (i64, Client) {
    let (id, client) = app.key(permissions).await;
    let body = json!({ "requests_per_second": rate });
    restrict(&app.admin(), id, body).await.ok();
    (id, client)
}

#[track_caller]
fn assert_ratelimit(answer: &Answer, limit: u32, remaining: u32) {
    let policy = format!("\"key\";q={limit};w=1");
    let standing = format!("\"key\";r={remaining};t=1");
    assert_eq!(answer.header("ratelimit-policy"), policy, "{answer:?}");
    assert_eq!(answer.header("ratelimit"), standing, "{answer:?}");
}

#[track_caller]
fn assert_no_ratelimit(answer: &Answer) {
    assert!(!answer.has_header("ratelimit"), "{answer:?}");
    assert!(!answer.has_header("ratelimit-policy"), "{answer:?}");
}

#[track_caller]
fn assert_429(answer: &Answer, limit: u32) {
    answer.error(429, "rate_limited");
    assert_eq!(answer.header("retry-after"), "1");
    assert_ratelimit(answer, limit, 0);
}

#[service_test]
async fn requests_over_the_limit_get_429(app: TestApp) {
    let (_, holder) = key_with_limit(&app, &["admin.roles.read"], 10).await;
    for _ in 0..3 {
        for left in (0..10).rev() {
            let answer = holder.get("/api/roles").await;
            answer.ok();
            assert_ratelimit(&answer, 10, left);
        }
        for _ in 0..15 {
            assert_429(&holder.get("/api/roles").await, 10);
        }
        app.advance(1);
    }
    app.advance(1000);
    assert_ratelimit(&holder.get("/api/roles").await, 10, 9);
}

#[service_test]
async fn every_answer_to_a_limited_key_has_ratelimit_headers(app: TestApp) {
    let (id, holder) = key_with_limit(&app, &["admin.roles"], 100).await;
    let role = holder.post("/api/roles", json!({ "name": "Guard" })).await;
    role.created();
    assert_ratelimit(&role, 100, 99);
    let read = holder.get("/api/roles/1").await;
    let known = holder.with("If-None-Match", read.header("etag"));
    let answers = [
        (holder.get("/api/roles/77").await, 404),
        (holder.get("/api/users").await, 403),
        (holder.get("/api/roles?page=x").await, 422),
        (holder.put("/api/roles/1", json!({ "name": 7 })).await, 422),
        (known.get("/api/roles/1").await, 304),
        (holder.send(Method::HEAD, "/api/roles", None).await, 200),
    ];
    for (i, (answer, status)) in answers.iter().enumerate() {
        assert_eq!(answer.status, *status);
        assert_ratelimit(answer, 100, 97 - i as u32);
    }
    // Answers to unknown keys and to requests without a key have no headers.
    assert_no_ratelimit(&app.anonymous().get("/api/roles").await);
    assert_no_ratelimit(&holder.get("/api/nowhere").await);
    assert_no_ratelimit(&app.admin().get("/api/roles").await);
    let body = json!({ "allowed_ips": ["192.0.2.1"] });
    restrict(&app.admin(), id, body).await.ok();
    let foreign = holder.get("/api/roles").await;
    foreign.unauthorized();
    assert_no_ratelimit(&foreign);
}

#[service_test]
async fn the_429_check_comes_after_401_and_before_403(app: TestApp) {
    let (id, holder) = key_with_limit(&app, &["admin.roles.read"], 1).await;
    let body = json!({ "name": 7 });
    holder.get("/api/users").await.forbidden("admin.users.read");
    assert_429(&holder.get("/api/users").await, 1);
    assert_429(&holder.get("/api/roles/77").await, 1);
    assert_429(&holder.post("/api/roles", body.clone()).await, 1);
    holder.get("/api/nowhere").await.not_found();
    let path = format!("/api/api-keys/{id}");
    let off = json!({ "active": false });
    app.admin().put(&path, off).await.ok();
    holder.post("/api/roles", body).await.unauthorized();
}

#[service_test]
async fn a_429_does_not_affect_other_keys(app: TestApp) {
    let (_, busy) = key_with_limit(&app, &["admin.roles.read"], 1).await;
    let (_, other) = key_with_limit(&app, &["admin.roles.read"], 2).await;
    let free = app.actor(&["admin.roles.read"]).await;
    busy.get("/api/roles").await.ok();
    for _ in 0..20 {
        assert_429(&busy.get("/api/roles").await, 1);
        let answer = free.get("/api/roles").await;
        answer.ok();
        assert_no_ratelimit(&answer);
    }
    other.get("/api/roles").await.ok();
    assert_ratelimit(&other.get("/api/roles").await, 2, 0);
}

#[service_test]
async fn of_many_requests_at_once_exactly_the_limit_passes_and_the_rest_get_429(app: TestApp) {
    let (_, holder) = key_with_limit(&app, &["admin.roles.read"], 10).await;
    for _ in 0..3 {
        let requests = (0..200).map(|_| {
            let holder = holder.clone();
            async move { holder.get("/api/roles").await }
        });
        let answers = at_once(requests).await;
        assert_eq!((count(&answers, 200), count(&answers, 429)), (10, 190));
        app.advance(1);
    }
}

/// A refused write changes nothing and can be repeated under the same Idempotency-Key.
#[service_test]
async fn a_write_with_429_does_nothing_and_keeps_its_idempotency_key_unused(app: TestApp) {
    let (_, holder) = key_with_limit(&app, &["admin.roles"], 1).await;
    let careful = holder.with("Idempotency-Key", "once");
    let body = json!({ "name": "Guard" });
    holder.get("/api/roles").await.ok();
    assert_429(&careful.post("/api/roles", body.clone()).await, 1);
    let roles = app.admin().get("/api/roles").await;
    assert_eq!(roles.header("x-total-count"), "0");
    app.advance(1);
    careful.post("/api/roles", body.clone()).await.created();
    // A replay counts as a request.
    assert_429(&careful.post("/api/roles", body.clone()).await, 1);
    app.advance(1);
    let replay = careful.post("/api/roles", body).await;
    replay.created();
    assert_eq!(replay.header("idempotent-replayed"), "true");
    assert_ratelimit(&replay, 1, 0);
}

#[service_test]
async fn a_limit_survives_other_changes_until_it_is_removed(app: TestApp, admin: Client) {
    let (id, holder) = key_with_limit(&app, &["admin.roles.read"], 3).await;
    assert_ratelimit(&holder.get("/api/roles").await, 3, 2);
    // The keys are reloaded after this, and the counted requests stay.
    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "name": "Other" })).await.ok();
    assert_ratelimit(&holder.get("/api/roles").await, 3, 1);
    let overlap = json!({ "overlap_seconds": 60 });
    let rotated = admin.post(&format!("{path}/rotate"), overlap).await.ok();
    let renewed = app.holder(super::new_value(&rotated));
    assert_ratelimit(&renewed.get("/api/roles").await, 3, 0);
    assert_429(&holder.get("/api/roles").await, 3);

    let more = json!({ "requests_per_second": 5 });
    restrict(&admin, id, more).await.ok();
    assert_ratelimit(&holder.get("/api/roles").await, 5, 1);
    let fewer = json!({ "requests_per_second": 2 });
    restrict(&admin, id, fewer).await.ok();
    assert_429(&holder.get("/api/roles").await, 2);
    let none = json!({ "requests_per_second": null });
    restrict(&admin, id, none).await.ok();
    for _ in 0..10 {
        assert_no_ratelimit(&holder.get("/api/roles").await);
    }
    let again = json!({ "requests_per_second": 1 });
    restrict(&admin, id, again).await.ok();
    assert_ratelimit(&holder.get("/api/roles").await, 1, 0);
}

#[service_test(TestApp::start_with(|limits| limits.requests_per_second = Some(5)))]
async fn the_default_limit_applies_to_keys_without_their_own(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    assert_ratelimit(&holder.get("/api/roles").await, 5, 4);
    app.advance(1);
    let more = json!({ "requests_per_second": 7 });
    restrict(&app.admin(), id, more).await.ok();
    for left in (0..7).rev() {
        assert_ratelimit(&holder.get("/api/roles").await, 7, left);
    }
    assert_429(&holder.get("/api/roles").await, 7);
}

/// Counters are per instance, but a limit set on one instance holds on all.
#[service_test]
async fn every_instance_counts_requests_on_its_own(app: TestApp) {
    let second = app.second_instance().await;
    let (_, holder) = key_with_limit(&app, &["admin.roles.read"], 2).await;
    let elsewhere = second.holder(holder.key_value());
    crate::support::within_a_second("the notification arrives", async || {
        let answer = elsewhere.get("/api/roles").await;
        answer.has_header("ratelimit")
    })
    .await;
    second.app.kernel.core.clock.advance(1);
    for client in [&holder, &elsewhere] {
        for left in [1, 0] {
            assert_ratelimit(&client.get("/api/roles").await, 2, left);
        }
        assert_429(&client.get("/api/roles").await, 2);
    }
}
