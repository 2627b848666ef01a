//! RCON passwords are stored encrypted and never shown.

use db::params;
use kernel::secret::SecretKey;
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::{create, new, new_with};
use crate::support::{Answer, Client, TestApp, server_with_console};

const PASSWORD: &str = "correct horse 🐎 battery";
const CHANGED: &str = "a staple, not a horse";

/// The passwords as they are in the database.
async fn stored_passwords(app: &TestApp) -> Vec<Vec<u8>> {
    let mut read = app.core().db.read().await.expect("a connection");
    let select = "SELECT rcon_password FROM servers ORDER BY id";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    rows.expect("rows")
}

/// The secret key of every test's service.
fn key() -> SecretKey {
    SecretKey::new(&[7; 32])
}

fn decrypt(server_id: i64, sealed: &[u8]) -> String {
    let plain = key().open(&format!("servers.rcon_password {server_id}"), sealed);
    String::from_utf8(plain.expect("it opens")).expect("text")
}

/// Writes a password into the database as it is given.
async fn store_password(app: &TestApp, server_id: i64, sealed: &[u8]) {
    let mut tx = app.core().db.begin().await.expect("a transaction");
    let update = "UPDATE servers SET rcon_password = $2 WHERE id = $1";
    let written = tx.execute(update, params![server_id, sealed]).await;
    assert_eq!(written.expect("written"), 1);
    tx.commit().await.expect("committed");
}

async fn rcon(admin: &Client, id: i64) -> Answer {
    let body = json!({ "command": "status" });
    admin.post(&format!("/api/servers/{id}/rcon"), body).await
}

async fn set_password(admin: &Client, password: &str) -> Value {
    let body = json!({ "rcon_password": password });
    admin.put("/api/servers/1", body).await.ok()
}

#[service_test]
async fn a_password_is_encrypted_with_the_secret_key(app: TestApp, admin: Client) {
    create(&admin, new_with(&json!({ "rcon_password": PASSWORD }))).await;
    create(&admin, new_with(&json!({ "rcon_password": PASSWORD }))).await;
    let sealed = stored_passwords(&app).await;
    assert_eq!(decrypt(1, &sealed[0]), PASSWORD);
    assert_eq!(decrypt(2, &sealed[1]), PASSWORD);
    assert_ne!(
        sealed[0], sealed[1],
        "equal passwords have different ciphertexts"
    );

    set_password(&admin, CHANGED).await;
    let body = json!({ "name": "x" });
    admin.put("/api/servers/1", body).await.ok();
    admin.post_empty("/api/servers/1/toggle").await.ok();
    assert_eq!(decrypt(1, &stored_passwords(&app).await[0]), CHANGED);
}

#[service_test]
async fn a_new_password_changes_the_etag_and_updated_at(app: TestApp, admin: Client) {
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
    answer.error(412, "precondition_failed");
}

