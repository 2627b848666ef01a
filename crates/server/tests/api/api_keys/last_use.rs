use kernel::auth::write_uses;
use serde_json::{Value, json};
use server::maintenance::keep_writing_uses;

use super::restrictions_of;
use crate::support::payments::number;
use crate::support::{Client, TestApp, at_once, count, eventually};

/// Counts the writes to the row of a key.
async fn count_writes(app: &TestApp) {
    let sql = if app.core().db.on_postgres() {
        "CREATE TABLE writes (id BIGINT);
         CREATE FUNCTION count_write() RETURNS TRIGGER LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO writes VALUES (NEW.id); RETURN NULL; END $$;
         CREATE TRIGGER written AFTER UPDATE ON api_keys
         FOR EACH ROW EXECUTE FUNCTION count_write()"
    } else {
        "CREATE TABLE writes (id BIGINT);
         CREATE TRIGGER written AFTER UPDATE ON api_keys
         BEGIN INSERT INTO writes VALUES (NEW.id); END"
    };
    app.app
        .kernel
        .core
        .db
        .run_sql(sql)
        .await
        .expect("a trigger");
}

async fn number_of_writes(app: &TestApp) -> i64 {
    number(app, "SELECT COUNT(*) FROM writes").await
}

async fn stored_last_use(app: &TestApp, id: i64) -> (Option<i64>, Option<String>) {
    let mut read = app.core().db.read().await.expect("a connection");
    let sql = "SELECT last_used_at, last_used_ip FROM api_keys WHERE id = $1";
    let row = read
        .query_one(sql, db::params![id], |row| Ok((row.get(0)?, row.get(1)?)))
        .await;
    row.expect("a key")
}

#[service_test]
async fn last_used_at_is_shown_before_and_after_it_is_written(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    assert_eq!(
        restrictions_of(&admin, id).await["last_used_at"],
        Value::Null
    );
    holder.get("/api/roles").await.ok();
    app.advance(5);
    // A 403 is a use of the key, too.
    holder.at("127.0.0.9").get("/api/users").await.forbidden("");
    app.advance(5);
    assert_eq!(stored_last_use(&app, id).await, (None, None));
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["last_used_at"], "2026-03-01T12:00:05Z");
    assert_eq!(shown["last_used_ip"], "127.0.0.9");

    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    let (at, ip) = stored_last_use(&app, id).await;
    assert_eq!(at, Some(crate::support::NOON + 5));
    assert_eq!(ip.as_deref(), Some("127.0.0.9"));
    assert_eq!(restrictions_of(&admin, id).await, shown);
    // Another instance shows what is stored.
    let second = app.second_instance().await;
    let elsewhere = second.holder(app.admin_key());
    assert_eq!(restrictions_of(&elsewhere, id).await, shown);

    app.advance(5);
    holder.get("/api/roles").await.ok();
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["last_used_at"], "2026-03-01T12:00:15Z");
    assert_eq!(shown["last_used_ip"], "127.0.0.1");
}

#[service_test]
async fn a_401_is_not_a_use(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let body = json!({ "allowed_ips": ["127.0.0.2"] });
    super::restrict(&admin, id, body).await.ok();
    holder.get("/api/roles").await.unauthorized();
    holder.get("/api/nowhere").await.not_found();
    assert_eq!(
        restrictions_of(&admin, id).await["last_used_at"],
        Value::Null
    );
}

#[service_test]
async fn a_thousand_requests_write_last_used_at_once_for_each_key(app: TestApp) {
    let (_, one) = app.key(&["admin.roles.read"]).await;
    let (_, two) = app.key(&["admin.roles.read"]).await;
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("what came before");
    count_writes(&app).await;
    let log = app.admin().get("/api/audit-log").await;
    let entries = log.header("x-total-count").to_owned();
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    // On PostgreSQL the notification channel opens shortly after the start.
    let counter = || {
        app.app
            .kernel
            .core
            .db
            .changes("api_keys")
            .expect("readable")
    };
    let known = async || {
        let mut known = None;
        eventually("the notification channel is up", async || {
            known = counter();
            known.is_some()
        })
        .await;
        known
    };
    let changes = known().await;
    let before = number_of_writes(&app).await;

    for _ in 0..10 {
        app.advance(1);
        let requests = (0..100).map(|i| {
            let holder = if i % 2 == 0 { one.clone() } else { two.clone() };
            async move { holder.get("/api/roles").await }
        });
        assert_eq!(count(&at_once(requests).await, 200), 100);
    }
    assert_eq!(number_of_writes(&app).await, before, "no request writes");
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    assert_eq!(number_of_writes(&app).await, before + 2);
    // No key was used since, so nothing is written, not even over a deleted value.
    let wipe = "UPDATE api_keys SET last_used_at = NULL WHERE id > 1; DELETE FROM writes";
    app.core().db.run_sql(wipe).await.expect("wiped");
    app.advance(10);
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    assert_eq!(number_of_writes(&app).await, 0);

    // The write does not notify other instances, so no instance reloads its keys.
    assert_eq!(known().await, changes);
    assert_eq!(app.admin().total("/api/audit-log").await, entries);
}

