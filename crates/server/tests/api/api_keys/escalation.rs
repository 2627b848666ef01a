//! A key can grant only permissions that it has, and change only keys whose permissions it has.

use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

#[track_caller]
fn assert_escalation_403(answer: &Answer) {
    answer.error(403, "privilege_escalation");
}

async fn grant(client: &Client, id: i64, ids: Value) -> Answer {
    let path = format!("/api/api-keys/{id}/permissions");
    client.put(&path, json!({ "permission_ids": ids })).await
}

async fn permission_ids(app: &TestApp, id: i64) -> Vec<i64> {
    let single = app.admin().get(&format!("/api/api-keys/{id}")).await.ok();
    let permissions = single["api_key"]["permissions"].as_array().expect("a list");
    let id = |permission: &Value| permission["id"].as_i64().expect("an id");
    permissions.iter().map(id).collect()
}

#[service_test]
async fn granting_a_permission_one_lacks_gives_403(app: TestApp) {
    let limited = app.actor(&["admin.api-keys", "admin.users"]).await;
    let (id, _) = app.key(&["admin.users"]).await;

    assert_escalation_403(&grant(&limited, id, json!([3])).await);
    assert_escalation_403(&grant(&limited, id, json!([5, 11])).await);
    let everything: Vec<i64> = (1..=22).collect();
    assert_escalation_403(&grant(&limited, id, json!(everything)).await);
    assert_eq!(permission_ids(&app, id).await, [5]);

    grant(&limited, id, json!([1, 5])).await.ok();
    assert_eq!(permission_ids(&app, id).await, [1, 5]);
}

#[service_test]
async fn a_permission_includes_those_below_it_but_not_the_reverse(app: TestApp) {
    let broad = app.actor(&["admin.api-keys", "admin.servers"]).await;
    let narrow = app.actor(&["admin.api-keys", "admin.servers.read"]).await;
    let (id, _) = app.key(&[]).await;

    assert_escalation_403(&grant(&narrow, id, json!([2])).await);
    assert_escalation_403(&grant(&narrow, id, json!([19])).await);
    grant(&narrow, id, json!([9, 10])).await.ok();
    grant(&broad, id, json!([1, 2, 9, 10, 19])).await.ok();
    assert_eq!(permission_ids(&app, id).await, [1, 2, 9, 10, 19]);

    // Now the key has more permissions than `narrow`, which can no longer change it.
    let path = format!("/api/api-keys/{id}");
    assert_escalation_403(&narrow.delete(&path).await);
    broad.delete(&path).await.ok();
}

#[service_test]
async fn writing_to_a_key_with_more_permissions_gives_403(app: TestApp, admin: Client) {
    let limited = app.actor(&["admin.api-keys", "admin.users"]).await;
    let (id, strong) = app.key(&["admin.users", "admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    let before = admin.get(&path).await;

    assert_escalation_403(&limited.put(&path, json!({ "name": "Mine" })).await);
    assert_escalation_403(&limited.put(&path, json!({ "active": false })).await);
    assert_escalation_403(&limited.put(&path, json!({})).await);
    assert_escalation_403(&limited.post_empty(&format!("{path}/regenerate")).await);
    assert_escalation_403(&grant(&limited, id, json!([])).await);
    assert_escalation_403(&grant(&limited, id, json!([5])).await);
    assert_escalation_403(&limited.delete(&path).await);

    let after = admin.get(&path).await;
    assert_eq!(after.ok(), before.ok());
    assert_eq!(after.header("etag"), before.header("etag"));
    strong.get("/api/roles").await.ok();
    let log = format!("/api/audit-log?resource=api_keys&resource_id={id}");
    let actions = admin.get(&log).await.ok();
    assert_eq!(actions["audit_log"].as_array().map(Vec::len), Some(2));
}

#[service_test]
async fn the_first_key_is_changed_only_by_keys_with_all_permissions_403(app: TestApp) {
    let limited = app.actor(&["admin.api-keys"]).await;
    assert_escalation_403(&limited.delete("/api/api-keys/1").await);
    assert_escalation_403(&limited.post_empty("/api/api-keys/1/regenerate").await);
    let (id, equal) = app.key(&[]).await;
    let everything: Vec<i64> = (1..=30).collect();
    grant(&app.admin(), id, json!(everything)).await.ok();
    equal.delete("/api/api-keys/1").await.ok();
    app.admin().get("/api/status").await.unauthorized();
}

#[service_test]
async fn a_key_with_more_permissions_can_be_read(app: TestApp) {
    let limited = app.actor(&["admin.api-keys.read"]).await;
    limited.get("/api/api-keys/1").await.ok();
}

#[service_test]
async fn a_key_cannot_grant_itself_permissions_403(app: TestApp) {
    let (id, climber) = app.key(&["admin.api-keys", "admin.users"]).await;
    assert_escalation_403(&grant(&climber, id, json!([1, 3, 5])).await);
    assert_eq!(permission_ids(&app, id).await, [1, 5]);

    grant(&climber, id, json!([1])).await.ok();
    assert_escalation_403(&grant(&climber, id, json!([1, 5])).await);
    assert_eq!(permission_ids(&app, id).await, [1]);
}

#[service_test]
async fn a_new_key_has_no_permissions_403(app: TestApp) {
    let limited = app.actor(&["admin.api-keys"]).await;
    let body = json!({ "name": "Puppet" });
    let created = limited.post("/api/api-keys", body).await.created();
    let id = created["api_key"]["id"].as_i64().expect("an id");
    assert!(permission_ids(&app, id).await.is_empty());
    let puppet = app.holder(created["api_key"]["key"].as_str().expect("a value"));
    puppet.get("/api/status").await.forbidden("permission");
    assert_escalation_403(&grant(&limited, id, json!([3])).await);
}

#[service_test]
async fn creating_a_key_with_permission_ids_one_lacks_gives_403(app: TestApp) {
    let limited = app.actor(&["admin.api-keys", "admin.users"]).await;
    let create = async |ids: Value| {
        let body = json!({ "name": "Puppet", "permission_ids": ids });
        limited.post("/api/api-keys", body).await
    };
    let keys = async || app.admin().get("/api/api-keys").await.ok();
    let before = keys().await;
    assert_escalation_403(&create(json!([3])).await);
    assert_escalation_403(&create(json!([5, 11])).await);
    let everything: Vec<i64> = (1..=22).collect();
    assert_escalation_403(&create(json!(everything)).await);
    assert_eq!(keys().await, before);

    let created = create(json!([5, 9, 13])).await.created();
    let id = created["api_key"]["id"].as_i64().expect("an id");
    assert_eq!(permission_ids(&app, id).await, [5, 9, 13]);
}

/// Only callers that may make a request learn what is wrong with it.
#[service_test]
async fn escalation_gives_403_before_the_body_is_validated(app: TestApp) {
    let limited = app.actor(&["admin.api-keys"]).await;
    assert_escalation_403(&limited.put("/api/api-keys/1", json!({ "name": 7 })).await);
    assert_escalation_403(&grant(&limited, 1, json!("everything")).await);
}
