//! Every write can be repeated under its `Idempotency-Key` and runs once.

use serde_json::{Value, json};

use super::document::writes;
use super::fixtures;
use super::writes::{audit, state};
use crate::support::{Client, TestApp};

#[service_test]
async fn every_write_is_replayed_under_its_idempotency_key(app: TestApp, admin: Client) {
    for operation in writes(&app).await {
        let id = &operation.id;
        let fixture = fixtures::fixture(&operation, &app).await;
        let caller = admin.with("Idempotency-Key", id);
        let first = fixture.send(&caller, &operation).await;
        assert_eq!(
            first.status.to_string(),
            operation.success(),
            "{id}: {}",
            first.text
        );
        assert!(!first.has_header("idempotent-replayed"), "{id}");
        let done = state(&admin, &operation, &fixture).await;
        let (entries, _) = audit(&admin).await;

        for _ in 0..2 {
            let again = fixture.send(&caller, &operation).await;
            assert_eq!(
                (again.status, &again.text),
                (first.status, &first.text),
                "{id}"
            );
            assert_eq!(again.header("idempotent-replayed"), "true", "{id}");
            for name in ["etag", "location"] {
                assert_eq!(again.headers.get(name), first.headers.get(name), "{id}");
            }
            assert_eq!(again.header("content-type"), "application/json", "{id}");
        }
        assert_eq!(state(&admin, &operation, &fixture).await, done, "{id}");
        assert_eq!(audit(&admin).await.0, entries, "{id}");
    }
}

#[service_test]
async fn an_idempotency_key_reused_for_another_request_gives_422(app: TestApp, admin: Client) {
    for operation in writes(&app).await {
        let id = &operation.id;
        let mut fixture = fixtures::fixture(&operation, &app).await;
        let other = fixtures::fixture(&operation, &app).await;
        let caller = admin.with("Idempotency-Key", id);
        let first = fixture.send(&caller, &operation).await;
        assert_eq!(
            first.status.to_string(),
            operation.success(),
            "{id}: {}",
            first.text
        );
        let (entries, _) = audit(&admin).await;

        if let Some(body) = &mut fixture.body {
            body["unknown"] = Value::from("but not ignored here");
            let answer = fixture.send(&caller, &operation).await;
            answer.error(422, "idempotency_key_reused");
        }
        if operation.has_target() {
            let answer = other.send(&caller, &operation).await;
            answer.error(422, "idempotency_key_reused");
        }
        let elsewhere = caller.post("/api/roles", json!({ "name": id })).await;
        elsewhere.error(422, "idempotency_key_reused");
        assert_eq!(audit(&admin).await.0, entries, "{id}");
    }
}
