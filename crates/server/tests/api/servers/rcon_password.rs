//! RCON passwords are stored encrypted and never shown.

use kernel::secret::SecretKey;
use serde_json::{Value, json};

use super::{create, new, new_with};
use crate::support::{Client, TestApp};

const PASSWORD: &str = "correct horse 🐎 battery";
const CHANGED: &str = "a staple, not a horse";

/// The passwords as they are in the database.
async fn stored_passwords(app: &TestApp) -> Vec<Vec<u8>> {
    let mut read = app.app.db.read().await.expect("a connection");
    let select = "SELECT rcon_password FROM servers ORDER BY id";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    rows.expect("rows")
}

fn decrypt(sealed: &[u8]) -> String {
    // The secret key of every test's service.
    let key = SecretKey::new(&[7; 32]);
    let plain = key.open("servers.rcon_password", sealed);
    String::from_utf8(plain.expect("it opens")).expect("text")
}

async fn set_password(admin: &Client, password: &str) -> Value {
    let body = json!({ "rcon_password": password });
    admin.put("/api/servers/1", body).await.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_encrypted_with_the_secret_key() {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new_with(&json!({ "rcon_password": PASSWORD }))).await;
    create(&admin, new_with(&json!({ "rcon_password": PASSWORD }))).await;
    let sealed = stored_passwords(&app).await;
    assert_eq!(decrypt(&sealed[0]), PASSWORD);
    assert_eq!(decrypt(&sealed[1]), PASSWORD);
    assert_ne!(
        sealed[0], sealed[1],
        "equal passwords have different ciphertexts"
    );

    set_password(&admin, CHANGED).await;
    admin
        .put("/api/servers/1", json!({ "name": "x" }))
        .await
        .ok();
    admin.post_empty("/api/servers/1/toggle").await.ok();
    assert_eq!(decrypt(&stored_passwords(&app).await[0]), CHANGED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_changes_the_etag_and_updated_at() {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new()).await;
    let before = admin.get("/api/servers/1").await;
    app.advance(60);
    let updated = set_password(&admin, CHANGED).await;
    assert_eq!(updated["server"]["updated_at"], "2026-03-01T12:01:00Z");
    let after = admin.get("/api/servers/1").await;
    assert_eq!(after.ok()["server"]["rcon_password"], "********");
    assert_ne!(after.header("etag"), before.header("etag"));

    let late = admin.with("If-Match", before.header("etag"));
    let answer = late.put("/api/servers/1", json!({ "name": "Late" })).await;
    answer.error(412, "changed_meanwhile");
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_entries_mask_the_password() {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new()).await;
    set_password(&admin, CHANGED).await;
    admin
        .put("/api/servers/1", json!({ "name": "x" }))
        .await
        .ok();
    admin.delete("/api/servers/1").await.ok();
    let log = admin.get("/api/audit-log?resource=servers").await.ok();
    let entries = log["audit_log"].as_array().expect("entries");
    let logged: Vec<(&Value, &Value)> = entries
        .iter()
        .map(|entry| {
            let (before, after) = (&entry["before"], &entry["after"]);
            (&before["rcon_password"], &after["rcon_password"])
        })
        .collect();
    let (stars, nothing) = (json!("***"), Value::Null);
    assert_eq!(
        logged,
        [
            (&stars, &nothing),
            (&nothing, &nothing),
            (&stars, &stars),
            (&nothing, &stars),
        ]
    );
    let all = json!({
        "id": 1, "name": "Dust", "ip": "127.0.0.7", "port": 27015, "enabled": true,
        "game": "cs2", "query_port": null, "rcon_password": "***",
    });
    assert_eq!(entries[3]["after"], all);
    assert_eq!(entries[2]["after"], json!({ "rcon_password": "***" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_never_stored_in_clear_text() {
    let app = TestApp::start().await;
    let admin = app.admin().with("Idempotency-Key", "one");
    let mut shown = String::new();
    let body = new_with(&json!({ "rcon_password": PASSWORD }));
    shown += &admin.post("/api/servers", body).await.text;
    let admin = app.admin();
    let body = json!({ "rcon_password": CHANGED, "port": 0 });
    shown += &admin.put("/api/servers/1", body).await.text;
    shown += &set_password(&admin, CHANGED).await.to_string();
    for path in ["/api/servers", "/api/servers/1", "/api/audit-log"] {
        shown += &admin.get(path).await.text;
    }
    shown += &admin.post_empty("/api/servers/1/toggle").await.text;
    shown += &admin.delete("/api/servers/1").await.text;
    shown += &admin.get("/api/audit-log").await.text;
    for word in [PASSWORD, CHANGED, "battery", "staple"] {
        assert!(!shown.contains(word), "{word}");
    }
    for dump in dumps(&app).await {
        for word in [PASSWORD, CHANGED, "battery", "staple"] {
            let mut windows = dump.windows(word.len());
            assert!(!windows.any(|window| window == word.as_bytes()), "{word}");
        }
    }
}

/// Everything in the database: its files, or on PostgreSQL the rows of every table.
async fn dumps(app: &TestApp) -> Vec<Vec<u8>> {
    if !app.app.db.on_postgres() {
        let files = std::fs::read_dir(app.scratch.folder()).expect("a folder");
        let read = files.map(|file| std::fs::read(file.expect("a file").path()));
        let dumps: Vec<Vec<u8>> = read.map(|bytes| bytes.expect("readable")).collect();
        assert!(!dumps.is_empty(), "there is a database");
        return dumps;
    }
    let mut read = app.app.db.read().await.expect("a connection");
    let select = "SELECT convert_to(query_to_xml(format('SELECT * FROM %I', tablename), true, \
                  false, '')::text, 'UTF8')
                  FROM pg_tables WHERE schemaname = 'public'";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    let dumps: Vec<Vec<u8>> = rows.expect("every table");
    assert!(dumps.len() > 5, "there are tables");
    dumps
}
