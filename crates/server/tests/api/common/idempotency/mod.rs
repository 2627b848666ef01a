//! `Idempotency-Key`: a request sent twice runs once.

mod interrupted;
mod secrets;
mod stored;

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Client, RawConnection, TestApp, at_once, count};

const HEADER: &str = "Idempotency-Key";

fn is_replayed(answer: &Answer) -> bool {
    answer.has_header("idempotent-replayed")
}

fn holds(bytes: &[u8], text: &str) -> bool {
    let mut windows = bytes.windows(text.len());
    windows.any(|window| window == text.as_bytes())
}

/// Sends the same request 50 times at once and returns the body that all answers share.
async fn send_fifty_at_once(caller: &Client, path: &'static str, body: Value) -> Value {
    let send = |caller: Client, body: Value| async move { caller.post(path, body).await };
    let answers = at_once((0..50).map(|_| send(caller.clone(), body.clone()))).await;
    assert_eq!(count(&answers, 201), 50);
    let first = answers.iter().filter(|answer| !is_replayed(answer));
    assert_eq!(first.count(), 1);
    let bodies: BTreeSet<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    answers[0].json()
}

#[service_test]
async fn fifty_creates_at_once_with_one_idempotency_key_create_one_role(app: TestApp) {
    let caller = app.admin().with(HEADER, "role-1");
    let made = send_fifty_at_once(&caller, "/api/roles", json!({ "name": "Guard" })).await;
    let listed = app.admin().get("/api/roles").await.ok();
    assert_eq!(listed["roles"], json!([made["role"]]));
    assert_eq!(
        app.admin()
            .total("/api/audit-log?action=roles.create")
            .await,
        "1"
    );
}

#[service_test]
async fn fifty_regenerates_at_once_with_one_idempotency_key_get_the_same_value(app: TestApp) {
    let caller = app.admin().with(HEADER, "key-1");
    let made = send_fifty_at_once(&caller, "/api/api-keys", json!({ "name": "Shop" })).await;
    assert_eq!(app.admin().total("/api/api-keys").await, "2");
    let value = made["api_key"]["key"].as_str().expect("a value");
    app.holder(value).get("/api/permissions").await.ok();
}

#[service_test]
async fn another_api_key_can_use_the_same_idempotency_key(app: TestApp) {
    let other = app.actor(&["admin.roles"]).await.with(HEADER, "same");
    let admin = app.admin().with(HEADER, "same");
    let body = json!({ "name": "Guard" });
    let first = admin.post("/api/roles", body.clone()).await;
    let second = other.post("/api/roles", body).await;
    assert_ne!(
        first.created()["role"]["id"],
        second.created()["role"]["id"]
    );
    assert!(!is_replayed(&second));
    // The key is not taken for another request either.
    let third = app.actor(&["admin.roles"]).await.with(HEADER, "same");
    third.create_role("Cook").await;
}

#[service_test]
async fn an_idempotency_key_with_another_method_path_query_or_body_gives_422(admin: Client) {
    for name in ["Guard", "Cook"] {
        admin.create_role(name).await;
    }
    let caller = admin.with(HEADER, "once");
    let body = || Some(json!({ "name": "Smith" }));
    caller.send(Method::PUT, "/api/roles/1", body()).await.ok();

    for (method, path, body) in [
        (Method::DELETE, "/api/roles/1", body()),
        (Method::PUT, "/api/roles/2", body()),
        (Method::PUT, "/api/roles/1?", body()),
        (Method::PUT, "/api/roles/1?x=1", body()),
        (
            Method::PUT,
            "/api/roles/1",
            Some(json!({ "name": "Smith2" })),
        ),
        (Method::PUT, "/api/roles/1", None),
        (Method::POST, "/api/roles", body()),
    ] {
        let answer = caller.send(method, path, body).await;
        answer.error(422, "idempotency_key_reused");
    }
    let names = admin.get("/api/roles").await.ok();
    assert_eq!(names["roles"][0]["name"], "Smith");
    assert_eq!(names["roles"][1]["name"], "Cook");
    let again = caller.send(Method::PUT, "/api/roles/1", body()).await;
    assert!(is_replayed(&again));
    again.ok();
}

