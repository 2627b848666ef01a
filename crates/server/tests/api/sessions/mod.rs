//! Sessions.

mod attempt_limit;
mod bcrypt;
mod races;
mod read_only;
mod secrecy;

use reqwest::Method;
use serde_json::{Value, json};
use server::maintenance::Rules;

use crate::support::{Answer, Client, TestApp, assert_fields, new_user, sign_in};

const SESSIONS: &str = "/api/sessions";
const DAY: i64 = 24 * 60 * 60;

async fn with_anna() -> TestApp {
    let app = TestApp::start().await;
    app.user("anna").await;
    app
}

async fn sign_out(app: &TestApp, token: &str) -> Answer {
    let body = json!({ "token": token });
    app.admin().send(Method::DELETE, SESSIONS, Some(body)).await
}

#[service_test(with_anna())]
async fn a_session_lives_from_sign_in_to_sign_out(app: TestApp, admin: Client) {
    let user = admin.get("/api/users").await.ok()["users"][0].clone();
    app.advance(30);
    let made = admin.post(SESSIONS, sign_in("anna")).await.created();
    assert_fields(&made, &["message", "session_token", "user", "device"]);
    assert_eq!(made["user"], user);
    let mut device = json!({
        "id": 1,
        "name": "Phone",
        "last_active": "2026-03-01T12:00:30Z",
        "user_agent": "Mozilla/5.0",
    });
    assert_eq!(made["device"], device);
    let token = made["session_token"].as_str().expect("a token");
    assert!(token.starts_with("sts_") && token.len() == 47, "{token}");

    let verified = app.verify(token).await.ok();
    assert_fields(&verified, &["user", "device"]);
    assert_eq!((&verified["user"], &verified["device"]), (&user, &device));

    // Activity is stored once a minute and does not change the user.
    let tag = admin.etag("/api/users/1").await;
    app.advance(59);
    assert_eq!(app.verify(token).await.ok()["device"], device);
    app.advance(1);
    device["last_active"] = json!("2026-03-01T12:01:30Z");
    assert_eq!(app.verify(token).await.ok()["device"], device);
    let devices = "/api/users/1/devices";
    assert_eq!(admin.get(devices).await.ok()["devices"], json!([device]));
    let user = admin.get("/api/users/1").await;
    assert_eq!(user.header("etag"), tag);
    assert_eq!(user.ok()["user"]["updated_at"], "2026-03-01T12:00:00Z");

    assert_fields(&sign_out(&app, token).await.ok(), &["message"]);
    app.verify(token).await.error(422, "session_invalid");
    sign_out(&app, token).await.error(422, "session_invalid");
    assert_eq!(admin.get(devices).await.ok()["devices"], json!([device]));
}

#[service_test(with_anna())]
async fn a_user_has_as_many_sessions_as_devices(app: TestApp) {
    app.user("berta").await;
    let (one, other) = (app.sign_in("anna").await, app.sign_in("anna").await);
    let berta = app.sign_in("berta").await;
    assert_ne!(one, other);
    assert_eq!(app.verify(&one).await.ok()["device"]["id"], 1);
    assert_eq!(app.verify(&other).await.ok()["device"]["id"], 2);
    assert_eq!(app.verify(&berta).await.ok()["user"]["username"], "berta");
    sign_out(&app, &one).await.ok();
    app.verify(&one).await.error(422, "session_invalid");
    app.verify(&other).await.ok();
    app.verify(&berta).await.ok();
}

#[service_test]
async fn a_login_is_a_username_or_email_in_any_case(app: TestApp, admin: Client) {
    app.user("Жанна").await;
    for login in ["Жанна", "жАННА", "Жанна@example.com", "жанна@EXAMPLE.com"] {
        let made = admin.post(SESSIONS, sign_in(login)).await.created();
        assert_eq!(made["user"]["id"], 1, "{login}");
    }
    // A username equal to another user's email does not lock that user out.
    let mut double = new_user("жанна@example.com");
    double["email"] = json!("double@example.com");
    admin.post("/api/users", double).await.created();
    for (login, id) in [("Жанна@example.com", 1), ("double@example.com", 2)] {
        let made = admin.post(SESSIONS, sign_in(login)).await.created();
        assert_eq!(made["user"]["id"], id, "{login}");
    }
}

