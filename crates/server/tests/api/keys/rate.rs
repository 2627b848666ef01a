use kernel::Limits;
use reqwest::Method;
use serde_json::json;

use super::restrict;
use crate::support::{Answer, Client, TestApp, at_once, count};

/// Somebody whose key may make so many requests in a second.
async fn limited(app: &TestApp, permissions: &[&str], rate: u32) -> (i64, Client) {
    let (id, client) = app.key(permissions).await;
    let body = json!({ "requests_per_second": rate });
    restrict(&app.admin(), id, body).await.ok();
    (id, client)
}

#[track_caller]
fn stands(answer: &Answer, limit: u32, remaining: u32) {
    let policy = format!("\"key\";q={limit};w=1");
    let standing = format!("\"key\";r={remaining};t=1");
    assert_eq!(answer.header("ratelimit-policy"), policy, "{answer:?}");
    assert_eq!(answer.header("ratelimit"), standing, "{answer:?}");
}

#[track_caller]
fn unlimited(answer: &Answer) {
    assert!(!answer.has_header("ratelimit"), "{answer:?}");
    assert!(!answer.has_header("ratelimit-policy"), "{answer:?}");
}

#[track_caller]
fn refused(answer: &Answer, limit: u32) {
    answer.error(429, "rate_limited");
    assert_eq!(answer.header("retry-after"), "1");
    stands(answer, limit, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_in_a_second_is_refused() {
    let app = TestApp::start().await;
    let (_, holder) = limited(&app, &["admin.roles.read"], 10).await;
    for _ in 0..3 {
        for left in (0..10).rev() {
            let answer = holder.get("/api/roles").await;
            answer.ok();
            stands(&answer, 10, left);
        }
        for _ in 0..15 {
            refused(&holder.get("/api/roles").await, 10);
        }
        app.pass(1);
    }
    app.pass(1000);
    stands(&holder.get("/api/roles").await, 10, 9);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_of_a_limited_key_says_how_it_stands() {
    let app = TestApp::start().await;
    let (id, holder) = limited(&app, &["admin.roles"], 100).await;
    let role = holder.post("/api/roles", json!({ "name": "Guard" })).await;
    role.created();
    stands(&role, 100, 99);
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
        stands(answer, 100, 97 - i as u32);
    }
    // Who is not let in, or never asked, has no limit to speak of.
    unlimited(&app.stranger().get("/api/roles").await);
    unlimited(&holder.get("/api/nowhere").await);
    unlimited(&app.admin().get("/api/roles").await);
    let body = json!({ "allowed_ips": ["192.0.2.1"] });
    restrict(&app.admin(), id, body).await.ok();
    let foreign = holder.get("/api/roles").await;
    foreign.unauthorized();
    unlimited(&foreign);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_comes_after_the_key_and_before_the_permission() {
    let app = TestApp::start().await;
    let (id, holder) = limited(&app, &["admin.roles.read"], 1).await;
    let body = json!({ "name": 7 });
    holder.get("/api/users").await.forbidden("admin.users.read");
    refused(&holder.get("/api/users").await, 1);
    refused(&holder.get("/api/roles/77").await, 1);
    refused(&holder.post("/api/roles", body.clone()).await, 1);
    holder.get("/api/nowhere").await.not_found();
    let path = format!("/api/api-keys/{id}");
    let off = json!({ "active": false });
    app.admin().put(&path, off).await.ok();
    holder.post("/api/roles", body).await.unauthorized();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_feels_it() {
    let app = TestApp::start().await;
    let (_, busy) = limited(&app, &["admin.roles.read"], 1).await;
    let (_, other) = limited(&app, &["admin.roles.read"], 2).await;
    let free = app.actor(&["admin.roles.read"]).await;
    busy.get("/api/roles").await.ok();
    for _ in 0..20 {
        refused(&busy.get("/api/roles").await, 1);
        let answer = free.get("/api/roles").await;
        answer.ok();
        unlimited(&answer);
    }
    other.get("/api/roles").await.ok();
    stands(&other.get("/api/roles").await, 2, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_once_exactly_as_many_get_in_as_may() {
    let app = TestApp::start().await;
    let (_, holder) = limited(&app, &["admin.roles.read"], 10).await;
    for _ in 0..3 {
        let requests = (0..200).map(|_| {
            let holder = holder.clone();
            async move { holder.get("/api/roles").await }
        });
        let answers = at_once(requests).await;
        assert_eq!((count(&answers, 200), count(&answers, 429)), (10, 190));
        app.pass(1);
    }
}

/// A write that is refused leaves nothing, and can be sent again under the same value.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_not_carried_out() {
    let app = TestApp::start().await;
    let (_, holder) = limited(&app, &["admin.roles"], 1).await;
    let careful = holder.with("Idempotency-Key", "once");
    let body = json!({ "name": "Guard" });
    holder.get("/api/roles").await.ok();
    refused(&careful.post("/api/roles", body.clone()).await, 1);
    let roles = app.admin().get("/api/roles").await;
    assert_eq!(roles.header("x-total-count"), "0");
    app.pass(1);
    careful.post("/api/roles", body.clone()).await.created();
    // A replay is a request like any other.
    refused(&careful.post("/api/roles", body.clone()).await, 1);
    app.pass(1);
    let replay = careful.post("/api/roles", body).await;
    replay.created();
    assert_eq!(replay.header("idempotent-replayed"), "true");
    stands(&replay, 1, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_outlives_other_changes_and_goes_when_it_is_lifted() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let (id, holder) = limited(&app, &["admin.roles.read"], 3).await;
    stands(&holder.get("/api/roles").await, 3, 2);
    // The keys are read anew after this, and what was counted stays.
    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "name": "Other" })).await.ok();
    stands(&holder.get("/api/roles").await, 3, 1);
    let overlap = json!({ "overlap_seconds": 60 });
    let rotated = admin.post(&format!("{path}/rotate"), overlap).await.ok();
    let renewed = app.holder(super::value(&rotated));
    stands(&renewed.get("/api/roles").await, 3, 0);
    refused(&holder.get("/api/roles").await, 3);

    let more = json!({ "requests_per_second": 5 });
    restrict(&admin, id, more).await.ok();
    stands(&holder.get("/api/roles").await, 5, 1);
    let fewer = json!({ "requests_per_second": 2 });
    restrict(&admin, id, fewer).await.ok();
    refused(&holder.get("/api/roles").await, 2);
    let none = json!({ "requests_per_second": null });
    restrict(&admin, id, none).await.ok();
    for _ in 0..10 {
        unlimited(&holder.get("/api/roles").await);
    }
    let again = json!({ "requests_per_second": 1 });
    restrict(&admin, id, again).await.ok();
    stands(&holder.get("/api/roles").await, 1, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_can_limit_keys_that_have_no_limit_of_their_own() {
    let app = TestApp::start_with(Limits {
        requests_per_second: Some(5),
        ..Limits::default()
    })
    .await;
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    stands(&holder.get("/api/roles").await, 5, 4);
    app.pass(1);
    let more = json!({ "requests_per_second": 7 });
    restrict(&app.admin(), id, more).await.ok();
    for left in (0..7).rev() {
        stands(&holder.get("/api/roles").await, 7, left);
    }
    refused(&holder.get("/api/roles").await, 7);
}

/// What was counted is with the key, and a limit set elsewhere is felt here.
#[tokio::test(flavor = "multi_thread")]
async fn every_instance_counts_for_itself() {
    let app = TestApp::start().await;
    let second = app.second_instance().await;
    let (_, holder) = limited(&app, &["admin.roles.read"], 2).await;
    let elsewhere = second.holder(holder.key_value());
    crate::support::within_a_second("the news arrive", async || {
        let answer = elsewhere.get("/api/roles").await;
        answer.has_header("ratelimit")
    })
    .await;
    second.app.clock.advance(1);
    for client in [&holder, &elsewhere] {
        for left in [1, 0] {
            stands(&client.get("/api/roles").await, 2, left);
        }
        refused(&client.get("/api/roles").await, 2);
    }
}
