//! The first operator.

use accounts::console;
use serde_json::{Value, json};

use crate::support::{SESSION, TestApp, assert_fields, at_once, count};

const SETUP: &str = "/api/console/setup";

fn person(token: &str, name: &str) -> Value {
    json!({
        "token": token, "username": name, "email": format!("{name}@example.com"),
        "password": "battery staple",
    })
}

#[service_test]
async fn a_setup_token_makes_one_operator_with_every_permission(app: TestApp) {
    let token = console::first_token(app.core())
        .await
        .expect("made")
        .expect("the first");
    assert!(
        console::first_token(app.core())
            .await
            .expect("made")
            .is_none()
    );
    let anonymous = app.anonymous();
    let wrong = anonymous.post(SETUP, person("wrong", "anna")).await;
    wrong.error(422, "invalid_setup_token");
    let mut body = person(token.reveal(), "anna");
    body["password"] = json!("short");
    let answer = anonymous.post(SETUP, body).await;
    answer.error(422, "validation_failed");

    let made = anonymous.post(SETUP, person(token.reveal(), "anna")).await;
    let all = kernel::auth::permission::CATALOGUE.len();
    assert_eq!(
        made.created()["permissions"].as_array().map(Vec::len),
        Some(all)
    );
    let anna = app.with_session(&made);
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "operators.create");
    assert_eq!(entry["user_name"], "anna");
    assert_eq!(anna.get(SESSION).await.ok()["operator"]["username"], "anna");
    anna.create_role("Guard").await;
    let again = anonymous.post(SETUP, person(token.reveal(), "berta")).await;
    again.error(422, "invalid_setup_token");
    assert!(
        console::invite(app.core())
            .await
            .expect("no token")
            .is_none()
    );
    app.signed_in("anna").await;
}

#[service_test]
async fn a_setup_token_expires_after_24_hours_and_with_the_next_one(app: TestApp) {
    let first = console::first_token(app.core())
        .await
        .expect("made")
        .expect("a token");
    let second = console::invite(app.core())
        .await
        .expect("made")
        .expect("a token");
    let anonymous = app.anonymous();
    let old = anonymous.post(SETUP, person(first.reveal(), "anna")).await;
    old.error(422, "invalid_setup_token");
    app.advance(24 * 3600);
    let late = anonymous.post(SETUP, person(second.reveal(), "anna")).await;
    late.error(422, "invalid_setup_token");
    let third = console::invite(app.core())
        .await
        .expect("made")
        .expect("a token");
    let answer = anonymous.post(SETUP, person(third.reveal(), "anna")).await;
    answer.created();
}

#[service_test]
async fn of_many_who_use_one_setup_token_at_once_one_becomes_an_operator(app: TestApp) {
    let token = console::first_token(app.core())
        .await
        .expect("made")
        .expect("a token");
    let requests = (0..8).map(|number| {
        let (client, body) = (
            app.anonymous(),
            person(token.reveal(), &format!("anna{number}")),
        );
        async move { client.post(SETUP, body).await }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 201), count(&answers, 500)), (1, 0));
    assert_eq!(app.number("SELECT COUNT(*) FROM operators").await, 1);
    assert_eq!(app.number("SELECT COUNT(*) FROM users").await, 1);
}

const CHECK: &str = "/api/console/setup/check";

#[service_test]
async fn the_console_learns_whether_set_up_is_needed_and_what_a_token_is_for(app: TestApp) {
    let anonymous = app.anonymous();
    assert_eq!(anonymous.get(SETUP).await.ok(), json!({ "needed": true }));
    let token = console::first_token(app.core())
        .await
        .expect("made")
        .expect("a token");
    let check = async |token: &str| anonymous.post(CHECK, json!({ "token": token })).await;
    check("wrong").await.error(422, "invalid_setup_token");
    let answer = anonymous.post(CHECK, json!({})).await;
    answer.invalid(&[("token", "is required")]);
    // A check uses nothing up.
    for _ in 0..2 {
        let checked = check(token.reveal()).await.ok();
        assert_fields(&checked, &["valid", "purpose", "permissions", "expires_at"]);
        assert_eq!(checked["valid"], true);
        assert_eq!(checked["purpose"], "first_operator");
        assert_eq!(checked["expires_at"], "2026-03-02T12:00:00Z");
        let all = kernel::auth::permission::CATALOGUE.len();
        assert_eq!(checked["permissions"].as_array().map(Vec::len), Some(all));
    }
    let made = anonymous.post(SETUP, person(token.reveal(), "anna")).await;
    made.created();
    assert_eq!(anonymous.get(SETUP).await.ok(), json!({ "needed": false }));
    check(token.reveal())
        .await
        .error(422, "invalid_setup_token");
}

#[service_test(TestApp::start_with(|limits| limits.wrong_keys_per_minute = 3))]
async fn wrong_setup_tokens_are_limited_429(app: TestApp) {
    let anonymous = app.anonymous();
    for _ in 0..2 {
        let answer = anonymous.post(CHECK, json!({ "token": "wrong" })).await;
        answer.error(422, "invalid_setup_token");
    }
    let answer = anonymous.post(SETUP, person("wrong", "anna")).await;
    answer.error(422, "invalid_setup_token");
    let answer = anonymous.post(CHECK, json!({ "token": "wrong" })).await;
    assert_eq!(answer.status, 429, "{answer:?}");
    assert!(answer.has_header("retry-after"));
    // A right token is accepted all the same.
    let token = console::first_token(app.core())
        .await
        .expect("made")
        .expect("a token");
    let body = json!({ "token": token.reveal() });
    anonymous.post(CHECK, body).await.ok();
}
