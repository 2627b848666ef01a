//! The first key: created once, or kept valid if the operator chose its value.

use db::testing::Scratch;
use kernel::auth::KeyValue;
use kernel::auth::permission::CATALOGUE;
use kernel::{Error, ErrorCode, Limits};
use serde_json::json;
use server::app::App;
use server::routes::{PublicPaths, router};

use crate::support::{Client, TestApp, listen, open};

fn chosen_value(value: &str) -> KeyValue {
    KeyValue::chosen(value).expect("a fine value")
}

async fn number_of_keys(app: &App) -> i64 {
    let mut read = app.kernel.core.db.read().await.expect("a reader");
    read.query_one("SELECT COUNT(*) FROM api_keys", &[], |row| row.get(0))
        .await
        .expect("a number")
}

async fn set_first_key(app: &App, value: &KeyValue) {
    let shown = app.ensure_first_key(Some(value)).await.expect("it is set");
    assert!(shown.is_none(), "a chosen value is not shown");
}

async fn assert_all_permissions(client: &Client) {
    let own = client.get("/api/permissions").await.ok();
    assert_eq!(own["permissions"], json!(CATALOGUE));
}

#[service_test]
async fn the_first_key_is_created_once(app: TestApp) {
    assert_all_permissions(&app.admin()).await;
    let key = app.admin().get("/api/api-keys/1").await.ok();
    assert_eq!(key["api_key"]["name"], "admin");

    let again = app.app.ensure_first_key(None).await.expect("a start");
    assert!(again.is_none());
    let second = app.second_instance().await;
    let again = second.app.ensure_first_key(None).await.expect("a start");
    assert!(again.is_none());
    assert_eq!(number_of_keys(&app.app).await, 1);
    assert_all_permissions(&app.admin()).await;
}

#[service_test]
async fn a_deleted_first_key_is_not_created_again(app: TestApp) {
    app.admin().delete("/api/api-keys/1").await.ok();
    let again = app.app.ensure_first_key(None).await.expect("a start");
    assert!(again.is_none());
    assert_eq!(number_of_keys(&app.app).await, 0);
}

#[service_test]
async fn a_first_key_keeps_its_reduced_permissions(app: TestApp, admin: Client) {
    let body = json!({ "permission_ids": [1] });
    admin.put("/api/api-keys/1/permissions", body).await.ok();
    app.app.ensure_first_key(None).await.expect("a start");
    app.second_instance().await;
    let own = admin.get("/api/permissions").await.ok();
    assert_eq!(own["permissions"].as_array().map(Vec::len), Some(1));
}

#[service_test]
async fn a_first_key_keeps_its_restrictions(app: TestApp) {
    let body = json!({ "requests_per_second": 7 });
    let path = "/api/api-keys/1/restrictions";
    app.admin().put(path, body).await.ok();
    app.app.ensure_first_key(None).await.expect("a start");
    app.second_instance().await;
    let shown = app.admin().get(path).await.ok();
    assert_eq!(shown["restrictions"]["requests_per_second"], 7);
}

#[service_test]
async fn instances_that_start_at_once_create_one_first_key() {
    let scratch = Scratch::new().await;
    let (one, two) = tokio::join!(
        open(&scratch, Limits::default()),
        open(&scratch, Limits::default())
    );
    let mut starting = tokio::task::JoinSet::new();
    for app in [&one, &two, &one, &two, &one, &two] {
        let app = app.clone();
        starting.spawn(async move { app.ensure_first_key(None).await.expect("a start") });
    }
    let made: Vec<KeyValue> = starting.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 1);
    assert_eq!(number_of_keys(&one).await, 1);
    let address = listen(&two, router(&two, PublicPaths::ALL)).await;
    assert_all_permissions(&Client::new(&address, Some(made[0].reveal()))).await;
}

#[service_test]
async fn a_chosen_value_is_valid_from_the_first_start() {
    let scratch = Scratch::new().await;
    let app = open(&scratch, Limits::default()).await;
    let value = chosen_value("correct-horse-battery");
    set_first_key(&app, &value).await;
    let address = listen(&app, router(&app, PublicPaths::ALL)).await;
    let admin = Client::new(&address, Some(value.reveal()));
    assert_all_permissions(&admin).await;
    let key = admin.get("/api/api-keys/1").await.ok();
    assert_eq!(key["api_key"]["name"], "admin");
    assert_eq!(key["api_key"]["key"], "correct-********");
    assert!(app.ensure_first_key(None).await.expect("a start").is_none());
    set_first_key(&app, &value).await;
    assert_eq!(number_of_keys(&app).await, 1);
}

