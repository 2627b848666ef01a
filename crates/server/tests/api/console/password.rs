//! One's own password and sessions.

use serde_json::json;

use crate::support::{SESSION, TestApp, assert_fields, console_sign_in};

const PASSWORD: &str = "/api/console/password";
const SESSIONS: &str = "/api/console/sessions";

#[service_test]
async fn a_new_password_ends_other_sessions(app: TestApp) {
    let id = app.operator("anna", &["admin.roles"]).await;
    let token = app.sign_in("anna").await;
    let (stolen, own) = (app.signed_in("anna").await, app.signed_in("anna").await);
    let new = |current: &str| json!({ "current_password": current, "password": "another one" });
    let wrong = own.put(PASSWORD, new("a wrong one")).await;
    wrong.error(422, "invalid_credentials");
    stolen.get(SESSION).await.ok();
    let short = json!({ "current_password": "battery staple", "password": "short" });
    let answer = own.put(PASSWORD, short).await;
    answer.error(422, "validation_failed");

    own.put(PASSWORD, new("battery staple")).await.ok();
    stolen.get(SESSION).await.unauthorized();
    own.get(SESSION).await.ok();
    app.verify(&token).await.error(422, "session_invalid");
    let old = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    old.error(422, "invalid_credentials");
    let log = app
        .admin()
        .get("/api/audit-log?action=operators.password")
        .await;
    let entry = log.ok()["audit_log"][0].clone();
    assert_eq!(
        (&entry["resource_id"], &entry["user_id"]),
        (&json!(id), &json!(id))
    );
    assert_eq!(entry["after"], json!({ "password": "***" }));

    // A password that an administrator sets ends all of them.
    let user = format!("/api/users/{id}");
    let body = json!({ "password": "battery staple" });
    app.admin().put(&user, body).await.ok();
    own.get(SESSION).await.unauthorized();
}

#[service_test]
async fn an_operator_lists_and_ends_their_own_sessions_only(app: TestApp) {
    app.operator("anna", &[]).await;
    app.operator("berta", &[]).await;
    let phone = app.anonymous().with("User-Agent", "Phone/1.0");
    let answer = phone.post(SESSION, console_sign_in("anna")).await;
    let (phone, anna) = (app.with_session(&answer), app.signed_in("anna").await);
    let berta = app.signed_in("berta").await;
    let answer = anna.get(SESSIONS).await;
    assert_eq!(answer.header("x-total-count"), "2");
    let sessions = answer.ok()["sessions"].clone();
    let fields = [
        "id",
        "created_at",
        "last_used_at",
        "ip",
        "user_agent",
        "current",
    ];
    assert_fields(&sessions[0], &fields);
    assert_eq!(sessions[0]["user_agent"], "Phone/1.0");
    assert_eq!(sessions[0]["ip"], "127.0.0.1");
    assert_eq!(
        (&sessions[0]["current"], &sessions[1]["current"]),
        (&json!(false), &json!(true))
    );

    let path = format!("{SESSIONS}/{}", sessions[0]["id"]);
    berta.delete(&path).await.not_found();
    phone.get(SESSION).await.ok();
    anna.delete(&path).await.ok();
    phone.get(SESSION).await.unauthorized();
    anna.delete(&path).await.not_found();
    assert_eq!(anna.total(SESSIONS).await, "1");
}

#[service_test]
async fn an_operator_can_set_their_own_password_as_an_administrator(app: TestApp) {
    let id = app.operator("anna", &["admin.users"]).await;
    let anna = app.signed_in("anna").await;
    let body = json!({ "password": "another one" });
    anna.put(&format!("/api/users/{id}"), body).await.ok();
    anna.get(SESSION).await.unauthorized();
}
