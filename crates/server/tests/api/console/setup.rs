//! The first operator.

use serde_json::{Value, json};
use server::console;

use crate::support::{SESSION, TestApp, at_once, count};

const SETUP: &str = "/api/console/setup";

fn person(token: &str, name: &str) -> Value {
    json!({
        "token": token, "username": name, "email": format!("{name}@example.com"),
        "password": "battery staple",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setup_token_makes_one_operator_with_every_permission() {
    let app = TestApp::start().await;
    let token = console::first_token(&app.app)
        .await
        .expect("made")
        .expect("the first");
    assert!(
        console::first_token(&app.app)
            .await
            .expect("made")
            .is_none()
    );
    let anonymous = app.anonymous();
    let wrong = anonymous.post(SETUP, person("wrong", "anna")).await;
    wrong.error(422, "invalid_setup_token");
    let mut body = person(token.reveal(), "anna");
    body["password"] = json!("short");
    anonymous
        .post(SETUP, body)
        .await
        .error(422, "validation_failed");

    let made = anonymous.post(SETUP, person(token.reveal(), "anna")).await;
    let all = kernel::auth::permission::CATALOGUE.len();
    assert_eq!(
        made.created()["permissions"].as_array().map(Vec::len),
        Some(all)
    );
    let anna = app.with_session(&made);
    let log = app.admin().get("/api/audit-log?per_page=1").await.ok();
    let entry = &log["audit_log"][0];
    assert_eq!(entry["action"], "operators.create");
    assert_eq!(entry["user_name"], "anna");
    assert_eq!(anna.get(SESSION).await.ok()["operator"]["username"], "anna");
    anna.post("/api/roles", json!({ "name": "Guard" }))
        .await
        .created();
    let again = anonymous.post(SETUP, person(token.reveal(), "berta")).await;
    again.error(422, "invalid_setup_token");
    assert!(console::invite(&app.app).await.expect("no token").is_none());
    app.signed_in("anna").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setup_token_expires_after_24_hours_and_with_the_next_one() {
    let app = TestApp::start().await;
    let first = console::first_token(&app.app)
        .await
        .expect("made")
        .expect("a token");
    let second = console::invite(&app.app)
        .await
        .expect("made")
        .expect("a token");
    let anonymous = app.anonymous();
    let old = anonymous.post(SETUP, person(first.reveal(), "anna")).await;
    old.error(422, "invalid_setup_token");
    app.advance(24 * 3600);
    let late = anonymous.post(SETUP, person(second.reveal(), "anna")).await;
    late.error(422, "invalid_setup_token");
    let third = console::invite(&app.app)
        .await
        .expect("made")
        .expect("a token");
    anonymous
        .post(SETUP, person(third.reveal(), "anna"))
        .await
        .created();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_use_one_setup_token_at_once_one_becomes_an_operator() {
    let app = TestApp::start().await;
    let token = console::first_token(&app.app)
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
