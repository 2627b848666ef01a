//! Confirming a session with a password, a code or a key.

use serde_json::json;

use super::two_factor::{code, enrol};
use crate::support::{Client, SESSION, TestApp, console_sign_in};

const CONFIRM: &str = "/api/console/confirm";

/// Whether the session may create a key.
async fn is_confirmed(client: &Client) -> bool {
    let answer = client.post("/api/api-keys", json!({ "name": "Bot" })).await;
    if answer.status != 201 {
        answer.error(403, "confirmation_required");
    }
    answer.status == 201
}

#[service_test]
async fn signing_in_or_a_password_confirms_for_15_minutes(app: TestApp) {
    let id = app.operator("anna", &["admin.api-keys"]).await;
    let (anna, other) = (app.signed_in("anna").await, app.signed_in("anna").await);
    assert!(is_confirmed(&anna).await);
    app.advance(15 * 60 - 1);
    assert!(is_confirmed(&anna).await);
    app.advance(1);
    assert!(!is_confirmed(&anna).await);
    anna.get("/api/api-keys").await.ok();
    let refused = anna
        .post(CONFIRM, json!({ "password": "a wrong one" }))
        .await;
    refused.error(422, "invalid_credentials");
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(
        (&entry["action"], &entry["user_id"]),
        (&json!("console_sessions.fail"), &json!(id))
    );
    assert!(!is_confirmed(&anna).await);

    let body = json!({ "password": "battery staple" });
    anna.post(CONFIRM, body).await.ok();
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(
        (&entry["action"], &entry["user_id"]),
        (&json!("console_sessions.confirm"), &json!(id))
    );
    assert!(is_confirmed(&anna).await);
    assert!(
        !is_confirmed(&other).await,
        "each session is confirmed by itself"
    );
    app.advance(15 * 60);
    assert!(!is_confirmed(&anna).await);
    // Keys need no confirmation.
    app.actor(&["admin.roles"]).await;
    let seen = app.signed_in("anna").await.get(SESSION).await.ok();
    assert_eq!(seen["failures"], json!({ "passwords": 1, "codes": 0 }));
}

#[service_test]
async fn wrong_confirmations_are_limited_as_failed_sign_ins_429(app: TestApp) {
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    for _ in 0..5 {
        let answer = anna
            .post(CONFIRM, json!({ "password": "a wrong one" }))
            .await;
        answer.error(422, "invalid_credentials");
    }
    let body = json!({ "password": "battery staple" });
    let answer = anna.post(CONFIRM, body.clone()).await;
    answer.error(429, "too_many_attempts");
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    answer.error(429, "too_many_attempts");
    app.advance(60);
    anna.post(CONFIRM, body).await.ok();
}

#[service_test]
async fn a_code_confirms_only_with_a_second_factor_and_ten_are_examined(app: TestApp) {
    app.operator("anna", &["admin.api-keys"]).await;
    let anna = app.signed_in("anna").await;
    let answer = anna.post(CONFIRM, json!({ "code": "123456" })).await;
    answer.error(422, "invalid_code");
    let (secret, recovery) = enrol(&app, &anna).await;
    app.advance(15 * 60);
    assert!(!is_confirmed(&anna).await);
    anna.post(CONFIRM, json!({ "code": code(&app, &secret, 0) }))
        .await
        .ok();
    assert!(is_confirmed(&anna).await);
    let answer = anna
        .post(CONFIRM, json!({ "code": code(&app, &secret, 0) }))
        .await;
    answer.error(422, "invalid_code");
    app.advance(15 * 60);
    for _ in 0..9 {
        let answer = anna.post(CONFIRM, json!({ "code": "123456" })).await;
        answer.error(422, "invalid_code");
    }
    let right = json!({ "code": recovery[0] });
    let answer = anna.post(CONFIRM, right.clone()).await;
    answer.error(429, "too_many_attempts");
    assert_eq!(answer.header("retry-after"), "60");
    assert!(!is_confirmed(&anna).await);
    app.advance(60);
    anna.post(CONFIRM, right).await.ok();
    assert!(is_confirmed(&anna).await);
}

#[service_test]
async fn a_session_of_a_key_is_confirmed_with_that_key(app: TestApp) {
    let (_, key) = app.key(&["admin.api-keys"]).await;
    let (_, other) = app.key(&["admin.api-keys"]).await;
    let answer = app
        .anonymous()
        .post(SESSION, json!({ "api_key": key.key_value() }))
        .await;
    let console = app.with_session(&answer);
    assert!(is_confirmed(&console).await);
    app.advance(15 * 60);
    assert!(!is_confirmed(&console).await);
    for wrong in ["stw_wrong", other.key_value()] {
        let answer = console.post(CONFIRM, json!({ "api_key": wrong })).await;
        answer.error(422, "invalid_credentials");
    }
    for body in [
        json!({ "password": "battery staple" }),
        json!({ "code": "123456" }),
    ] {
        let answer = console.post(CONFIRM, body).await;
        answer.error(403, "not_an_operator");
    }
    assert!(!is_confirmed(&console).await);
    console
        .post(CONFIRM, json!({ "api_key": key.key_value() }))
        .await
        .ok();
    assert!(is_confirmed(&console).await);
    let answer = console.post(CONFIRM, json!({})).await;
    answer.error(422, "validation_failed");

    // A key does not confirm the session of an operator.
    app.operator("anna", &["admin.api-keys"]).await;
    let anna = app.signed_in("anna").await;
    let answer = anna
        .post(CONFIRM, json!({ "api_key": key.key_value() }))
        .await;
    answer.error(422, "invalid_credentials");
}

#[service_test]
async fn confirming_a_second_factor_ends_the_other_sessions(app: TestApp) {
    app.operator("anna", &[]).await;
    app.operator("berta", &[]).await;
    let (stolen, anna) = (app.signed_in("anna").await, app.signed_in("anna").await);
    let berta = app.signed_in("berta").await;
    enrol(&app, &anna).await;
    stolen.get(SESSION).await.unauthorized();
    anna.get(SESSION).await.ok();
    berta.get(SESSION).await.ok();
}
