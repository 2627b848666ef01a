//! API keys.

mod client_ip;
mod escalation;
mod first_key;
mod input;
mod last_use;
mod races;
mod rate_limit;
mod restricted_escalation;
mod restrictions;
mod revocation;
mod revocation_elsewhere;
mod revocation_under_way;
mod rotation;
mod secrecy;

use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, assert_fields};

const ITEM: [&str; 5] = ["id", "name", "key", "active", "created_at"];
const DETAIL: [&str; 6] = ["id", "name", "key", "active", "created_at", "permissions"];

async fn create(client: &Client, name: &str) -> Value {
    let body = json!({ "name": name });
    client.post("/api/api-keys", body).await.created()["api_key"].take()
}

fn value(key: &Value) -> &str {
    key["key"].as_str().expect("a value")
}

/// Changes the restrictions of a key.
async fn restrict(client: &Client, id: i64, changes: Value) -> Answer {
    let path = format!("/api/api-keys/{id}/restrictions");
    client.put(&path, changes).await
}

async fn restrictions_of(client: &Client, id: i64) -> Value {
    let path = format!("/api/api-keys/{id}/restrictions");
    client.get(&path).await.ok()["restrictions"].take()
}

/// The new value in the reply to a create, regenerate or rotate.
fn new_value(reply: &Value) -> &str {
    value(&reply["api_key"])
}

fn path(key: &Value) -> String {
    format!("/api/api-keys/{}", key["id"])
}

fn mask(value: &str) -> String {
    format!("{}********", &value[..8])
}

#[service_test]
async fn a_key_lives_from_create_to_delete(app: TestApp, admin: Client) {
    let body = json!({ "name": "Shop", "active": true });
    let created = admin.post("/api/api-keys", body).await.created();
    assert_fields(&created, &["message", "api_key"]);
    let key = &created["api_key"];
    assert_fields(key, &ITEM);
    assert_eq!(key["name"], "Shop");
    assert_eq!(key["active"], true);
    assert_eq!(key["created_at"], "2026-03-01T12:00:00Z");
    let shop = app.holder(value(key));
    shop.get("/api/permissions").await.ok();
    let masked = json!({
        "id": key["id"],
        "name": "Shop",
        "key": mask(value(key)),
        "active": true,
        "created_at": "2026-03-01T12:00:00Z",
    });

    let listed = admin.get("/api/api-keys").await.ok();
    assert_fields(&listed, &["api_keys"]);
    assert_eq!(listed["api_keys"][1], masked);

    let single = admin.get(&path(key)).await.ok();
    assert_fields(&single, &["api_key"]);
    let mut expected = masked.clone();
    expected["permissions"] = json!([]);
    assert_eq!(single["api_key"], expected);

    app.advance(60);
    let updated = admin.put(&path(key), json!({ "name": "Till" })).await.ok();
    assert_fields(&updated, &["message", "api_key"]);
    let mut renamed = masked;
    renamed["name"] = json!("Till");
    assert_eq!(updated["api_key"], renamed);
    shop.get("/api/permissions").await.ok();

    let deleted = admin.delete(&path(key)).await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get(&path(key)).await.not_found();
    admin.delete(&path(key)).await.not_found();
    shop.get("/api/permissions").await.unauthorized();
}

#[service_test]
async fn regenerate_replaces_the_value_and_nothing_else(app: TestApp, admin: Client) {
    let (id, old) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "active": false })).await.ok();
    let before = admin.get(&path).await.ok();

    app.advance(60);
    let regenerated = admin.post_empty(&format!("{path}/regenerate")).await.ok();
    assert_fields(&regenerated, &["message", "api_key"]);
    let key = &regenerated["api_key"];
    assert_fields(key, &ITEM);
    assert_ne!(value(key), old.key_value());
    assert_eq!(value(key).len(), old.key_value().len());

    let mut after = admin.get(&path).await.ok();
    assert_eq!(after["api_key"]["key"], mask(value(key)));
    after["api_key"]["key"] = before["api_key"]["key"].clone();
    assert_eq!(after, before);

    // It was inactive before and still is; the value itself is valid.
    let new = app.holder(value(key));
    new.get("/api/roles").await.unauthorized();
    admin.put(&path, json!({ "active": true })).await.ok();
    new.get("/api/roles").await.ok();
    old.get("/api/roles").await.unauthorized();
}