#[service_test]
async fn audit_entries_mask_the_password(admin: Client) {
    create(&admin, new()).await;
    set_password(&admin, CHANGED).await;
    let body = json!({ "name": "x" });
    admin.put("/api/servers/1", body).await.ok();
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

#[service_test]
async fn a_change_of_ip_or_port_without_rcon_password_removes_it(app: TestApp, admin: Client) {
    for (change, is_kept) in [
        (json!({ "ip": "127.0.0.8" }), false),
        (json!({ "port": 27016 }), false),
        (json!({ "ip": "::1", "name": "Other" }), false),
        (json!({ "ip": "127.0.0.8", "rcon_password": CHANGED }), true),
        (json!({ "port": 27016, "rcon_password": CHANGED }), true),
        (json!({ "ip": "127.0.0.7", "port": 27015 }), true),
        // This is another spelling of the same address.
        (json!({ "ip": "::ffff:127.0.0.7" }), true),
        (json!({ "query_port": 27016, "name": "Other" }), true),
    ] {
        let server = create(&admin, new()).await;
        let id = server["id"].as_i64().expect("an id");
        let path = format!("/api/servers/{id}");
        let before = admin.get(&path).await;
        admin.put(&path, change.clone()).await.ok();
        let stored = stored_passwords(&app).await.pop().expect("a server");
        assert_eq!(!stored.is_empty(), is_kept, "{change}");
        let after = admin.get(&path).await;
        assert_eq!(after.ok()["server"]["rcon_password"], "********");
        if !is_kept {
            assert_ne!(after.header("etag"), before.header("etag"), "{change}");
            rcon(&admin, id).await.error(422, "rcon_no_password");
            // Another change finds nothing to remove.
            admin.put(&path, json!({ "port": 27017 })).await.ok();
            let body = json!({ "rcon_password": CHANGED });
            admin.put(&path, body).await.ok();
            let stored = stored_passwords(&app).await.pop().expect("a server");
            assert_eq!(decrypt(id, &stored), CHANGED);
        }
    }
}

#[service_test]
async fn a_removed_rcon_password_shows_in_the_audit_entry(admin: Client) {
    create(&admin, new()).await;
    for port in [27016, 27017] {
        let body = json!({ "port": port });
        admin.put("/api/servers/1", body).await.ok();
    }
    let query = "/api/audit-log?action=servers.update";
    let log = admin.get(query).await.ok()["audit_log"].take();
    let removed = (
        json!({ "port": 27015, "rcon_password": "***" }),
        json!({ "port": 27016, "rcon_password": null }),
    );
    assert_eq!(
        (&log[1]["before"], &log[1]["after"]),
        (&removed.0, &removed.1)
    );
    let later = (json!({ "port": 27016 }), json!({ "port": 27017 }));
    assert_eq!((&log[0]["before"], &log[0]["after"]), (&later.0, &later.1));
}

#[service_test]
async fn a_server_that_is_moved_to_another_console_does_not_get_the_rcon_password(admin: Client) {
    let (_real, id) = server_with_console(&admin, Behaviour::Valve).await;
    rcon(&admin, id).await.ok();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let path = format!("/api/servers/{id}");
    admin.put(&path, json!({ "port": port })).await.ok();
    rcon(&admin, id).await.error(422, "rcon_no_password");
    let listener = listener.into_std().expect("a listener");
    let accepted = listener.accept().expect_err("no connection");
    assert_eq!(accepted.kind(), std::io::ErrorKind::WouldBlock);
}

#[service_test]
async fn a_sealed_rcon_password_that_is_copied_to_another_row_does_not_open(app: TestApp) {
    let admin = app.admin();
    let (_one, _) = server_with_console(&admin, Behaviour::Valve).await;
    let (two, id) = server_with_console(&admin, Behaviour::Valve).await;
    rcon(&admin, id).await.ok();
    let copied = stored_passwords(&app).await.swap_remove(0);
    store_password(&app, id, &copied).await;
    rcon(&admin, id).await.error(500, "internal_error");
    assert_eq!(two.commands(), ["status"]);
}

#[service_test]
async fn an_rcon_password_is_never_stored_in_clear_text(app: TestApp) {
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
    if !app.core().db.on_postgres() {
        let files = app.scratch.files().into_iter();
        let dumps: Vec<Vec<u8>> = files
            .map(|file| std::fs::read(file).expect("readable"))
            .collect();
        assert!(!dumps.is_empty(), "there is a database");
        return dumps;
    }
    let mut read = app.core().db.read().await.expect("a connection");
    let select = "SELECT convert_to(query_to_xml(format('SELECT * FROM %I', tablename), true, \
                  false, '')::text, 'UTF8')
                  FROM pg_tables WHERE schemaname = 'public'";
    let rows = read.query(select, &[], |row| row.get(0)).await;
    let dumps: Vec<Vec<u8>> = rows.expect("every table");
    assert!(dumps.len() > 5, "there are tables");
    dumps
}
