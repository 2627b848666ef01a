//! A revocation holds from the next request on, on every instance.

use db::testing::Scratch;
use serde_json::{Value, json};

use crate::support::{Client, SecondInstance, TestApp, eventually, unknown_key, within_a_second};

/// The ways to revoke a key or a permission, and the status that follows.
pub const WAYS: [(&str, u16); 6] = [
    ("delete", 401),
    ("deactivate", 401),
    ("regenerate", 401),
    ("rotate", 401),
    ("restrict", 401),
    ("permission", 403),
];

pub async fn revoke(admin: &Client, id: i64, way: &str) -> Value {
    let path = format!("/api/api-keys/{id}");
    let answer = match way {
        "delete" => admin.delete(&path).await,
        "deactivate" => admin.put(&path, json!({ "active": false })).await,
        "regenerate" => admin.post_empty(&format!("{path}/regenerate")).await,
        "rotate" => {
            let body = json!({ "overlap_seconds": 0 });
            admin.post(&format!("{path}/rotate"), body).await
        }
        "restrict" => {
            let body = json!({ "allowed_ips": ["192.0.2.0/24"] });
            admin.put(&format!("{path}/restrictions"), body).await
        }
        _ => {
            let body = json!({ "permission_ids": [12] });
            admin.put(&format!("{path}/permissions"), body).await
        }
    };
    answer.ok()
}

pub async fn is_channel_up(instance: &server::app::App) -> bool {
    instance
        .kernel
        .core
        .db
        .changes("api_keys")
        .expect("readable")
        .is_some()
}

/// A second instance with all keys in its cache, like one that has run for a while.
pub async fn warm_second_instance(app: &TestApp) -> SecondInstance {
    let second = app.second_instance().await;
    eventually("the notification channel is up", async || {
        is_channel_up(&second.app).await
    })
    .await;
    second.holder(app.admin_key()).get("/api/status").await.ok();
    second
}

#[service_test]
async fn revocation_holds_from_the_next_request(app: TestApp) {
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        holder.get("/api/roles").await.ok();
        let answer = revoke(&app.admin(), id, way).await;
        assert_eq!(holder.get("/api/roles").await.status, status, "{way}");
        if ["regenerate", "rotate"].contains(&way) {
            let value = answer["api_key"]["key"].as_str().expect("a value");
            app.holder(value).get("/api/roles").await.ok();
        }
    }
}

#[service_test]
async fn revocation_reaches_other_instances(app: TestApp) {
    let second = warm_second_instance(&app).await;
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        let holder = second.holder(holder.key_value());
        holder.get("/api/roles").await.ok();
        let answer = revoke(&app.admin(), id, way).await;
        assert_eq!(holder.get("/api/roles").await.status, status, "{way}");
        if ["regenerate", "rotate"].contains(&way) {
            let value = answer["api_key"]["key"].as_str().expect("a value");
            let renewed = second.holder(value);
            renewed.get("/api/roles").await.ok();
        }
    }
}

#[service_test]
async fn restored_access_reaches_other_instances(app: TestApp) {
    let second = warm_second_instance(&app).await;
    let (id, holder) = app.key(&[]).await;
    let holder = second.holder(holder.key_value());
    assert_eq!(holder.get("/api/roles").await.status, 403);
    let path = format!("/api/api-keys/{id}/permissions");
    let body = json!({ "permission_ids": [3] });
    // The second instance may also write.
    let elsewhere = second.holder(app.admin_key());
    elsewhere.put(&path, body).await.ok();
    holder.get("/api/roles").await.ok();
}

/// Ends the connection on which PostgreSQL reports changes, and prevents a new one.
async fn cut_notification_channel(app: &TestApp, second: &SecondInstance, outside: &db::Db) {
    let (_, name) = app.scratch.url().rsplit_once('/').expect("a database");
    outside
        .run_sql(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
        .await
        .expect("the door is shut");
    app.app
        .kernel
        .core
        .db
        .run_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = 'steward' AND datname = current_database()
             AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT topic, counter%')",
        )
        .await
        .expect("the listeners are ended");
    for instance in [&app.app, &second.app] {
        eventually("the loss is noticed", async || {
            !is_channel_up(instance).await
        })
        .await;
    }
}

