//! The console: signing in, sessions, cookies.

mod confirmation;
mod cookies;
mod ends;
mod limits;
mod limits_model;
mod password;
mod places;
mod setup;
mod two_factor;
mod wrong_codes;

use serde_json::{Value, json};

use crate::support::{SESSION, TestApp, assert_fields, console_sign_in, cookie};

#[service_test]
async fn an_operator_signs_in_acts_and_signs_out(app: TestApp) {
    let id = app.operator("anna", &["admin.roles"]).await;
    let answer = app.anonymous().post(SESSION, console_sign_in("ANNA")).await;
    let body = answer.created();
    let fields = ["permissions", "operator", "expires_at", "features"];
    assert_fields(&body, &fields);
    let features = json!({ "backups": true, "steam_sign_in": true, "discord_sign_in": true });
    assert_eq!(body["features"], features);
    assert_eq!(body["permissions"][0]["name"], "admin.roles");
    assert_eq!(body["expires_at"], "2026-03-08T12:00:00Z");
    let operator = json!({
        "user_id": id, "username": "anna", "email": "anna@example.com", "two_factor": false,
    });
    assert_eq!(body["operator"], operator);
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "console_sessions.create");
    assert_eq!(
        (&entry["user_id"], &entry["user_name"]),
        (&json!(id), &json!("anna"))
    );
    assert_eq!(
        (&entry["key_id"], &entry["key_name"]),
        (&Value::Null, &json!("operator"))
    );

    let anna = app.with_session(&answer);
    let mut shown = anna.get(SESSION).await.ok();
    let failures = shown
        .as_object_mut()
        .and_then(|shown| shown.remove("failures"));
    assert_eq!(failures, Some(json!({ "passwords": 0, "codes": 0 })));
    assert_eq!(shown, body);
    let mut events = app.admin().events("/api/events").await;
    anna.create_role("Guard").await;
    let event = events.next().await.expect("an event");
    let actor = json!({ "kind": "operator", "id": id, "name": "anna" });
    assert_eq!(event["actor"], actor);
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "roles.create");
    assert_eq!(entry["user_id"], id);
    assert_eq!(entry["ip"], "127.0.0.1");
    let seen = app.admin().get(&format!("/api/operators/{id}")).await.ok();
    assert_eq!(seen["operator"]["last_sign_in_at"], "2026-03-01T12:00:00Z");

    let out = anna.delete(SESSION).await;
    out.ok();
    assert_eq!(cookie(&out, "steward").as_deref(), Some(""));
    anna.get(SESSION).await.unauthorized();
    anna.get("/api/roles").await.unauthorized();
    assert_eq!(
        app.admin().newest_audit_entry().await["action"],
        "console_sessions.delete"
    );
}

#[service_test]
async fn a_refused_sign_in_gives_the_reason_only_with_the_right_password(app: TestApp) {
    let (admin, anonymous) = (app.admin(), app.anonymous());
    app.user("guest").await;
    let anna = app.operator("anna", &[]).await;
    let idle = app.operator("idle", &[]).await;
    let path = format!("/api/operators/{idle}");
    admin.put(&path, json!({ "active": false })).await.ok();
    admin
        .post(
            &format!("/api/users/{anna}/block"),
            json!({ "reason": "Leave" }),
        )
        .await
        .ok();
    for (login, status, code) in [
        ("guest", 403, "not_an_operator"),
        ("idle", 403, "not_an_operator"),
        ("anna", 403, "user_blocked"),
        ("nobody", 422, "invalid_credentials"),
    ] {
        let mut body = console_sign_in(login);
        let answer = anonymous.post(SESSION, body.clone()).await;
        answer.error(status, code);
        assert_eq!(cookie(&answer, "steward"), None);
        let entry = app.admin().newest_audit_entry().await;
        assert_eq!(entry["action"], "console_sessions.fail", "{login}");
        assert_eq!(entry["after"]["code"], code, "{login}");
        body["password"] = json!("a wrong one");
        let answer = anonymous.post(SESSION, body).await;
        answer.error(422, "invalid_credentials");
    }
    let body = json!({ "login": "anna" });
    let answer = anonymous.post(SESSION, body).await;
    answer.invalid(&[("password", "is required")]);
    let both = json!({ "login": "anna", "password": "x", "api_key": "y" });
    let answer = anonymous.post(SESSION, both).await;
    answer.error(422, "validation_failed");
    let answer = anonymous.post(SESSION, json!({})).await;
    answer.error(422, "validation_failed");
}

#[service_test]
async fn a_session_with_an_api_key_has_its_permissions_and_ends_with_it(app: TestApp) {
    let admin = app.admin();
    let (id, key) = app.key(&["admin.roles.read"]).await;
    let sign_in = async |value: &str| {
        let body = json!({ "api_key": value });
        app.anonymous().post(SESSION, body).await
    };
    let answer = sign_in(key.key_value()).await;
    let body = answer.created();
    assert_fields(&body, &["permissions", "key", "expires_at", "features"]);
    assert_eq!(body["key"]["id"], id);
    let console = app.with_session(&answer);
    console.get("/api/roles").await.ok();
    let answer = console.get("/api/users").await;
    answer.forbidden("admin.users.read");
    let password = json!({ "current_password": "x", "password": "another one" });
    let refused = console.put("/api/console/password", password).await;
    refused.error(403, "not_an_operator");
    sign_in("stw_wrong").await.error(422, "invalid_credentials");

    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "active": false })).await.ok();
    console.get("/api/roles").await.unauthorized();
    let answer = sign_in(key.key_value()).await;
    answer.error(422, "invalid_credentials");
    admin.put(&path, json!({ "active": true })).await.ok();
    console.get("/api/roles").await.ok();
    let again = admin.post_empty(&format!("{path}/regenerate")).await.ok();
    console.get("/api/roles").await.unauthorized();
    let value = again["api_key"]["key"].as_str().expect("a value");
    let console = app.with_session(&sign_in(value).await);
    console.get("/api/roles").await.ok();
    admin.delete(&path).await.ok();
    console.get("/api/roles").await.unauthorized();
}

#[service_test]
async fn writes_of_an_operator_are_replayed_under_their_idempotency_key(app: TestApp) {
    for name in ["anna", "berta"] {
        app.operator(name, &["admin.roles"]).await;
    }
    let (anna, berta) = (app.signed_in("anna").await, app.signed_in("berta").await);
    let send = async |client: &crate::support::Client| {
        let client = client.with("Idempotency-Key", "one");
        client.post("/api/roles", json!({ "name": "Guard" })).await
    };
    let first = send(&anna).await;
    first.created();
    let again = send(&anna).await;
    assert_eq!(again.text, first.text);
    assert_eq!(again.header("idempotent-replayed"), "true");
    // Each caller and each key has its own idempotency keys.
    assert!(!send(&berta).await.has_header("idempotent-replayed"));
    assert!(!send(&app.admin()).await.has_header("idempotent-replayed"));
}
