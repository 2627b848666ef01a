//! Sessions are verified while the database cannot be written.

use db::testing::Scratch;
use kernel::Limits;
use serde_json::json;

use crate::support::{TestApp, eventually, within_a_second};

/// A service that does not wait long for a write.
async fn impatient() -> TestApp {
    TestApp::start_with(|limits| limits.note_time = Limits::default().note_time).await
}

/// Another process that holds the write lock, or on PostgreSQL the row of the session.
async fn hold_writes(app: &TestApp, scratch: &Scratch) -> db::Tx {
    let other = scratch.open().await;
    let mut tx = other.begin().await.expect("a transaction");
    let lock = "SELECT 1 FROM user_sessions FOR UPDATE";
    tx.lock(lock, &[]).await.expect("locked");
    assert_eq!(app.number("SELECT COUNT(*) FROM user_sessions").await, 2);
    tx
}

#[service_test(impatient())]
async fn a_session_is_verified_while_another_process_holds_the_write_lock(app: TestApp) {
    app.user("anna").await;
    let tokens = [app.sign_in("anna").await, app.sign_in("anna").await];
    app.advance(60);
    let held = hold_writes(&app, &app.scratch).await;
    let now = json!("2026-03-01T12:01:00Z");
    for token in tokens.iter().chain(&tokens) {
        within_a_second("a verified session", async || {
            let verified = app.verify(token).await.ok();
            verified["device"]["last_active"] == now
        })
        .await;
    }
    held.rollback().await.expect("released");
    accounts::sessions::write_uses(&app.app.sessions)
        .await
        .expect("written");
    let devices = app.admin().get("/api/users/1/devices").await.ok();
    for device in devices["devices"].as_array().expect("a list") {
        assert_eq!(device["last_active"], now);
    }
    let sessions = "SELECT COUNT(*) FROM user_sessions WHERE last_active = 1772366460";
    assert_eq!(app.number(sessions).await, 2);
}

/// From now on new connections are read-only, and those there were end. On SQLite a trigger refuses
/// what a read-only file would.
async fn forbid_writes(app: &TestApp) {
    let db = &app.core().db;
    if db.on_postgres() {
        let (_, name) = app.scratch.url().rsplit_once('/').expect("a database");
        let sql = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        db.run_sql(&sql).await.expect("read-only");
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database()";
        // It ends its own connection as well.
        assert!(db.run_sql(sql).await.is_err());
    } else {
        let sql = "CREATE TRIGGER read_only BEFORE UPDATE ON user_devices
                   BEGIN SELECT RAISE(ABORT, 'read-only'); END";
        db.run_sql(sql).await.expect("a trigger");
    }
}

#[service_test(impatient())]
async fn a_session_is_verified_while_the_database_is_read_only(app: TestApp) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    app.advance(60);
    forbid_writes(&app).await;
    eventually("the connections are replaced", async || {
        app.verify(&token).await.status == 200
    })
    .await;
    let failed = accounts::sessions::write_uses(&app.app.sessions).await;
    assert!(failed.is_err(), "it cannot be written");
    for _ in 0..3 {
        let verified = app.verify(&token).await.ok();
        assert_eq!(verified["device"]["last_active"], "2026-03-01T12:01:00Z");
    }
}