#[service_test]
async fn permissions_of_a_key_are_replaced_as_a_whole(app: TestApp, admin: Client) {
    let key = create(&admin, "Shop").await;
    let path = format!("{}/permissions", path(&key));
    let body = json!({ "permission_ids": [12, 4, 4] });
    let updated = admin.put(&path, body).await.ok();
    assert_fields(&updated, &["message", "api_key"]);
    assert_fields(&updated["api_key"], &DETAIL);
    assert_eq!(updated["api_key"]["key"], mask(value(&key)));
    let pages = json!([
        { "id": 4, "name": "admin.pages", "description": "Manage pages and their blocks" },
        { "id": 12, "name": "admin.pages.read", "description": "Read pages and their blocks" },
    ]);
    assert_eq!(updated["api_key"]["permissions"], pages);
    let own = app.holder(value(&key)).get("/api/permissions").await.ok();
    assert_eq!(own["permissions"], pages);

    let body = json!({ "permission_ids": [16] });
    let updated = admin.put(&path, body).await.ok();
    let payments = json!([{
        "id": 16,
        "name": "admin.payments.read",
        "description": "Read payment invoices, promo codes, gateways and statistics",
    }]);
    assert_eq!(updated["api_key"]["permissions"], payments);

    let updated = admin.put(&path, json!({ "permission_ids": [] })).await.ok();
    assert_eq!(updated["api_key"]["permissions"], json!([]));
    let own = app.holder(value(&key)).get("/api/permissions").await.ok();
    assert_eq!(own["permissions"], json!([]));
}

#[service_test]
async fn the_full_value_is_shown_once(app: TestApp) {
    let admin = app.admin().with("Idempotency-Key", "once");
    let key = create(&admin, "Shop").await;
    let admin = app.admin();
    let regenerated = admin
        .post_empty(&format!("{}/regenerate", path(&key)))
        .await
        .ok();
    let path = path(&key);
    let ids = json!({ "permission_ids": [1] });
    for answer in [
        admin.get("/api/api-keys").await,
        admin.get(&path).await,
        admin.put(&path, json!({ "name": "Till" })).await,
        admin.put(&format!("{path}/permissions"), ids).await,
        admin.get("/api/audit-log").await,
        admin.get("/metrics").await,
        admin.delete(&path).await,
        admin.get("/api/audit-log").await,
    ] {
        assert_eq!(answer.status, 200, "{answer:?}");
        for secret in [value(&key), value(&regenerated["api_key"])] {
            assert!(!answer.text.contains(secret), "{answer:?}");
        }
    }
}

#[service_test]
async fn a_value_ends_with_a_crc32_checksum(app: TestApp, admin: Client) {
    let key = create(&admin, "Shop").await;
    let regenerated = admin
        .post_empty(&format!("{}/regenerate", path(&key)))
        .await
        .ok();
    for value in [value(&key), value(&regenerated["api_key"]), app.admin_key()] {
        assert_eq!(value.len(), 50, "{value}");
        let digits = value.strip_prefix("stw_").expect("the mark of a key");
        assert!(digits.bytes().all(|digit| digit.is_ascii_alphanumeric()));
        assert_eq!(value[44..], base62_of_crc32(&value[..44]));
    }
}

/// CRC-32 by its definition (reflected, polynomial 04C11DB7), one bit at a time.
fn base62_of_crc32(text: &str) -> String {
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let carry = crc & 1;
            crc = (crc >> 1) ^ (carry * 0xEDB8_8320);
        }
    }
    let digits: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
    let digit = |place: u32| digits[(!crc / 62_u32.pow(place) % 62) as usize];
    (0..6).rev().map(digit).collect()
}

#[service_test]
async fn keys_are_listed_by_id(admin: Client) {
    for name in ["Zebra", "Ant", "Mole"] {
        create(&admin, name).await;
    }
    // An update may move a row in the file, which must not change the order.
    let body = json!({ "name": "Bear" });
    admin.put("/api/api-keys/2", body).await.ok();
    let listed = admin.get("/api/api-keys").await.ok();
    let keys = listed["api_keys"].as_array().expect("a list");
    let ids_and_names: Vec<_> = keys
        .iter()
        .map(|key| json!([key["id"], key["name"]]))
        .collect();
    let expected = json!([[1, "admin"], [2, "Bear"], [3, "Ant"], [4, "Mole"]]);
    assert_eq!(json!(ids_and_names), expected);
    for key in keys {
        assert_fields(key, &ITEM);
    }
}

#[service_test]
async fn ids_are_never_reused(admin: Client) {
    let first = create(&admin, "First").await;
    admin.delete(&path(&first)).await.ok();
    let second = create(&admin, "Second").await;
    assert_ne!(first["id"], second["id"]);
}

#[service_test]
async fn a_key_can_delete_itself(app: TestApp) {
    let (id, leaver) = app.key(&["admin.api-keys"]).await;
    leaver.delete(&format!("/api/api-keys/{id}")).await.ok();
    leaver.get("/api/api-keys").await.unauthorized();

    let (id, sleeper) = app.key(&["admin.api-keys"]).await;
    let path = format!("/api/api-keys/{id}");
    let slept = sleeper.put(&path, json!({ "active": false })).await.ok();
    assert_eq!(slept["api_key"]["active"], false);
    let body = json!({ "active": true });
    sleeper.put(&path, body).await.unauthorized();

    let (id, changer) = app.key(&["admin.api-keys"]).await;
    let path = format!("/api/api-keys/{id}/regenerate");
    let changed = changer.post_empty(&path).await.ok();
    changer.get("/api/api-keys").await.unauthorized();
    let changed = app.holder(value(&changed["api_key"]));
    changed.get("/api/api-keys").await.ok();
}