#[service_test]
async fn a_use_does_not_change_the_etag(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    let before = admin.get(&path).await;
    holder.get("/api/roles").await.ok();
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    let after = admin.get(&path).await;
    assert_eq!(after.header("etag"), before.header("etag"));
    assert_eq!(after.ok(), before.ok());
}

#[service_test]
async fn of_several_instances_the_latest_use_is_stored(app: TestApp) {
    let second = app.second_instance().await;
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let elsewhere = second.holder(holder.key_value()).at("127.0.0.9");
    eventually("the second instance knows the key", async || {
        elsewhere.get("/api/roles").await.status == 200
    })
    .await;
    second.app.kernel.core.clock.advance(30);
    elsewhere.get("/api/roles").await.ok();
    app.advance(20);
    holder.get("/api/roles").await.ok();

    write_uses(&second.app.kernel.core, &second.app.kernel.keys)
        .await
        .expect("written");
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    let (at, ip) = stored_last_use(&app, id).await;
    assert_eq!(at, Some(crate::support::NOON + 30));
    assert_eq!(ip.as_deref(), Some("127.0.0.9"));
    let shown = restrictions_of(&app.admin(), id).await;
    assert_eq!(shown["last_used_at"], "2026-03-01T12:00:30Z");
}

#[service_test]
async fn several_instances_can_write_last_uses_at_once(app: TestApp) {
    let second = app.second_instance().await;
    let mut holders = Vec::new();
    for _ in 0..20 {
        holders.push(app.actor(&["admin.roles.read"]).await);
    }
    for round in 1..=10 {
        app.advance(1);
        second.app.kernel.core.clock.advance(1);
        for holder in &holders {
            holder.get("/api/roles").await.ok();
            let elsewhere = second.holder(holder.key_value());
            eventually("the second instance knows the key", async || {
                elsewhere.get("/api/roles").await.status == 200
            })
            .await;
        }
        let (one, two) = tokio::join!(
            write_uses(app.core(), &app.app.kernel.keys),
            write_uses(&second.app.kernel.core, &second.app.kernel.keys)
        );
        one.expect("written");
        two.expect("written");
        assert_eq!(
            number(&app, "SELECT MIN(last_used_at) FROM api_keys WHERE id > 1").await,
            crate::support::NOON + round
        );
    }
}

#[service_test]
async fn a_deleted_key_does_not_stop_the_writing_of_last_uses(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let (other, stays) = app.key(&["admin.roles.read"]).await;
    holder.get("/api/roles").await.ok();
    stays.get("/api/roles").await.ok();
    // With SQL, so that the service does not know of it.
    let sql = format!(
        "DELETE FROM api_key_permissions WHERE api_key_id = {id};
         DELETE FROM api_keys WHERE id = {id}"
    );
    app.core().db.run_sql(&sql).await.expect("deleted");
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    assert!(stored_last_use(&app, other).await.0.is_some());
}

/// A failed write keeps the uses for the next attempt.
#[service_test]
async fn a_failed_write_of_last_uses_is_retried(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    holder.get("/api/roles").await.ok();
    let away = "ALTER TABLE api_keys RENAME COLUMN last_used_ip TO elsewhere";
    app.core().db.run_sql(away).await.expect("renamed");
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect_err("there is no such column");
    let back = "ALTER TABLE api_keys RENAME COLUMN elsewhere TO last_used_ip";
    app.core().db.run_sql(back).await.expect("renamed");
    write_uses(app.core(), &app.app.kernel.keys)
        .await
        .expect("written");
    assert_eq!(
        stored_last_use(&app, id).await.0,
        Some(crate::support::NOON)
    );
}

#[service_test]
async fn a_background_job_writes_last_uses(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    holder.get("/api/roles").await.ok();
    let task = tokio::spawn(keep_writing_uses(app.app.clone()));
    eventually("the last uses are written", async || {
        stored_last_use(&app, id).await.0.is_some()
    })
    .await;
    task.abort();
}