#[service_test]
async fn while_the_notification_channel_is_down_keys_are_read_from_the_database(app: TestApp) {
    if !app.core().db.on_postgres() {
        return;
    }
    let second = warm_second_instance(&app).await;
    let mut keys = Vec::new();
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        let holder = second.holder(holder.key_value());
        holder.get("/api/roles").await.ok();
        keys.push((way, status, id, holder));
    }

    // Connections to a database can only be forbidden from another database.
    let elsewhere = Scratch::new().await;
    let outside = elsewhere.open().await;
    cut_notification_channel(&app, &second, &outside).await;
    for (way, status, id, holder) in &keys {
        holder.get("/api/roles").await.ok();
        revoke(&app.admin(), *id, way).await;
        assert_eq!(holder.get("/api/roles").await.status, *status, "{way}");
    }
    assert!(!is_channel_up(&second.app).await, "the channel stayed down");

    let (_, name) = app.scratch.url().rsplit_once('/').expect("a database");
    outside
        .run_sql(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
        .await
        .expect("the door is open");
    eventually("changes are reported again", async || {
        is_channel_up(&second.app).await
    })
    .await;
    for (way, status, _, holder) in &keys {
        assert_eq!(holder.get("/api/roles").await.status, *status, "{way}");
    }
}

/// Simulates a restore or a failover that loses the last changes of keys.
async fn lose_announcements(app: &TestApp) {
    let sql = "UPDATE changes SET counter = counter - 3 WHERE topic = 'api_keys'";
    app.core().db.run_sql(sql).await.expect("lowered");
}

#[service_test]
async fn revocation_holds_on_two_instances_after_a_restore_that_lowered_the_counter(app: TestApp) {
    let second = warm_second_instance(&app).await;
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        let elsewhere = second.holder(holder.key_value());
        elsewhere.get("/api/roles").await.ok();
        holder.get("/api/roles").await.ok();
        lose_announcements(&app).await;
        revoke(&app.admin(), id, way).await;
        assert_eq!(holder.get("/api/roles").await.status, status, "{way}");
        assert_eq!(elsewhere.get("/api/roles").await.status, status, "{way}");
    }
}

#[service_test]
async fn a_key_that_a_restore_removed_is_refused_on_two_instances(app: TestApp) {
    let second = warm_second_instance(&app).await;
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let elsewhere = second.holder(holder.key_value());
    elsewhere.get("/api/roles").await.ok();
    holder.get("/api/roles").await.ok();
    let sql = format!(
        "DELETE FROM api_key_permissions WHERE api_key_id = {id};
         DELETE FROM api_keys WHERE id = {id};
         UPDATE changes SET counter = counter - 2 WHERE topic = 'api_keys'"
    );
    app.core().db.run_sql(&sql).await.expect("restored");
    for holder in [holder, elsewhere] {
        within_a_second("an answer of 401", async || {
            holder.get("/api/roles").await.status == 401
        })
        .await;
    }
}

#[service_test]
async fn while_the_channel_is_down_wrong_keys_above_the_limit_get_429_without_the_database() {
    let app = TestApp::start().await;
    if !app.core().db.on_postgres() {
        return;
    }
    let second = warm_second_instance(&app).await;
    let elsewhere = Scratch::new().await;
    let outside = elsewhere.open().await;
    cut_notification_channel(&app, &second, &outside).await;
    let stranger = second.holder(&unknown_key());
    for _ in 0..60 {
        stranger.get("/api/roles").await.unauthorized();
    }

    // A read of the keys now waits for the lock.
    let mut holder = app.core().db.begin().await.expect("a transaction");
    let lock = "LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE";
    holder.execute(lock, &[]).await.expect("a lock");
    for _ in 0..3 {
        let answer = stranger.get("/api/roles").await;
        answer.error(429, "too_many_wrong_keys");
    }
    drop(holder);
    // A valid key is looked up and accepted.
    let admin = second.holder(app.admin_key());
    admin.get("/api/roles").await.ok();
    assert!(!is_channel_up(&second.app).await, "the channel stayed down");
}
