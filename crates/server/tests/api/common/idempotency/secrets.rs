//! Stored replies that reveal a secret can be read by the client that got them alone.

use kernel::secret::SecretKey;
use serde_json::{Value, json};

use super::{HEADER, holds, is_replayed};
use crate::support::{Client, TestApp, sign_in};

/// Everything that the database and the secret key file reveal of stored replies.
async fn revealed(app: &TestApp) -> Vec<Vec<u8>> {
    let mut read = app.core().db.read().await.expect("a connection");
    let sql = "SELECT key_id, value, reply, secret_reply FROM idempotent_replies";
    let rows = read.query(sql, &[], |row| {
        let (id, value): (i64, String) = (row.get(0)?, row.get(1)?);
        let (reply, secret): (Vec<u8>, Option<Vec<u8>>) = (row.get(2)?, row.get(3)?);
        Ok((id, value, reply, secret))
    });
    let key_file = SecretKey::new(&[7; 32]);
    let mut revealed = Vec::new();
    for (id, value, reply, secret) in rows.await.expect("rows") {
        let context = format!("idempotent reply {id} {value}");
        revealed.push(key_file.open(&context, &reply).expect("sealed"));
        if let Some(secret) = secret {
            let context = format!("secret {context}");
            revealed.push(key_file.open(&context, &secret).expect("sealed"));
        }
    }
    revealed
}

/// Everything whose reply reveals a secret, done by this client.
async fn reveal_secrets(app: &TestApp, client: &Client) -> Vec<(String, Value)> {
    app.user("anna").await;
    let (id, _) = app.key(&[]).await;
    let key = format!("/api/api-keys/{id}");
    let mut done = Vec::new();
    for (path, body) in [
        ("/api/api-keys".to_owned(), json!({ "name": "Shop" })),
        (format!("{key}/regenerate"), json!({})),
        (format!("{key}/rotate"), json!({ "overlap_seconds": 60 })),
        ("/api/sessions".to_owned(), sign_in("anna")),
    ] {
        let answer = client.with(HEADER, &path).post(&path, body.clone()).await;
        assert!([200, 201].contains(&answer.status), "{}", answer.text);
        let reply = answer.json();
        let secret = reply["api_key"]["key"].as_str();
        let secret = secret.or(reply["session_token"].as_str());
        done.push((secret.expect("a secret").to_owned(), json!([path, body])));
    }
    done
}

#[service_test]
async fn the_database_and_the_secret_key_file_do_not_reveal_keys_and_tokens(app: TestApp) {
    let admin = app.admin();
    let done = reveal_secrets(&app, &admin).await;
    let role = admin.with(HEADER, "role");
    role.create_role("Guard").await;

    let revealed = revealed(&app).await;
    let is_readable = |text: &str| revealed.iter().any(|bytes| holds(bytes, text));
    assert!(is_readable("Guard"), "this is how to look");
    for (secret, _) in &done {
        assert!(!is_readable(secret));
    }
    for (secret, request) in &done {
        let path = request[0].as_str().expect("a path");
        let again = admin
            .with(HEADER, path)
            .post(path, request[1].clone())
            .await;
        assert!(is_replayed(&again) && again.text.contains(secret), "{path}");
    }
}

#[service_test]
async fn with_a_new_value_of_the_calling_key_such_a_replay_gives_409_reply_unavailable() {
    let app = TestApp::start().await;
    let (id, caller) = app
        .key(&["admin.api-keys", "admin.sessions", "admin.roles"])
        .await;
    let done = reveal_secrets(&app, &caller).await;
    let role = || json!({ "name": "Guard" });
    let answer = caller.with(HEADER, "role").post("/api/roles", role()).await;
    answer.created();
    let path = format!("/api/api-keys/{id}/regenerate");
    let renewed = app.admin().post_empty(&path).await.ok();
    let renewed = app.holder(renewed["api_key"]["key"].as_str().expect("a value"));

    let keys = app.admin().total("/api/api-keys").await;
    for (_, request) in &done {
        let path = request[0].as_str().expect("a path");
        let again = renewed
            .with(HEADER, path)
            .post(path, request[1].clone())
            .await;
        again.error(409, "reply_unavailable");
    }
    assert_eq!(app.admin().total("/api/api-keys").await, keys);
    // Other replies do not depend on the value.
    let again = renewed
        .with(HEADER, "role")
        .post("/api/roles", role())
        .await;
    assert!(is_replayed(&again));
}

#[service_test]
async fn a_key_that_stores_too_many_bytes_gets_429_idempotency_quota_and_writes_nothing() {
    let app = TestApp::start_with(|limits| limits.stored_reply_bytes = 10_000).await;
    let admin = app.admin();
    let page = json!({ "title": "Rules", "slug": "rules", "content": "x".repeat(4000) });
    admin.post("/api/cms-pages", page).await.created();
    let update = async |client: &Client, number: i64| {
        let client = client.with(HEADER, &number.to_string());
        client.put("/api/cms-pages/1", json!({})).await
    };
    update(&admin, 1).await.ok();
    update(&admin, 2).await.ok();
    let entries = admin.total("/api/audit-log").await;
    let refused = update(&admin, 3).await;
    refused.error(429, "idempotency_quota");
    assert_eq!(refused.header("retry-after"), "3600");
    assert_eq!(admin.total("/api/audit-log").await, entries);

    // Replays store nothing, other keys have their own quota, and requests without the header none.
    assert!(is_replayed(&update(&admin, 1).await));
    let (_, other) = app.key(&["admin.pages"]).await;
    update(&other, 1).await.ok();
    admin.put("/api/cms-pages/1", json!({})).await.ok();
    app.advance(3600);
    update(&admin, 3).await.ok();
}
