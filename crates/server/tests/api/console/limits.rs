//! Limits of attempts to sign in to the console.

use serde_json::json;

use crate::support::{SESSION, TestApp, console_sign_in, cookie};

#[tokio::test(flavor = "multi_thread")]
async fn the_sixth_failure_within_a_minute_gets_429_but_a_known_browser_is_let_in() {
    let app = TestApp::start().await;
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
    elsewhere
        .post(SESSION, console_sign_in("anna"))
        .await
        .created();
    anonymous
        .post(SESSION, console_sign_in("berta"))
        .await
        .created();

    let browser = |proof: &str| anonymous.with("Cookie", &format!("steward-browser={proof}"));
    let own = browser(&proofs[0]);
    own.post(SESSION, console_sign_in("anna")).await.created();
    // The proof of another operator and a forged one change nothing.
    for proof in [proofs[1].as_str(), "forged", ""] {
        let answer = browser(proof).post(SESSION, console_sign_in("anna")).await;
        answer.error(429, "too_many_attempts");
    }
    // A known browser has limits of its own.
    for _ in 0..5 {
        let answer = own.post(SESSION, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    let answer = own.post(SESSION, console_sign_in("anna")).await;
    answer.error(429, "too_many_attempts");
    app.advance(61);
    own.post(SESSION, console_sign_in("anna")).await.created();
}
