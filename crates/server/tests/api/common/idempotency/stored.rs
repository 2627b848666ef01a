//! Stored replies outlive their instance, for a day, and are encrypted.

use serde_json::json;

use super::{HEADER, holds, is_replayed};
use server::maintenance::Rules;

use crate::support::{Rng, TestApp};

const DAY: i64 = 24 * 60 * 60;

/// The stored replies, as they are in the database.
async fn stored_replies(app: &TestApp) -> Vec<Vec<u8>> {
    let mut read = app.core().db.read().await.expect("a connection");
    let select = "SELECT reply FROM idempotent_replies ORDER BY created_at, value";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    rows.expect("rows")
}

#[service_test]
async fn a_reply_is_replayed_for_a_day_and_then_deleted(app: TestApp) {
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
    caller.create_role("Cook").await;
    assert_eq!(app.admin().total("/api/roles").await, "3");
}

#[service_test]
async fn maintenance_removes_expired_replies_only(app: TestApp) {
    let post = async |value: &str| {
        let caller = app.admin().with(HEADER, value);
        caller.post("/api/roles", json!({ "name": value })).await
    };
    post("old").await.created();
    app.advance(1);
    post("new").await.created();
    app.advance(DAY - 2);
    app.maintain(Rules::default()).await;
    assert_eq!(stored_replies(&app).await.len(), 2);

    app.advance(1);
    app.maintain(Rules::default()).await;
    assert_eq!(stored_replies(&app).await.len(), 1);
    assert!(is_replayed(&post("new").await));
    assert_eq!(app.admin().total("/api/roles").await, "2");
}

#[service_test]
async fn stored_replies_are_encrypted(app: TestApp) {
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
    if !app.core().db.on_postgres() {
        for file in app.scratch.files() {
            let bytes = std::fs::read(&file).expect("a readable file");
            assert!(!holds(&bytes, &key[4..44]), "{}", file.display());
        }
    }
}

#[service_test]
async fn another_instance_replays_the_same_reply(app: TestApp) {
    let caller = app.admin().with(HEADER, "key");
    let body = || json!({ "name": "Shop" });
    let first = caller.post("/api/api-keys", body()).await;
    first.created();

    let second = app.second_instance().await;
    let caller = second.holder(app.admin_key()).with(HEADER, "key");
    let again = caller.post("/api/api-keys", body()).await;
    assert!(is_replayed(&again));
    assert_eq!((again.status, again.text), (first.status, first.text));
    assert_eq!(app.admin().total("/api/api-keys").await, "2");
}

/// Text of different words, as people write it.
fn prose(rng: &mut Rng, bytes: usize) -> String {
    let words = [
        "server", "rule", "player", "admin", "ban", "weekend", "vote",
    ];
    let mut text = String::new();
    while text.len() < bytes {
        text += words[rng.below(words.len() as u64) as usize];
        text += if rng.below(9) == 0 { ".\n" } else { " " };
    }
    text
}

#[service_test]
async fn large_replies_are_stored_compressed_and_replayed_as_they_were(app: TestApp) {
    let admin = app.admin();
    let content = prose(&mut Rng::new(7), 500_000);
    let page = json!({ "title": "Rules", "slug": "rules", "content": content });
    admin.post("/api/cms-pages", page).await.created();
    let update = async |value: &str| {
        let caller = admin.with(HEADER, value);
        caller.put("/api/cms-pages/1", json!({})).await
    };
    let first = update("first").await;
    first.ok();
    for value in ["second", "third", "fourth", "fifth"] {
        update(value).await.ok();
    }
    let bytes: usize = stored_replies(&app).await.iter().map(Vec::len).sum();
    assert!(bytes < 5 * content.len() / 3, "{bytes} bytes");

    let body = json!({ "content": "Another page." });
    admin.put("/api/cms-pages/1", body).await.ok();
    let again = update("first").await;
    assert!(is_replayed(&again));
    assert_eq!(again.headers.get("etag"), first.headers.get("etag"));
    assert_eq!(again.text, first.text);
}
