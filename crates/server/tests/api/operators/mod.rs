//! Operators: who may use the console.

mod escalation;
mod invitations;
mod sessions;

use serde_json::json;

use crate::support::{Client, TestApp, assert_fields};

const FIELDS: [&str; 8] = [
    "user_id",
    "username",
    "email",
    "permissions",
    "active",
    "two_factor",
    "last_sign_in_at",
    "created_at",
];

#[service_test]
async fn an_operator_lives_from_put_to_delete(app: TestApp, admin: Client) {
    let id = app.user("anna").await;
    let path = format!("/api/operators/{id}");
    admin.get(&path).await.not_found();
    admin.delete(&path).await.not_found();
    admin.put("/api/operators/99", json!({})).await.not_found();
    let conditional = admin.with("If-Match", "*");
    let absent = conditional.put(&path, json!({})).await;
    absent.error(412, "precondition_failed");
    let wrong = admin.put(&path, json!({ "permission_ids": [99] })).await;
    wrong.error(422, "validation_failed");

    let once = admin.with("Idempotency-Key", "make");
    let made = once.put(&path, json!({ "permission_ids": [3, 13] })).await;
    assert_fields(&made.created(), &["message", "operator"]);
    assert_eq!(made.header("location"), path);
    let again = once.put(&path, json!({ "permission_ids": [3, 13] })).await;
    assert_eq!(again.created(), made.json(), "also a replay is 201");
    assert_eq!(again.header("location"), path);
    let operator = made.json()["operator"].clone();
    assert_fields(&operator, &FIELDS);
    assert_eq!(operator["permissions"][1]["name"], "admin.users.read");
    assert_eq!(
        (&operator["active"], &operator["two_factor"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(operator["last_sign_in_at"], json!(null));
    let single = admin.get(&path).await;
    assert_eq!(single.ok()["operator"], operator);

    let changed = admin.put(&path, json!({ "active": false })).await;
    assert_eq!(
        changed.ok()["operator"]["permissions"],
        operator["permissions"]
    );
    assert_ne!(single.header("etag"), changed.header("etag"));
    let stale = admin.with("If-Match", single.header("etag"));
    let answer = stale.put(&path, json!({})).await;
    answer.error(412, "precondition_failed");
    let list = admin.get("/api/operators").await;
    assert_eq!(list.header("x-total-count"), "1");
    assert_eq!(list.ok()["operators"][0]["active"], false);

    admin.delete(&path).await.ok();
    admin.get(&path).await.not_found();
    admin.get(&format!("/api/users/{id}")).await.ok();
    let log = admin.get("/api/audit-log?resource=operators").await.ok();
    let log = log["audit_log"].as_array().expect("a list").iter();
    let actions: Vec<_> = log.map(|entry| entry["action"].clone()).collect();
    let expected = ["operators.delete", "operators.update", "operators.create"];
    assert_eq!(actions, expected);
}

#[service_test]
async fn an_operator_cannot_be_erased_and_a_former_one_is_masked_as_an_actor(app: TestApp) {
    let admin = app.admin();
    let id = app.operator("anna", &["admin.roles"]).await;
    let anna = app.signed_in("anna").await;
    anna.create_role("Guard").await;
    let erase = format!("/api/users/{id}/erase");
    let answer = admin.post_empty(&erase).await;
    answer.error(409, "user_is_operator");
    admin.delete(&format!("/api/operators/{id}")).await.ok();
    admin.post_empty(&erase).await.ok();
    let log = admin.get("/api/audit-log?per_page=100").await;
    assert!(!log.text.contains("anna"), "{}", log.text);
    let entries = log.ok()["audit_log"].as_array().expect("a list").clone();
    let own = entries
        .iter()
        .find(|entry| entry["action"] == "roles.create");
    let own = own.expect("the entry");
    assert_eq!(
        (&own["user_id"], &own["user_name"]),
        (&json!(id), &json!("***"))
    );
    assert_eq!(own["ip"], json!(null));
    assert_eq!(own["after"]["name"], "Guard");
    anna.get("/api/roles").await.unauthorized();
}

#[service_test]
async fn a_deleted_user_is_no_longer_an_operator(app: TestApp) {
    let id = app.operator("anna", &["admin.roles"]).await;
    let anna = app.signed_in("anna").await;
    app.admin().delete(&format!("/api/users/{id}")).await.ok();
    anna.get("/api/roles").await.unauthorized();
    assert_eq!(app.admin().total("/api/operators").await, "0");
}
