//! The audit log: who changed what, without secrets.

mod events;
mod export;
mod list;
mod oldest_first;
mod pages;
mod plans;

use serde_json::{Value, json};

use server::maintenance::Rules;

use crate::support::{Client, TestApp, assert_fields};

/// All entries that match the query, newest first.
async fn log(admin: &Client, query: &str) -> Vec<Value> {
    let found = admin.get(&format!("/api/audit-log{query}")).await.ok();
    assert_fields(&found, &["audit_log"]);
    found["audit_log"].as_array().expect("a list").clone()
}

#[service_test]
async fn an_entry_has_actor_action_and_time(app: TestApp) {
    let (key_id, caller) = app.key(&["admin.roles"]).await;
    app.advance(90);
    let caller = caller.with("X-Request-Id", "order-4711");
    let role = caller.post("/api/roles", json!({ "name": "Guard" })).await;
    let role = role.created()["role"]["id"].clone();

    let mut entry = app.admin().newest_audit_entry().await;
    assert!(entry["id"].take().is_i64());
    // The id that the service made; the client's is stored beside it.
    let own = entry["request_id"].take();
    assert!(own.is_string() && own != "order-4711", "{own}");
    let ids = "SELECT COUNT(*) FROM audit_log
               WHERE client_request_id = 'order-4711' AND request_id <> 'order-4711'";
    assert_eq!(app.number(ids).await, 1);
    let expected = json!({
        "id": null,
        "at": "2026-03-01T12:01:30Z",
        "key_id": key_id,
        "key_name": "actor 0",
        "user_id": null,
        "user_name": null,
        "request_id": null,
        "ip": "127.0.0.1",
        "action": "roles.create",
        "resource": "roles",
        "resource_id": role,
        "before": {},
        "after": {
            "id": role, "name": "Guard", "description": "", "color": "#808080", "permissions": [],
        },
    });
    assert_eq!(entry, expected);
}

#[service_test]
async fn requests_with_the_same_x_request_id_have_different_ids_in_the_log(app: TestApp) {
    let admin = app.admin().with("X-Request-Id", "forged");
    for name in ["Guard", "Cook"] {
        admin.create_role(name).await;
    }
    let entries = log(&app.admin(), "?action=roles.create").await;
    assert_ne!(entries[0]["request_id"], entries[1]["request_id"]);
    let one = entries[0]["request_id"].as_str().expect("an id").to_owned();
    // A client cannot point to the request of another either.
    let forger = app.admin().with("X-Request-Id", &one);
    forger.create_role("Spy").await;
    assert_ne!(
        app.admin().newest_audit_entry().await["request_id"],
        one.as_str()
    );
}

#[service_test]
async fn the_command_line_leaves_an_entry(app: TestApp) {
    let mut entry = app.admin().newest_audit_entry().await;
    for unpredictable in ["id", "request_id"] {
        assert!(!entry[unpredictable].take().is_null());
    }
    let permissions = entry["after"]["permissions"].take();
    let all = kernel::auth::permission::CATALOGUE.len();
    assert_eq!(permissions.as_array().map(Vec::len), Some(all));
    let expected = json!({
        "id": null,
        "at": "2026-03-01T12:00:00Z",
        "key_id": null,
        "key_name": "command line",
        "user_id": null,
        "user_name": null,
        "request_id": null,
        "ip": null,
        "action": "api_keys.create",
        "resource": "api_keys",
        "resource_id": 1,
        "before": {},
        "after": {
            "id": 1, "name": "admin", "active": true, "permissions": null, "key": "***",
            "expires_at": null, "allowed_ips": null, "requests_per_second": null,
            "previous_key_valid_until": null,
        },
    });
    assert_eq!(entry, expected);
}