#[service_test]
async fn a_start_makes_the_chosen_value_valid_again(app: TestApp) {
    let value = chosen_value("correct-horse-battery");
    set_first_key(&app.app, &value).await;
    let admin = app.holder(value.reveal());
    assert_all_permissions(&admin).await;

    let body = json!({ "active": false, "name": "Sleeper" });
    admin.put("/api/api-keys/1", body).await.ok();
    admin.get("/api/permissions").await.unauthorized();
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;
    let key = admin.get("/api/api-keys/1").await.ok();
    assert_eq!(key["api_key"]["name"], "Sleeper");

    let body = json!({ "permission_ids": [] });
    admin.put("/api/api-keys/1/permissions", body).await.ok();
    admin.get("/api/status").await.forbidden("permission");
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;

    let expired = "UPDATE api_keys SET expires_at = 1 WHERE id = 1";
    app.app
        .kernel
        .core
        .db
        .run_sql(expired)
        .await
        .expect("it expires");
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;

    // Each of these would lock the operator out, or limit every request.
    for restriction in [
        json!({ "expires_at": "2026-03-01T12:00:01Z" }),
        json!({ "allowed_ips": ["192.0.2.1"] }),
        json!({ "requests_per_second": 1 }),
    ] {
        let path = "/api/api-keys/1/restrictions";
        admin.put(path, restriction).await.ok();
        app.advance(1);
        set_first_key(&app.app, &value).await;
        assert_all_permissions(&admin).await;
        let answer = admin.get(path).await;
        assert!(!answer.has_header("ratelimit"));
        let shown = answer.ok();
        for field in ["expires_at", "allowed_ips", "requests_per_second"] {
            assert!(shown["restrictions"][field].is_null(), "{shown}");
        }
    }

    let overlap = json!({ "overlap_seconds": 600 });
    let rotated = admin.post("/api/api-keys/1/rotate", overlap).await.ok();
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;
    let rotated = rotated["api_key"]["key"].as_str().expect("a value");
    let answer = app.holder(rotated).get("/api/permissions").await;
    answer.unauthorized();

    let renewed = admin.post_empty("/api/api-keys/1/regenerate").await.ok();
    admin.get("/api/permissions").await.unauthorized();
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;
    let renewed = renewed["api_key"]["key"].as_str().expect("a value");
    let answer = app.holder(renewed).get("/api/permissions").await;
    answer.unauthorized();

    admin.delete("/api/api-keys/1").await.ok();
    admin.get("/api/permissions").await.unauthorized();
    set_first_key(&app.app, &value).await;
    assert_all_permissions(&admin).await;
    assert_eq!(number_of_keys(&app.app).await, 1);
}

#[service_test]
async fn another_chosen_value_revokes_the_earlier_one_401(app: TestApp) {
    let (first, second) = (
        chosen_value("correct-horse-battery"),
        chosen_value("another-horse-battery"),
    );
    set_first_key(&app.app, &first).await;
    // The value that the first start generated is revoked, too.
    app.admin().get("/api/permissions").await.unauthorized();
    set_first_key(&app.app, &second).await;
    let answer = app.holder(first.reveal()).get("/api/permissions").await;
    answer.unauthorized();
    assert_all_permissions(&app.holder(second.reveal())).await;
    set_first_key(&app.app, &first).await;
    let answer = app.holder(second.reveal()).get("/api/permissions").await;
    answer.unauthorized();
    assert_all_permissions(&app.holder(first.reveal())).await;
    assert_eq!(number_of_keys(&app.app).await, 1);
}

#[service_test]
async fn the_value_of_another_key_is_refused_as_first_key(app: TestApp) {
    let other = app.actor(&["admin.roles"]).await;
    let taken = chosen_value(other.key_value());
    let check = async || {
        let refused = app.app.ensure_first_key(Some(&taken)).await;
        let Err(Error::Rejected { code, message }) = refused else {
            panic!("not refused: {refused:?}");
        };
        assert_eq!(code, ErrorCode::AdminKeyTaken);
        assert!(!message.contains(taken.reveal()));
        let own = other.get("/api/permissions").await.ok();
        assert_eq!(own["permissions"].as_array().map(Vec::len), Some(1));
    };
    check().await;
    assert_all_permissions(&app.admin()).await;
    // The previous value stays valid until the overlap ends.
    let overlap = json!({ "overlap_seconds": 600 });
    let rotated = app.admin().post("/api/api-keys/2/rotate", overlap).await;
    rotated.ok();
    check().await;
    assert_all_permissions(&app.admin()).await;
    app.admin().delete("/api/api-keys/1").await.ok();
    check().await;
    assert_eq!(number_of_keys(&app.app).await, 1);
}

/// As if a later version of the program added a permission that this database lacks.
#[service_test]
async fn permissions_of_a_later_version_go_to_the_first_key_alone(app: TestApp) {
    let (id, _) = app.key(&[]).await;
    let everything: Vec<i64> = (1..=22).collect();
    let path = format!("/api/api-keys/{id}/permissions");
    let body = json!({ "permission_ids": everything });
    app.admin().put(&path, body).await.ok();
    let earlier = "DELETE FROM api_key_permissions WHERE permission_id = 22;
                   DELETE FROM permissions WHERE id = 22";
    app.app
        .kernel
        .core
        .db
        .run_sql(earlier)
        .await
        .expect("an earlier state");

    let later = app.second_instance().await;
    assert_all_permissions(&later.holder(app.admin_key())).await;
    let path = format!("/api/api-keys/{id}");
    let other = later.holder(app.admin_key()).get(&path).await.ok();
    let permissions = other["api_key"]["permissions"].as_array().expect("a list");
    assert_eq!(permissions.len(), 21);
}