#[service_test(with_anna())]
async fn a_wrong_password_and_an_unknown_login_give_the_same_422(app: TestApp, admin: Client) {
    let mut wrong = sign_in("anna");
    wrong["password"] = json!("x");
    let mut seen = Vec::new();
    for body in [wrong, sign_in("nobody"), sign_in("anna@example.org")] {
        let hashed = app.app.users.passwords.hashed();
        let answer = admin.post(SESSIONS, body).await;
        let mut refused = answer.error(422, "invalid_credentials");
        assert_eq!(app.app.users.passwords.hashed(), hashed + 1, "as much work");
        refused["request_id"] = json!(null);
        seen.push(refused);
    }
    assert!(seen.iter().all(|refused| *refused == seen[0]), "{seen:?}");
    let sessions = "SELECT COUNT(*) FROM user_sessions";
    assert_eq!(app.number(sessions).await, 0);
    assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
    let log = admin.get("/api/audit-log?resource=sessions").await;
    assert_eq!(log.header("x-total-count"), "3");
    let failed = admin.get("/api/audit-log?action=sessions.fail").await;
    assert_eq!(failed.header("x-total-count"), "3");
    // A malformed stored hash never matches, and takes as long.
    app.app
        .kernel
        .core
        .db
        .run_sql("UPDATE users SET password_hash = ''")
        .await
        .expect("none");
    let hashed = app.app.users.passwords.hashed();
    let answer = admin.post(SESSIONS, sign_in("anna")).await;
    answer.error(422, "invalid_credentials");
    assert_eq!(app.app.users.passwords.hashed(), hashed + 1);
}

#[service_test(with_anna())]
async fn all_faults_of_a_session_request_are_in_one_422(app: TestApp, admin: Client) {
    let hashed = app.app.users.passwords.hashed();
    admin.post(SESSIONS, json!({})).await.invalid(&[
        ("login", "is required"),
        ("password", "is required"),
        ("device_name", "is required"),
        ("user_agent", "is required"),
    ]);
    let body = json!({
        "login": "x".repeat(255), "password": "é".repeat(513), "device_name": "x".repeat(101),
        "user_agent": "x".repeat(513),
    });
    admin.post(SESSIONS, body).await.invalid(&[
        ("login", "must be 1 to 254 characters long"),
        ("password", "must be 1 to 1024 bytes long"),
        ("device_name", "must be 1 to 100 characters long"),
        ("user_agent", "must be 1 to 512 characters long"),
    ]);
    let body = json!({ "login": " ", "password": "", "device_name": 1, "user_agent": null });
    admin.post(SESSIONS, body).await.invalid(&[
        ("login", "must not be blank"),
        ("password", "must be 1 to 1024 bytes long"),
        ("device_name", "must be a string"),
        ("user_agent", "must not be null"),
    ]);
    assert_eq!(
        app.app.users.passwords.hashed(),
        hashed,
        "nothing to compare"
    );
    let attempts = "SELECT COUNT(*) FROM sign_in_attempts";
    assert_eq!(app.number(attempts).await, 0);

    let verify = "/api/sessions/verify";
    for (method, path) in [(Method::POST, verify), (Method::DELETE, SESSIONS)] {
        let send = async |body: Option<Value>| admin.send(method.clone(), path, body).await;
        send(None).await.error(422, "missing_body");
        let required = [("token", "is required")];
        send(Some(json!({}))).await.invalid(&required);
        let number = [("token", "must be a string")];
        send(Some(json!({ "token": 1 }))).await.invalid(&number);
        let long = [("token", "must be 1 to 255 characters long")];
        let body = json!({ "token": "x".repeat(256) });
        send(Some(body)).await.invalid(&long);
        for unknown in [
            "x",
            "sts_",
            "sts_0000000000000000000000000000000000000000000",
        ] {
            let answer = send(Some(json!({ "token": unknown }))).await;
            answer.error(422, "session_invalid");
        }
    }
}

#[service_test(with_anna())]
async fn a_blocked_user_gets_403_with_the_reason_only_with_the_right_password(app: TestApp) {
    let admin = app.admin();
    let token = app.sign_in("anna").await;
    let terms = json!({ "reason": "Spam", "until": "2026-03-01T13:00:00Z" });
    admin.post("/api/users/1/block", terms).await.ok();
    for refused in [
        admin.post(SESSIONS, sign_in("anna")).await,
        app.verify(&token).await,
    ] {
        let body = refused.error(403, "user_blocked");
        assert_eq!(body["reason"], "Spam");
        assert_eq!(body["until"], "2026-03-01T13:00:00Z");
    }
    let mut wrong = sign_in("anna");
    wrong["password"] = json!("not anna's");
    let answer = admin.post(SESSIONS, wrong).await;
    answer.error(422, "invalid_credentials");

    admin.post_empty("/api/users/1/block").await.ok();
    let body = app.verify(&token).await.error(403, "user_blocked");
    assert_eq!(
        (&body["reason"], &body["until"]),
        (&json!(""), &json!(null))
    );
    // However often: a correct password is not a failed attempt.
    for _ in 0..7 {
        let answer = admin.post(SESSIONS, sign_in("anna")).await;
        answer.error(403, "user_blocked");
    }
    let devices = "SELECT COUNT(*) FROM user_devices";
    assert_eq!(app.number(devices).await, 1);

    admin.post_empty("/api/users/1/unblock").await.ok();
    app.verify(&token).await.ok();
    app.sign_in("anna").await;
    // A blocked user can still sign out.
    admin.post_empty("/api/users/1/block").await.ok();
    sign_out(&app, &token).await.ok();
}