#[service_test]
async fn entries_about_a_role_contain_only_changed_fields(admin: Client) {
    let last = async |action: &str| {
        let entry = admin.newest_audit_entry().await;
        assert_eq!(entry["action"], action);
        (entry["before"].clone(), entry["after"].clone())
    };
    admin.create_role("Guard").await;

    let body = json!({ "name": "Guard", "description": "At the gate", "color": "#1e90ff" });
    admin.put("/api/roles/1", body).await.ok();
    assert_eq!(
        last("roles.update").await,
        (
            json!({ "description": "", "color": "#808080" }),
            json!({ "description": "At the gate", "color": "#1e90ff" })
        )
    );
    admin.put("/api/roles/1", json!({})).await.ok();
    assert_eq!(last("roles.update").await, (json!({}), json!({})));

    let body = json!({ "permission_ids": [5, 4] });
    admin.put("/api/roles/1/permissions", body).await.ok();
    assert_eq!(
        last("roles.permissions").await,
        (
            json!({ "permissions": [] }),
            json!({ "permissions": ["admin.pages", "admin.users"] })
        )
    );
    admin.delete("/api/roles/1").await.ok();
    let gone = json!({
        "id": 1, "name": "Guard", "description": "At the gate", "color": "#1e90ff",
        "permissions": ["admin.pages", "admin.users"],
    });
    assert_eq!(last("roles.delete").await, (gone, json!({})));
}

#[service_test]
async fn entries_about_a_key_never_contain_its_value(app: TestApp, admin: Client) {
    let last = async |action: &str| {
        let entry = admin.newest_audit_entry().await;
        assert_eq!(entry["action"], action);
        (entry["before"].clone(), entry["after"].clone())
    };
    let made = admin.post("/api/api-keys", json!({ "name": "Shop" })).await;
    let made = made.created()["api_key"].clone();
    let path = format!("/api/api-keys/{}", made["id"]);
    let new = json!({
        "id": made["id"], "name": "Shop", "active": true, "permissions": [], "key": "***",
        "expires_at": null, "allowed_ips": null, "requests_per_second": null,
        "previous_key_valid_until": null,
    });
    assert_eq!(last("api_keys.create").await, (json!({}), new));

    let renamed = admin
        .put(&path, json!({ "name": "Forum", "active": true }))
        .await;
    renamed.ok();
    let names = (json!({ "name": "Shop" }), json!({ "name": "Forum" }));
    assert_eq!(last("api_keys.update").await, names);
    admin.put(&path, json!({})).await.ok();
    assert_eq!(last("api_keys.update").await, (json!({}), json!({})));

    let regenerated = admin.post_empty(&format!("{path}/regenerate")).await.ok();
    let secret = json!({ "key": "***" });
    assert_eq!(last("api_keys.regenerate").await, (secret.clone(), secret));

    let body = json!({ "overlap_seconds": 60 });
    let rotated = admin.post(&format!("{path}/rotate"), body).await.ok();
    let before = json!({ "previous_key_valid_until": null, "key": "***" });
    let after = json!({ "previous_key_valid_until": "2026-03-01T12:01:00Z", "key": "***" });
    assert_eq!(last("api_keys.rotate").await, (before, after));

    let body = json!({
        "expires_at": "2027-01-01T00:00:00Z", "allowed_ips": ["127.0.0.0/8", "::1/128"],
    });
    let restrictions = format!("{path}/restrictions");
    admin.put(&restrictions, body).await.ok();
    let before = json!({ "expires_at": null, "allowed_ips": null });
    let after = json!({
        "expires_at": "2027-01-01T00:00:00Z", "allowed_ips": ["127.0.0.0/8", "::1"],
    });
    assert_eq!(last("api_keys.restrictions").await, (before, after));

    let permissions = format!("{path}/permissions");
    let body = json!({ "permission_ids": [9] });
    admin.put(&permissions, body).await.ok();
    let sets = (
        json!({ "permissions": [] }),
        json!({ "permissions": ["admin.api-keys.read"] }),
    );
    assert_eq!(last("api_keys.permissions").await, sets);

    admin.delete(&path).await.ok();
    let gone = json!({
        "id": made["id"], "name": "Forum", "active": true,
        "permissions": ["admin.api-keys.read"], "key": "***",
        "expires_at": "2027-01-01T00:00:00Z", "allowed_ips": ["127.0.0.0/8", "::1"],
        "requests_per_second": null, "previous_key_valid_until": "2026-03-01T12:01:00Z",
    });
    assert_eq!(last("api_keys.delete").await, (gone, json!({})));

    let everything = admin.get("/api/audit-log?per_page=100").await.text;
    let renewed = [&regenerated, &rotated].map(|answer| &answer["api_key"]["key"]);
    for value in renewed.into_iter().chain([&made["key"]]) {
        let value = value.as_str().expect("a value");
        assert!(!everything.contains(&value[4..12]), "{everything}");
    }
    assert!(!everything.contains(app.admin_key()));
}

