//! The value of a key is in the reply that created it and nowhere else.

use std::path::Path;

use db::Db;
use serde_json::{Value, json};

use crate::support::{ADMIN_KEY, Client, Home};

#[tokio::test]
async fn a_key_is_in_no_log_and_no_database_wherever_it_is_sent() {
    let home = Home::new().await;
    let service = home.start_with(&["--log-level", "trace"]).await;
    let admin = service.admin();

    // With an Idempotency-Key the reply, including the value, is stored for a replay.
    let once = admin.with("Idempotency-Key", "once");
    let body = json!({ "name": "Careless" });
    let created = once.post("/api/api-keys", body.clone()).await.created();
    let again = once.post("/api/api-keys", body).await.created();
    assert_eq!(created, again);
    let made = value(&created);
    let regenerated = admin.post("/api/api-keys/2/regenerate", json!({}));
    let regenerated = value(&regenerated.await.ok());
    let overlap = json!({ "overlap_seconds": 600 });
    let rotated = admin.post("/api/api-keys/2/rotate", overlap);
    let rotated = value(&rotated.await.ok());
    let ended = home
        .run(&["key", "create", "--name", "Third", "--all"])
        .await;
    let third = ended.ok().trim_end().to_owned();

    let secrets = [ADMIN_KEY, &made, &regenerated, &rotated, &third];
    for secret in secrets {
        send_in_wrong_places(&service.anonymous(), secret).await;
        send_in_wrong_places(&service.holder(secret), secret).await;
    }
    assert_not_in_the_database(&home, &secrets).await;
    let ended = service.stop().await;
    ended.ok();
    for secret in secrets {
        assert!(!ended.stdout.contains(secret), "{}", ended.stdout);
        assert!(!ended.stderr.contains(secret), "{secret}: {}", ended.stderr);
    }
    assert!(ended.log().len() > 50, "there is a log to look into");
    assert_not_in_the_database(&home, &secrets).await;
}

fn value(reply: &Value) -> String {
    let value = reply["api_key"]["key"].as_str();
    value.expect("a value").to_owned()
}

async fn send_in_wrong_places(caller: &Client, secret: &str) {
    for path in [
        format!("/api/roles?X-API-Key={secret}"),
        format!("/api/roles?page={secret}"),
        format!("/api/audit-log?from={secret}&resource={secret}"),
        format!("/api/roles/{secret}"),
        format!("/api/api-keys/{secret}/regenerate"),
        format!("/{secret}"),
    ] {
        caller.get(&path).await;
    }
    for body in [
        json!({ "X-API-Key": secret }),
        json!({ "name": [secret] }),
        json!({ "name": "", "description": secret }),
        json!({ "name": "Guard", "color": secret }),
        json!(secret),
    ] {
        caller.post("/api/roles", body.clone()).await;
        caller
            .with("Prefer", "handling=strict")
            .put(&format!("/api/roles/{secret}"), body)
            .await;
    }
    for (header, text) in [
        ("Authorization", format!("Bearer {secret}")),
        ("Authorization", secret.to_owned()),
        ("Cookie", format!("key={secret}")),
        ("User-Agent", secret.to_owned()),
        ("Referer", format!("http://127.0.0.1/{secret}")),
        ("If-None-Match", secret.to_owned()),
        ("X-API-Key", format!("{secret} ")),
        ("X-API-Key", secret[..secret.len() - 1].to_owned()),
    ] {
        caller.with(header, &text).get("/api/roles").await;
    }
    caller.delete(&format!("/api/roles/{secret}")).await;
}

async fn assert_not_in_the_database(home: &Home, secrets: &[&str]) {
    let mut kept = Vec::new();
    read_files(home.folder(), &mut kept);
    if home.on_postgres() {
        kept.extend(dump(&home.database().await).await);
    }
    let found = |text: &str| {
        kept.iter()
            .any(|(_, bytes)| contains(bytes, text.as_bytes()))
    };
    assert!(found("Careless"), "what is stored is looked at");
    for secret in secrets {
        for form in [(*secret).to_owned(), hex(secret)] {
            let place = kept
                .iter()
                .find(|(_, bytes)| contains(bytes, form.as_bytes()));
            let place = place.map(|(name, _)| name);
            assert_eq!(place, None, "{secret}");
        }
    }
}

fn read_files(folder: &Path, kept: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_files(&path, kept);
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            kept.push((path.display().to_string(), bytes));
        }
    }
}

/// Every table as text; PostgreSQL writes bytes as hexadecimal digits.
async fn dump(db: &Db) -> Vec<(String, Vec<u8>)> {
    let mut read = db.read().await.expect("a reader");
    let tables = read.query(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'",
        &[],
        |row| row.get::<String>(0),
    );
    let mut dumped = Vec::new();
    for table in tables.await.expect("tables") {
        let sql = format!("SELECT COALESCE(string_agg(t::text, ' '), '') FROM \"{table}\" t");
        let text = read.query_one(sql.leak(), &[], |row| row.get::<String>(0));
        dumped.push((table, text.await.expect("rows").into_bytes()));
    }
    dumped
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
