//! The sessions of another operator.

use serde_json::json;

use crate::support::{SESSION, TestApp, assert_fields, console_sign_in};

#[service_test]
async fn the_sessions_of_another_operator_are_listed_and_ended(app: TestApp) {
    let boss = app
        .operator("boss", &["admin.api-keys", "admin.roles"])
        .await;
    let id = app.operator("anna", &["admin.roles"]).await;
    let phone = app.anonymous().with("User-Agent", "Phone/1.0");
    let answer = phone.post(SESSION, console_sign_in("anna")).await;
    let (phone, laptop) = (app.with_session(&answer), app.signed_in("anna").await);
    let boss_console = app.signed_in("boss").await;
    let path = format!("/api/operators/{id}/sessions");
    for caller in [
        &boss_console,
        &app.actor(&["admin.api-keys.read", "admin.roles"]).await,
    ] {
        let answer = caller.get(&path).await;
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
        assert_eq!(sessions[0]["current"], false);
    }
    let sessions = boss_console.get(&path).await.ok()["sessions"].clone();
    let one = format!("{path}/{}", sessions[0]["id"]);
    let elsewhere = format!("/api/operators/{boss}/sessions/{}", sessions[0]["id"]);
    boss_console.delete(&elsewhere).await.not_found();
    boss_console.delete(&one).await.ok();
    boss_console.delete(&one).await.not_found();
    phone.get(SESSION).await.unauthorized();
    laptop.get(SESSION).await.ok();
    boss_console.delete(&path).await.ok();
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(
        (&entry["action"], &entry["resource_id"], &entry["user_id"]),
        (&json!("operators.end_sessions"), &json!(id), &json!(boss))
    );
    laptop.get(SESSION).await.unauthorized();
    assert_eq!(boss_console.total(&path).await, "0");
    // The operator can sign in again; the caller may end all sessions of its own.
    app.signed_in("anna").await;
    boss_console
        .delete(&format!("/api/operators/{boss}/sessions"))
        .await
        .ok();
    boss_console.get(SESSION).await.unauthorized();
    let guest = app.user("guest").await;
    app.admin()
        .get(&format!("/api/operators/{guest}/sessions"))
        .await
        .not_found();
}

#[service_test]
async fn the_sessions_of_an_operator_who_holds_more_give_403(app: TestApp) {
    let boss = app
        .operator("boss", &["admin.api-keys", "admin.payments"])
        .await;
    let console = app.signed_in("boss").await;
    app.operator("anna", &["admin.api-keys"]).await;
    let path = format!("/api/operators/{boss}/sessions");
    let session = console.get(&path).await.ok()["sessions"][0]["id"].clone();
    for caller in [
        &app.signed_in("anna").await,
        &app.actor(&["admin.api-keys"]).await,
    ] {
        caller.get(&path).await.error(403, "privilege_escalation");
        for path in [path.clone(), format!("{path}/{session}")] {
            caller
                .delete(&path)
                .await
                .error(403, "privilege_escalation");
        }
    }
    console.get(SESSION).await.ok();
}
