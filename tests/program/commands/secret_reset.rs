//! `steward secret reset`, when the secret key file is lost.

use serde_json::{Value, json};

use crate::support::Home;

const RESET: [&str; 2] = ["secret", "reset"];
const CONFIRMED: [&str; 3] = ["secret", "reset", "--forget-secrets"];
const NOT_LOST: &str = "the secret key file matches this database; nothing is lost. `steward secret \
                        rotate` replaces the key";

fn server() -> Value {
    json!({
        "name": "Dust", "ip": "192.0.2.7", "port": 27015, "game": "cs2", "enabled": false,
        "rcon_password": "hunter2",
    })
}

/// An installation with two servers, a stored reply and a webhook.
async fn installation_with_secrets() -> Home {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    admin.post("/api/servers", server()).await.created();
    let caller = admin.with("Idempotency-Key", "dust");
    caller.post("/api/servers", server()).await.created();
    let webhook = json!({ "url": "http://127.0.0.1:9/", "active": false });
    admin.post("/api/webhooks", webhook).await.created();
    service.stop().await.ok();
    home
}

/// The stored passwords that are not empty.
async fn stored_passwords(home: &Home) -> i64 {
    let db = home.database().await;
    let mut read = db.read().await.expect("a connection");
    let select = "SELECT COUNT(*) FROM servers WHERE LENGTH(rcon_password) > 0";
    let count = read.query_one(select, &[], |row| row.get(0)).await;
    count.expect("a number")
}

#[tokio::test]
async fn reset_is_refused_while_the_secret_key_file_matches() {
    let home = installation_with_secrets().await;
    home.run(&CONFIRMED).await.failed(NOT_LOST);
    // It is also refused while a rotation is unfinished.
    let new = home.data().join("secret.key.new");
    std::fs::rename(home.secret_key_file(), &new).expect("moved");
    home.run(&CONFIRMED).await.failed(NOT_LOST);
    std::fs::rename(new, home.secret_key_file()).expect("moved");
    assert_eq!(stored_passwords(&home).await, 2);
    home.start().await.stop().await.ok();
}

#[tokio::test]
async fn reset_without_confirmation_says_what_is_lost_and_changes_nothing() {
    let home = installation_with_secrets().await;
    let right = std::fs::read(home.secret_key_file()).expect("a key");
    std::fs::remove_file(home.secret_key_file()).expect("removed");
    let ended = home.run(&RESET).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for words in [
        "RCON passwords",
        "signing secrets",
        "stored replies",
        "--forget-secrets",
    ] {
        assert!(ended.stderr.contains(words), "{ended:?}");
    }
    assert!(!home.secret_key_file().exists());
    assert_eq!(stored_passwords(&home).await, 2);
    std::fs::write(home.secret_key_file(), right).expect("written");
    home.start().await.stop().await.ok();
}

#[tokio::test]
async fn reset_removes_secrets_in_one_transaction_and_leaves_an_audit_entry() {
    for wrong in [None, Some("0f".repeat(32))] {
        let home = installation_with_secrets().await;
        std::fs::remove_file(home.secret_key_file()).expect("removed");
        if let Some(wrong) = wrong {
            std::fs::write(home.secret_key_file(), wrong).expect("written");
        }
        let ended = home.run(&CONFIRMED).await;
        let output = ended.ok();
        let removed =
            "Removed 2 RCON passwords, 1 signing secrets of webhooks, 0 second factors, 0 tokens";
        assert!(output.starts_with(removed), "{output}");
        assert_eq!(stored_passwords(&home).await, 0);

        let service = home.start().await;
        let admin = service.admin();
        let log = admin.get("/api/audit-log?resource=secret_key").await.ok();
        let entry = &log["audit_log"][0];
        assert_eq!(entry["action"], "secret_key.reset");
        assert_eq!(entry["key_name"], "command line");
        let counts = json!({
            "rcon_passwords": 2, "stored_replies": 1, "webhook_secrets": 1, "second_factors": 0,
            "discord_tokens": 0,
        });
        assert_eq!(entry["after"], counts);
        // The servers stay, and take new passwords.
        let servers = admin.get("/api/servers").await.ok();
        assert_eq!(servers["servers"].as_array().map(Vec::len), Some(2));
        let body = json!({ "rcon_password": "hunter3" });
        admin.put("/api/servers/1", body).await.ok();
        // The stored reply is gone, so this is a new request.
        let caller = admin.with("Idempotency-Key", "dust");
        let made = caller.post("/api/servers", server()).await.created();
        assert_eq!(made["server"]["id"], 3);
        service.stop().await.ok();
        home.run(&CONFIRMED).await.failed(NOT_LOST);
    }
}
