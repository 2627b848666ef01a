use serde_json::{Value, json};

use super::{SESSIONS, sign_out, with_anna};
use crate::support::{TestApp, sign_in};

async fn entry(app: &TestApp, action: &str) -> Value {
    let path = format!("/api/audit-log?action={action}");
    app.admin().get(&path).await.ok()["audit_log"][0].clone()
}

#[service_test(with_anna())]
async fn audit_entries_show_the_device_and_no_token(app: TestApp) {
    app.device(1, "Laptop").await;
    let token = app.sign_in("anna").await;
    sign_out(&app, &token).await.ok();
    let session = json!({
        "user_id": 1,
        "device": { "id": 2, "name": "Phone", "user_agent": "Mozilla/5.0" },
        "token": "***",
    });
    let created = entry(&app, "sessions.create").await;
    assert_eq!(
        (&created["resource_id"], &created["after"]),
        (&json!(2), &session)
    );
    assert_eq!(created["before"], json!({}));
    let deleted = entry(&app, "sessions.delete").await;
    assert_eq!(
        (&deleted["resource_id"], &deleted["before"]),
        (&json!(2), &session)
    );
    assert_eq!(deleted["after"], json!({}));
}

/// All tables that belong to signing in.
async fn stored(app: &TestApp) -> Vec<u8> {
    let mut all = Vec::new();
    if app.core().db.on_postgres() {
        let mut read = app.core().db.read().await.expect("a reader");
        for sql in [
            "SELECT CAST(t AS TEXT) FROM user_sessions t",
            "SELECT CAST(t AS TEXT) FROM sign_in_attempts t",
            "SELECT CAST(t AS TEXT) FROM audit_log t",
            "SELECT CAST(t AS TEXT) FROM idempotent_replies t",
        ] {
            let rows: Vec<String> = read
                .query(sql, &[], |row| row.get(0))
                .await
                .expect("all rows");
            assert!(!rows.is_empty(), "{sql}");
            all.extend(rows.concat().into_bytes());
        }
    } else {
        for file in app.scratch.files() {
            all.extend(std::fs::read(file).expect("its bytes"));
        }
    }
    all
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

#[service_test(with_anna())]
async fn tokens_logins_and_passwords_are_not_stored(app: TestApp) {
    let caller = app.admin().with("Idempotency-Key", "once");
    let made = caller.post(SESSIONS, sign_in("anna")).await.created();
    let token = made["session_token"].as_str().expect("a token");
    let mut mistaken = sign_in("my-password-in-the-wrong-field");
    mistaken["password"] = json!("my-other-password");
    let answer = app.admin().post(SESSIONS, mistaken).await;
    answer.error(422, "invalid_credentials");

    let stored = stored(&app).await;
    assert!(holds(&stored, b"sessions.create"), "this is where to look");
    for secret in [
        token,
        "my-password-in-the-wrong-field",
        "my-other-password",
        "battery staple",
    ] {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(!holds(&stored, secret.as_bytes()), "{secret}");
        assert!(!holds(&stored, hex.as_bytes()), "{secret}");
    }
}

#[service_test(with_anna())]
async fn a_replay_returns_the_same_token_and_creates_no_session(app: TestApp) {
    let caller = app.admin().with("Idempotency-Key", "once");
    let first = caller.post(SESSIONS, sign_in("anna")).await;
    let token = first.created()["session_token"].clone();
    let again = caller.post(SESSIONS, sign_in("anna")).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.created()["session_token"], token);
    let sessions = "SELECT COUNT(*) FROM user_sessions";
    assert_eq!(app.number(sessions).await, 1);

    // The reply is stored, so later attempts do not matter.
    let mut wrong = sign_in("anna");
    wrong["password"] = json!("wrong");
    for _ in 0..5 {
        let answer = app.admin().post(SESSIONS, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    let again = caller.post(SESSIONS, sign_in("anna")).await;
    assert_eq!(again.created()["session_token"], token);
    app.advance(60);

    // A refusal is not stored, so the next request is checked again.
    let caller = app.admin().with("Idempotency-Key", "twice");
    let answer = caller.post(SESSIONS, wrong).await;
    answer.error(422, "invalid_credentials");
    caller.post(SESSIONS, sign_in("anna")).await.created();
}
