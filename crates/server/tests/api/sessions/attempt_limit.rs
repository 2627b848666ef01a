use serde_json::json;
use server::maintenance::{self, Rules};

use crate::support::{Answer, Client, TestApp, at_once, count, sign_in};

const SESSIONS: &str = "/api/sessions";
const ATTEMPTS: &str = "SELECT COUNT(*) FROM sign_in_tries";

async fn guess(caller: &Client, login: &str) -> Answer {
    let mut body = sign_in(login);
    body["password"] = json!("a guess");
    caller.post(SESSIONS, body).await
}

#[track_caller]
fn assert_429(answer: &Answer, retry_after: &str) {
    answer.error(429, "too_many_attempts");
    assert_eq!(answer.header("retry-after"), retry_after);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sixth_attempt_within_a_minute_gets_429() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    // By username or email, it is the same user; the other login does not exist.
    for login in [["anna", "ANNA@example.com"], ["nobody", "NOBODY"]] {
        for number in 0..5 {
            let answer = guess(&admin, login[number % 2]).await;
            answer.error(422, "invalid_credentials");
            app.advance(2);
        }
        let hashed = app.app.passwords.hashed();
        for login in login {
            assert_429(&guess(&admin, login).await, "50");
            assert_429(&admin.post(SESSIONS, sign_in(login)).await, "50");
        }
        app.advance(49);
        assert_429(&guess(&admin, login[0]).await, "1");
        assert_eq!(app.app.passwords.hashed(), hashed, "no work was done");

        // The first attempt has left the window, so one is free; the second leaves two seconds
        // later.
        app.advance(1);
        guess(&admin, login[0])
            .await
            .error(422, "invalid_credentials");
        assert_429(&guess(&admin, login[1]).await, "2");
        assert_eq!(app.app.passwords.hashed(), hashed + 1);
    }
    // Other users are not affected.
    app.user("berta").await;
    app.sign_in("berta").await;
    app.advance(60);
    app.sign_in("anna").await;
    let log = admin.get("/api/audit-log?resource=sessions").await;
    assert_eq!(log.header("x-total-count"), "2", "successes alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correct_password_resets_the_attempts() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    for _ in 0..3 {
        for _ in 0..4 {
            guess(&admin, "anna")
                .await
                .error(422, "invalid_credentials");
        }
        app.sign_in("anna").await;
        assert_eq!(app.number(ATTEMPTS).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_concurrent_attempts_five_are_checked_and_the_others_get_429() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    for login in ["anna", "nobody"] {
        let hashed = app.app.passwords.hashed();
        let requests = (0..50).map(|_| {
            let admin = admin.clone();
            async move { guess(&admin, login).await }
        });
        let answers = at_once(requests).await;
        assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 45));
        assert_eq!(app.app.passwords.hashed(), hashed + 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_share_the_attempt_limit_429() {
    let app = TestApp::start().await;
    app.user("anna").await;
    let second = app.second_instance().await;
    let callers = [app.admin(), second.holder(app.admin_key())];
    let hashed = || app.app.passwords.hashed() + second.app.passwords.hashed();
    let before = hashed();
    let requests = (0..50).map(|number| {
        let caller = callers[number % 2].clone();
        async move { guess(&caller, "anna").await }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 45));
    assert_eq!(hashed(), before + 5);
    for caller in &callers {
        assert_429(&caller.post(SESSIONS, sign_in("anna")).await, "60");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn old_attempts_are_deleted() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    guess(&admin, "anna")
        .await
        .error(422, "invalid_credentials");
    app.advance(30);
    guess(&admin, "nobody")
        .await
        .error(422, "invalid_credentials");
    for (seconds, left) in [(29, 2), (1, 1), (30, 0)] {
        app.advance(seconds);
        maintenance::once(&app.app, Rules::default())
            .await
            .expect("maintenance");
        assert_eq!(app.number(ATTEMPTS).await, left);
    }
}
