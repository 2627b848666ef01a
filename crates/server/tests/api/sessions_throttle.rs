use serde_json::json;
use server::maintenance::{self, Rules};

use crate::support::{Answer, Client, TestApp, at_once, count, sign_in};

const SESSIONS: &str = "/api/sessions";
const TRIES: &str = "SELECT COUNT(*) FROM sign_in_tries";

async fn guess(caller: &Client, login: &str) -> Answer {
    let mut body = sign_in(login);
    body["password"] = json!("a guess");
    caller.post(SESSIONS, body).await
}

#[track_caller]
fn too_many(answer: &Answer, retry_after: &str) {
    answer.error(429, "too_many_attempts");
    assert_eq!(answer.header("retry-after"), retry_after);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sixth_try_within_a_minute_is_not_looked_at() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    // By name or by address, it is the same user; nobody has the other one.
    for login in [["anna", "ANNA@example.com"], ["nobody", "NOBODY"]] {
        for number in 0..5 {
            let answer = guess(&admin, login[number % 2]).await;
            answer.error(422, "invalid_credentials");
            app.pass(2);
        }
        let hashed = app.app.passwords.hashed();
        for login in login {
            too_many(&guess(&admin, login).await, "50");
            too_many(&admin.post(SESSIONS, sign_in(login)).await, "50");
        }
        app.pass(49);
        too_many(&guess(&admin, login[0]).await, "1");
        assert_eq!(app.app.passwords.hashed(), hashed, "no work was done");

        // The first has left the window, and one is free; the second leaves two seconds later.
        app.pass(1);
        guess(&admin, login[0])
            .await
            .error(422, "invalid_credentials");
        too_many(&guess(&admin, login[1]).await, "2");
        assert_eq!(app.app.passwords.hashed(), hashed + 1);
    }
    // Others are none the wiser, and none the slower.
    app.user("berta").await;
    app.sign_in("berta").await;
    app.pass(60);
    app.sign_in("anna").await;
    let log = admin.get("/api/audit-log?resource=sessions").await;
    assert_eq!(log.header("x-total-count"), "2", "successes alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gets_it_right_begins_anew() {
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
        assert_eq!(app.number(TRIES).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_tries_at_once_five_are_looked_at() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    for login in ["anna", "nobody"] {
        let hashed = app.app.passwords.hashed();
        let requests = (0..50).map(|_| {
            let admin = admin.clone();
            async move { guess(&admin, login).await }
        });
        let answers = at_once(requests.collect::<Vec<_>>()).await;
        assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 45));
        assert_eq!(app.app.passwords.hashed(), hashed + 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_count_together() {
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
    let answers = at_once(requests.collect::<Vec<_>>()).await;
    assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 45));
    assert_eq!(hashed(), before + 5);
    for caller in &callers {
        too_many(&caller.post(SESSIONS, sign_in("anna")).await, "60");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_are_forgotten_when_they_no_longer_count() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    guess(&admin, "anna")
        .await
        .error(422, "invalid_credentials");
    app.pass(30);
    guess(&admin, "nobody")
        .await
        .error(422, "invalid_credentials");
    for (seconds, left) in [(29, 2), (1, 1), (30, 0)] {
        app.pass(seconds);
        maintenance::once(&app.app, Rules::default())
            .await
            .expect("upkeep");
        assert_eq!(app.number(TRIES).await, left);
    }
}