#[service_test]
async fn a_failed_request_can_be_corrected_with_the_same_idempotency_key(admin: Client) {
    let caller = admin.with(HEADER, "try");
    let answer = caller.post("/api/roles", json!({ "name": " " })).await;
    answer.invalid(&[("name", "must not be blank")]);
    let text = Some(("text/plain", b"{}".to_vec()));
    let wrong_kind = caller.send_bytes(Method::POST, "/api/roles", text).await;
    wrong_kind.error(415, "unsupported_media_type");
    let body = json!({ "name": "Cook" });
    caller.put("/api/roles/1", body.clone()).await.not_found();
    let created = caller.post("/api/roles", json!({ "name": "Guard" })).await;
    assert!(!is_replayed(&created));
    created.created();

    let caller = admin.with(HEADER, "try-again");
    let late = caller.with("If-Match", "\"another\"");
    let answer = late.put("/api/roles/1", body.clone()).await;
    answer.error(412, "precondition_failed");
    let updated = caller.put("/api/roles/1", body).await;
    assert!(!is_replayed(&updated));
    updated.ok();
}

const RULE: &str = "must be 1 to 255 visible ASCII characters";

#[service_test]
async fn an_idempotency_key_has_1_to_255_visible_ascii_characters_422(app: TestApp, admin: Client) {
    let body = || json!({ "name": "Guard" });
    for good in ["a", "!", "~", &"x".repeat(255), "\"quoted\""] {
        let caller = admin.with(HEADER, good);
        caller.post("/api/roles", body()).await.created();
        assert!(
            is_replayed(&caller.post("/api/roles", body()).await),
            "{good}"
        );
    }
    for bad in ["", "a b", "a\tb", &"x".repeat(256)] {
        let caller = admin.with(HEADER, bad);
        caller
            .post("/api/roles", body())
            .await
            .invalid(&[(HEADER, RULE)]);
    }
    let mut connection = RawConnection::connect(&app.address).await;
    connection
        .send(format!(
            "POST /api/roles HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 12\r\n",
            app.admin_key()
        ))
        .await;
    connection
        .send(b"Idempotency-Key: caf\xc3\xa9\r\n\r\n")
        .await;
    connection.send(br#"{"name":"x"}"#).await;
    let answer = connection.answer().await;
    assert_eq!(answer.status, 422);
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(body["errors"], json!({ HEADER: [RULE] }));
    assert_eq!(admin.total("/api/roles").await, "5");
}

#[service_test]
async fn a_replay_needs_a_valid_key_and_the_permission_401_403(app: TestApp, admin: Client) {
    let (id, caller) = app.key(&["admin.roles"]).await;
    let caller = caller.with(HEADER, "once");
    let body = || json!({ "name": "Guard" });
    caller.post("/api/roles", body()).await.created();

    let path = format!("/api/api-keys/{id}/permissions");
    let answer = admin.put(&path, json!({ "permission_ids": [11] })).await;
    answer.ok();
    let answer = caller.post("/api/roles", body()).await;
    answer.forbidden("admin.roles");
    let answer = admin.put(&path, json!({ "permission_ids": [3] })).await;
    answer.ok();
    assert!(is_replayed(&caller.post("/api/roles", body()).await));
    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "active": false })).await.ok();
    caller.post("/api/roles", body()).await.unauthorized();
}

#[service_test]
async fn a_read_ignores_the_idempotency_key(app: TestApp) {
    let caller = app.admin().with(HEADER, "not valid");
    let first = caller.get("/api/roles").await;
    first.ok();
    assert!(!is_replayed(&first));
}
