//! Faults of the database itself: their replies, and what `/readyz` says.

use std::time::{Duration, Instant};

use db::testing::Scratch;
use kernel::Limits;
use serde_json::{Value, json};

use crate::support::payments::{currency, number, order, user};
use crate::support::{Client, TestApp, at_once};

fn role(name: &str) -> Value {
    json!({ "name": name, "description": "x".repeat(200) })
}

async fn wait_until_readyz_is(app: &TestApp, status: u16) {
    let end = Instant::now() + Duration::from_secs(60);
    while app.anonymous().get("/readyz").await.status != status {
        assert!(Instant::now() < end, "/readyz is never {status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Makes every write of roles, and on SQLite of anything, fail as on a full disk.
async fn fill_disk(app: &TestApp) {
    let db = &app.core().db;
    if db.on_postgres() {
        db.run_sql(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$;
             CREATE TRIGGER full_disk BEFORE INSERT ON roles EXECUTE FUNCTION fail();
             CREATE TRIGGER full_disk BEFORE UPDATE ON settings EXECUTE FUNCTION fail()",
        )
        .await
        .expect("triggers");
    } else {
        // The smallest number that SQLite accepts is the current size.
        let answer = db.run_sql("PRAGMA max_page_count = 1").await;
        answer.expect("limited");
    }
}

async fn empty_disk(app: &TestApp) {
    let db = &app.core().db;
    let sql = match db.on_postgres() {
        true => "DROP TRIGGER full_disk ON roles; DROP TRIGGER full_disk ON settings",
        false => "PRAGMA max_page_count = 1000000",
    };
    db.run_sql(sql).await.expect("room");
}

#[service_test]
async fn on_a_full_disk_writes_get_503_and_every_acknowledged_write_is_there(app: TestApp) {
    wait_until_readyz_is(&app, 200).await;
    fill_disk(&app).await;
    let create = |admin: Client, n: u64| async move {
        let answer = admin.post("/api/roles", role(&format!("Role {n}"))).await;
        (n, answer)
    };
    let mut acknowledged = 0;
    let mut refused = 0;
    for round in 0..20 {
        let admin = app.admin();
        let writes = (0..16).map(|n| create(admin.clone(), round * 16 + n));
        for (_, answer) in at_once(writes).await {
            match answer.status {
                201 => acknowledged += 1,
                503 => {
                    refused += 1;
                    let code = answer.json()["code"].clone();
                    assert!(code == "unavailable" || code == "busy", "{code}");
                }
                other => panic!("{other}: {}", answer.text),
            }
        }
    }
    assert!(refused > 0, "the disk was not full");
    let stored = number(&app, "SELECT COUNT(*) FROM roles").await;
    assert_eq!(stored, acknowledged);
    app.admin().get("/api/roles").await.ok();
    if app.core().db.on_postgres() {
        wait_until_readyz_is(&app, 503).await;
        let answer = app.anonymous().get("/readyz").await;
        answer.error(503, "unavailable");
    }
    empty_disk(&app).await;
    app.admin().post("/api/roles", role("Last")).await.created();
    wait_until_readyz_is(&app, 200).await;
}

/// Simulates the state after a failover: a server that answers reads only.
#[service_test]
async fn a_read_only_database_gives_503_and_readyz_503(app: TestApp, admin: Client) {
    if !app.core().db.on_postgres() {
        return;
    }
    wait_until_readyz_is(&app, 200).await;
    let url = std::env::var("STEWARD_TEST_POSTGRES").expect("a server");
    let url = url.parse().expect("a URL");
    let server = db::Db::open(&url, &db::Options::default()).await;
    let server = server.expect("the server answers");
    let (_, name) = app.scratch.url().rsplit_once('/').expect("a database");
    let set = format!("ALTER DATABASE {name} SET default_transaction_read_only =");
    let read_only = format!("{set} on");
    server.run_sql(&read_only).await.expect("read-only");
    // Connections that exist keep their setting.
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    server.run_sql(&end).await.expect("no connections");
    wait_until_readyz_is(&app, 503).await;
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = admin.post("/api/roles", role("Guard")).await;
        let error = answer.error(503, "unavailable");
        let message = error["message"].as_str().expect("a message");
        // Until all lost connections are replaced, the reason is another.
        if message.contains("cannot be written") {
            break;
        }
        assert!(Instant::now() < end, "{error}");
    }
    admin.get("/api/roles").await.ok();
    let writable = format!("{set} off");
    server.run_sql(&writable).await.expect("writable");
    wait_until_readyz_is(&app, 200).await;
    admin.post("/api/roles", role("Guard")).await.created();
}

#[service_test]
async fn a_database_that_cannot_be_written_gives_readyz_503(app: TestApp) {
    wait_until_readyz_is(&app, 200).await;
    let db = &app.core().db;
    let refuse = match db.on_postgres() {
        true => {
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                 $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
             CREATE TRIGGER refuse BEFORE UPDATE ON settings EXECUTE FUNCTION refuse()"
        }
        false => {
            "CREATE TRIGGER refuse BEFORE UPDATE ON settings
             BEGIN SELECT RAISE(ABORT, 'refused'); END"
        }
    };
    db.run_sql(refuse).await.expect("a trigger");
    wait_until_readyz_is(&app, 503).await;
    let answer = app.anonymous().get("/readyz").await;
    answer.error(503, "unavailable");
    app.admin().get("/api/roles").await.ok();
    let allow = match db.on_postgres() {
        true => "DROP TRIGGER refuse ON settings",
        false => "DROP TRIGGER refuse",
    };
    db.run_sql(allow).await.expect("no trigger");
    wait_until_readyz_is(&app, 200).await;
}

/// SQLite continues with a file that was deleted, and would lose everything at the next start.
#[service_test]
async fn when_the_database_file_is_deleted_writes_and_readyz_give_503(app: TestApp) {
    if app.core().db.on_postgres() {
        return;
    }
    wait_until_readyz_is(&app, 200).await;
    let admin = app.admin();
    let path = app.scratch.folder().join("steward.db");
    let aside = app.scratch.folder().join("aside.db");
    let refused = async || {
        let answer = admin.post("/api/roles", role("Lost")).await;
        answer.error(503, "unavailable");
    };
    std::fs::rename(&path, &aside).expect("moved");
    refused().await;
    wait_until_readyz_is(&app, 503).await;
    std::fs::write(&path, "another file").expect("written");
    refused().await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let answer = app.anonymous().get("/readyz").await;
    answer.error(503, "unavailable");
    std::fs::rename(&aside, &path).expect("moved back");
    wait_until_readyz_is(&app, 200).await;
    admin.post("/api/roles", role("Kept")).await.created();
    assert_eq!(number(&app, "SELECT COUNT(*) FROM roles").await, 1);
}

#[service_test]
async fn a_lost_answer_to_commit_gives_503_outcome_unknown_and_a_retry_creates_one_invoice() {
    let mut scratch = Scratch::new().await;
    let Some(proxy) = scratch.behind_proxy().await else {
        return;
    };
    let app = TestApp::start_on(scratch, Limits::default()).await;
    let admin = app.admin();
    user(&app, "anna").await;
    currency(&admin, "EUR").await;
    let caller = admin.with("Idempotency-Key", "order-1");
    let path = "/api/payment-invoices";

    proxy.lose_next_answer_to_commit();
    let answer = caller.post(path, order(json!(5))).await;
    let error = answer.error(503, "outcome_unknown");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("may or may not"), "{message}");
    assert!(message.contains("Idempotency-Key"), "{message}");
    assert_eq!(answer.header("retry-after"), "1");

    let retried = caller.post(path, order(json!(5))).await;
    retried.created();
    let count = "SELECT COUNT(*) FROM payment_invoices";
    assert_eq!(number(&app, count).await, 1);
}
