//! Stored replies outlive their instance, for a day, and are encrypted.

use serde_json::json;

use super::{HEADER, is_replayed, total};
use server::maintenance::Rules;

use crate::support::TestApp;

const DAY: i64 = 24 * 60 * 60;

/// The stored replies, as they are in the database.
async fn stored_replies(app: &TestApp) -> Vec<Vec<u8>> {
    let mut read = app.app.db.read().await.expect("a connection");
    let select = "SELECT reply FROM idempotent_replies ORDER BY created_at, value";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    rows.expect("rows")
}

fn holds(bytes: &[u8], text: &str) -> bool {
    let mut windows = bytes.windows(text.len());
    windows.any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_replayed_for_a_day_and_then_deleted() {
    let app = TestApp::start().await;
    let caller = app.admin().with(HEADER, "daily");
    let body = || json!({ "name": "Guard" });
    let first = caller.post("/api/roles", body()).await.created();

    app.advance(DAY - 1);
    let again = caller.post("/api/roles", body()).await;
    assert!(is_replayed(&again));
    assert_eq!(again.created(), first);

    app.advance(1);
    let again = caller.post("/api/roles", body()).await;
    assert!(!is_replayed(&again));
    assert_ne!(again.created()["role"]["id"], first["role"]["id"]);
    // This is a new request; its reply is stored for another day.
    app.advance(DAY - 1);
    assert!(is_replayed(&caller.post("/api/roles", body()).await));
    app.advance(1);
    caller
        .post("/api/roles", json!({ "name": "Cook" }))
        .await
        .created();
    assert_eq!(total(&app.admin(), "/api/roles").await, "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn maintenance_removes_expired_replies_only() {
    let app = TestApp::start().await;
    let post = async |value: &str| {
        let caller = app.admin().with(HEADER, value);
        caller.post("/api/roles", json!({ "name": value })).await
    };
    post("old").await.created();
    app.advance(1);
    post("new").await.created();
    app.advance(DAY - 2);
    server::maintenance::once(&app.app, Rules::default())
        .await
        .expect("maintenance");
    assert_eq!(stored_replies(&app).await.len(), 2);

    app.advance(1);
    server::maintenance::once(&app.app, Rules::default())
        .await
        .expect("maintenance");
    assert_eq!(stored_replies(&app).await.len(), 1);
    assert!(is_replayed(&post("new").await));
    assert_eq!(total(&app.admin(), "/api/roles").await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_replies_are_encrypted() {
    let app = TestApp::start().await;
    let caller = |value: &str| app.admin().with(HEADER, value);
    let body = json!({ "name": "Guard of the northern gate" });
    let role = caller("role").post("/api/roles", body).await;
    role.created();
    let key = caller("key")
        .post("/api/api-keys", json!({ "name": "Shop" }))
        .await;
    let key = key.created()["api_key"]["key"].clone();
    let key = key.as_str().expect("a value");

    let replies = stored_replies(&app).await;
    assert_eq!(replies.len(), 2);
    for reply in replies {
        assert!(reply.len() > 50, "there is a reply");
        for word in ["Guard of the northern gate", "message", key, &key[4..44]] {
            assert!(!holds(&reply, word), "{word}");
        }
    }
    if !app.app.db.on_postgres() {
        for file in app.scratch.files() {
            let bytes = std::fs::read(&file).expect("a readable file");
            assert!(!holds(&bytes, &key[4..44]), "{}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_instance_replays_the_same_reply() {
    let app = TestApp::start().await;
    let caller = app.admin().with(HEADER, "key");
    let body = || json!({ "name": "Shop" });
    let first = caller.post("/api/api-keys", body()).await;
    first.created();

    let second = app.second_instance().await;
    let caller = second.holder(app.admin_key()).with(HEADER, "key");
    let again = caller.post("/api/api-keys", body()).await;
    assert!(is_replayed(&again));
    assert_eq!((again.status, again.text), (first.status, first.text));
    assert_eq!(total(&app.admin(), "/api/api-keys").await, "2");
}
