//! Limits of attempts to sign in to the console.

use serde_json::json;

use crate::support::{Client, SESSION, TestApp, console_sign_in, cookie};

#[service_test]
async fn the_sixth_failure_within_a_minute_gets_429_but_a_known_browser_is_let_in(app: TestApp) {
    app.operator("anna", &[]).await;
    app.operator("berta", &[]).await;
    let anonymous = app.anonymous();
    let mut proofs = Vec::new();
    for name in ["anna", "berta"] {
        let answer = anonymous.post(SESSION, console_sign_in(name)).await;
        proofs.push(cookie(&answer, "steward-browser").expect("a proof"));
    }
    let mut wrong = console_sign_in("anna");
    wrong["password"] = json!("a wrong one");
    for _ in 0..5 {
        let answer = anonymous.post(SESSION, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    let refused = anonymous.post(SESSION, console_sign_in("anna")).await;
    refused.error(429, "too_many_attempts");
    assert!(refused.has_header("retry-after"));
    // Another network, and another operator, are not affected.
    let elsewhere = anonymous.at("127.0.0.2");
    let answer = elsewhere.post(SESSION, console_sign_in("anna")).await;
    answer.created();
    let answer = anonymous.post(SESSION, console_sign_in("berta")).await;
    answer.created();

    let browser = |proof: &str| anonymous.with("Cookie", &format!("steward-browser={proof}"));
    let own = browser(&proofs[0]);
    own.post(SESSION, console_sign_in("anna")).await.created();
    // The proof of another operator and a forged one change nothing.
    for proof in [proofs[1].as_str(), "forged", ""] {
        let answer = browser(proof).post(SESSION, console_sign_in("anna")).await;
        answer.error(429, "too_many_attempts");
    }
    // A known browser has its own limits.
    for _ in 0..5 {
        let answer = own.post(SESSION, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    let answer = own.post(SESSION, console_sign_in("anna")).await;
    answer.error(429, "too_many_attempts");
    app.advance(61);
    own.post(SESSION, console_sign_in("anna")).await.created();
}

#[service_test]
async fn failures_of_others_do_not_stop_a_change_of_the_own_password(app: TestApp) {
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let elsewhere: Vec<Client> = (2..22)
        .map(|number| app.anonymous().at(&format!("127.0.0.{number}")))
        .collect();
    let mut wrong = console_sign_in("anna");
    wrong["password"] = json!("a wrong one");
    // Five from each of 20 networks, and five from the operator's own.
    for client in elsewhere.iter().chain([&app.anonymous()]) {
        for _ in 0..5 {
            client.post(SESSION, wrong.clone()).await;
        }
    }
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    answer.error(429, "too_many_attempts");
    let change = |current: &str| json!({ "current_password": current, "password": "another one" });
    let path = "/api/console/password";
    anna.put(path, change("battery staple")).await.ok();
    // A session has its own limit, and its failures are those of a person at its address, too.
    app.advance(60);
    for _ in 0..5 {
        let answer = anna.put(path, change("a wrong one")).await;
        answer.error(422, "invalid_credentials");
    }
    let answer = anna.put(path, change("another one")).await;
    answer.error(429, "too_many_attempts");
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    answer.error(429, "too_many_attempts");
}

#[service_test]
async fn a_new_password_and_400_days_withdraw_the_proof_of_a_known_browser(app: TestApp) {
    let id = app.operator("anna", &[]).await;
    let mut wrong = console_sign_in("anna");
    wrong["password"] = json!("a wrong one");
    // Whether the browser is let in when others are not.
    let is_known = async |proof: &str, password: &str| {
        app.advance(60);
        for _ in 0..5 {
            app.anonymous().post(SESSION, wrong.clone()).await;
        }
        let client = app.anonymous();
        let client = client.with("Cookie", &format!("steward-browser={proof}"));
        let mut body = console_sign_in("anna");
        body["password"] = json!(password);
        client.post(SESSION, body).await.status == 201
    };
    let first = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let old = cookie(&first, "steward-browser").expect("a proof");
    assert!(is_known(&old, "battery staple").await);
    let body = json!({ "current_password": "battery staple", "password": "another one" });
    let changed = app
        .with_session(&first)
        .put("/api/console/password", body)
        .await;
    changed.ok();
    let new = cookie(&changed, "steward-browser").expect("a proof");
    assert!(!is_known(&old, "another one").await);
    assert!(is_known(&new, "another one").await);

    let body = json!({ "password": "battery staple" });
    app.admin()
        .put(&format!("/api/users/{id}"), body)
        .await
        .ok();
    assert!(!is_known(&new, "battery staple").await);
    app.advance(60);
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let proof = cookie(&answer, "steward-browser").expect("a proof");
    app.advance(400 * 24 * 3600 - 120);
    assert!(is_known(&proof, "battery staple").await);
    assert!(!is_known(&proof, "battery staple").await);
}