#[service_test(with_anna())]
async fn users_of_any_other_status_can_sign_in(app: TestApp) {
    for status in ["pending", "inactive", "guest"] {
        let body = json!({ "status": status });
        app.admin().put("/api/users/1", body).await.ok();
        let made = app.admin().post(SESSIONS, sign_in("anna")).await.created();
        assert_eq!(made["user"]["status"], status);
    }
}

#[service_test(with_anna())]
async fn an_unused_session_expires(app: TestApp) {
    let used = app.sign_in("anna").await;
    let unused = app.sign_in("anna").await;
    app.advance(29 * DAY);
    app.verify(&used).await.ok();
    app.advance(DAY - 1);
    app.verify(&used).await.ok();
    let sessions = "SELECT COUNT(*) FROM user_sessions";
    app.maintain(Rules::default()).await;
    assert_eq!(app.number(sessions).await, 2, "up to the last second");

    app.advance(1);
    app.verify(&unused).await.error(422, "session_invalid");
    sign_out(&app, &unused).await.error(422, "session_invalid");
    app.verify(&used).await.ok();
    app.maintain(Rules::default()).await;
    assert_eq!(app.number(sessions).await, 1);
    app.verify(&used).await.ok();
    app.advance(30 * DAY);
    app.verify(&used).await.error(422, "session_invalid");
    let devices = app.admin().get("/api/users/1/devices").await;
    assert_eq!(
        devices.header("x-total-count"),
        "1",
        "the device went with its expired session"
    );
}

#[service_test(TestApp::start_with(|limits| limits.session_max_days = Some(40)))]
async fn a_session_expires_after_session_max_days_even_if_it_is_used(app: TestApp) {
    app.user("anna").await;
    let first = app.sign_in("anna").await;
    app.advance(20 * DAY);
    app.verify(&first).await.ok();
    let second = app.sign_in("anna").await;
    app.advance(20 * DAY - 1);
    app.verify(&first).await.ok();
    app.maintain(Rules::default()).await;
    let sessions = "SELECT COUNT(*) FROM user_sessions";
    assert_eq!(app.number(sessions).await, 2, "up to the last second");
    app.advance(1);
    app.verify(&first).await.error(422, "session_invalid");
    sign_out(&app, &first).await.error(422, "session_invalid");
    app.maintain(Rules::default()).await;
    assert_eq!(app.number(sessions).await, 1);
    app.verify(&second).await.ok();
}

#[service_test(with_anna())]
async fn a_new_password_ends_all_sessions_of_its_user(app: TestApp, admin: Client) {
    app.user("berta").await;
    let tokens = [app.sign_in("anna").await, app.sign_in("anna").await];
    let berta = app.sign_in("berta").await;
    let body = json!({ "status": "pending" });
    admin.put("/api/users/1", body).await.ok();
    app.verify(&tokens[0]).await.ok();
    let body = json!({ "password": "correct horse" });
    admin.put("/api/users/1", body).await.ok();
    for token in &tokens {
        app.verify(token).await.error(422, "session_invalid");
    }
    app.verify(&berta).await.ok();
    let devices = admin.get("/api/users/1/devices").await;
    assert_eq!(devices.header("x-total-count"), "2", "devices stay");
    let answer = admin.post(SESSIONS, sign_in("anna")).await;
    answer.error(422, "invalid_credentials");
    let mut body = sign_in("anna");
    body["password"] = json!("correct horse");
    admin.post(SESSIONS, body).await.created();
}

#[service_test(with_anna())]
async fn signing_in_changes_the_devices_but_not_the_user_etag(app: TestApp, admin: Client) {
    let before = admin.get("/api/users/1").await;
    app.advance(60);
    app.sign_in("anna").await;
    let after = admin.get("/api/users/1").await;
    assert_eq!(before.text, after.text);
    assert_ne!(before.header("etag"), after.header("etag"));
}