#[service_test]
async fn a_refused_request_leaves_no_entry(app: TestApp, admin: Client) {
    admin.create_role("Guard").await;
    let reader = app.actor(&["admin.roles.read"]).await;
    let lesser = app.actor(&["admin.api-keys"]).await;
    let before = admin.total("/api/audit-log").await;

    let answer = admin.post("/api/roles", json!({ "name": " " })).await;
    answer.error(422, "validation_failed");
    let answer = admin.put("/api/roles/1", json!({ "color": 5 })).await;
    answer.error(422, "validation_failed");
    let unknown = json!({ "permission_ids": [99] });
    let answer = admin.put("/api/roles/1/permissions", unknown).await;
    answer.error(422, "validation_failed");
    admin.delete("/api/roles/99").await.not_found();
    let late = admin.with("If-Match", "\"other\"");
    let answer = late.delete("/api/roles/1").await;
    answer.error(412, "precondition_failed");
    reader.delete("/api/roles/1").await.forbidden("admin.roles");
    app.anonymous().delete("/api/roles/1").await.unauthorized();
    // Refused after the transaction began.
    let more = json!({ "permission_ids": [3] });
    let answer = lesser.put("/api/api-keys/1/permissions", more).await;
    answer.error(403, "privilege_escalation");
    let careless = admin.with("Idempotency-Key", "not valid");
    let answer = careless.delete("/api/roles/1").await;
    answer.error(422, "validation_failed");
    admin.get("/api/roles/1").await.ok();

    assert_eq!(admin.total("/api/audit-log").await, before);
}

#[service_test]
async fn an_entry_outlives_its_key_and_cannot_be_changed_405(app: TestApp, admin: Client) {
    let (id, caller) = app.key(&["admin.roles"]).await;
    caller.create_role("Guard").await;
    let entry = admin.newest_audit_entry().await;
    admin.delete(&format!("/api/api-keys/{id}")).await.ok();
    admin.delete("/api/roles/1").await.ok();
    let kept = log(&admin, &format!("?key_id={id}")).await;
    assert_eq!(kept, std::slice::from_ref(&entry));

    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let method: reqwest::Method = method.parse().expect("a method");
        let body = Some(json!({}));
        let answer = admin
            .send(method.clone(), "/api/audit-log", body.clone())
            .await;
        answer.error(405, "method_not_allowed");
        let path = format!("/api/audit-log/{}", entry["id"]);
        admin.send(method, &path, body).await.not_found();
    }
    assert_eq!(log(&admin, &format!("?key_id={id}")).await, kept);
}

#[service_test]
async fn maintenance_removes_entries_past_their_retention(app: TestApp, admin: Client) {
    for name in ["Guard", "Cook", "Smith"] {
        admin.create_role(name).await;
        app.advance(24 * 60 * 60);
    }
    let names = async || {
        let entries = log(&admin, "?resource=roles").await;
        let names = entries.iter().map(|entry| entry["after"]["name"].clone());
        names.collect::<Vec<Value>>()
    };
    let run_maintenance = async |audit_days| {
        let rules = Rules {
            audit_days,
            ..Rules::default()
        };
        app.maintain(rules).await;
    };
    // Without a retention period, entries are kept forever.
    run_maintenance(None).await;
    assert_eq!(names().await, ["Smith", "Cook", "Guard"]);
    run_maintenance(Some(3)).await;
    assert_eq!(names().await, ["Smith", "Cook", "Guard"]);
    app.advance(1);
    run_maintenance(Some(3)).await;
    assert_eq!(names().await, ["Smith", "Cook"]);
    run_maintenance(Some(1)).await;
    assert_eq!(names().await, [""; 0]);
    assert_eq!(admin.total("/api/audit-log").await, "0");
}

#[service_test]
async fn maintenance_removes_any_number_of_entries(app: TestApp, admin: Client) {
    let many = "INSERT INTO audit_log
            (at, key_name, request_id, action, resource, resource_id, before, after)
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
        SELECT n, 'old', 'old', 'roles.create', 'roles', n, '{}', '{}' FROM numbers";
    app.core().db.run_sql(many).await.expect("old entries");
    assert_eq!(admin.total("/api/audit-log").await, "2501");
    let rules = Rules {
        audit_days: Some(30),
        ..Rules::default()
    };
    app.maintain(rules).await;
    assert_eq!(admin.total("/api/audit-log").await, "1");
}
