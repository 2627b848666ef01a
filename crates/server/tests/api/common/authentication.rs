use serde_json::json;

use crate::support::{Client, TestApp, unknown_key};

#[service_test]
async fn a_request_without_a_key_gets_401(app: TestApp) {
    let anonymous = app.anonymous();
    anonymous.get("/api/roles").await.unauthorized();
    let by_other_means = [
        anonymous.with("Authorization", app.admin_key()),
        anonymous.with("Authorization", &format!("Basic {}", app.admin_key())),
        anonymous.with("Authorization", &format!("Bearer{}", app.admin_key())),
        anonymous.with("Authorization", "Bearer"),
        anonymous.with("Cookie", &format!("X-API-Key={}", app.admin_key())),
        anonymous.with("X-API-Keys", app.admin_key()),
    ];
    for client in by_other_means {
        client.get("/api/roles").await.unauthorized();
    }
    let path = format!("/api/roles?api_key={0}&X-API-Key={0}", app.admin_key());
    anonymous.get(&path).await.unauthorized();
}

#[service_test]
async fn a_malformed_key_gets_401(app: TestApp) {
    let key = app.admin_key();
    let masked = format!("{}********", &key[..8]);
    let (start, end) = key.split_at(20);
    for odd in [
        unknown_key(),
        masked,
        String::new(),
        " ".to_owned(),
        "stw_".to_owned(),
        key[..49].to_owned(),
        format!("{key}0"),
        format!("{key},{key}"),
        format!("{key}, "),
        format!("{start} {end}"),
        format!("{start}\t{end}"),
        format!("\"{key}\""),
        format!("Bearer {key}"),
        key.to_lowercase(),
        key.to_uppercase(),
        key.chars().rev().collect(),
        "*".repeat(50),
        "%".to_owned(),
        "' OR '1'='1".to_owned(),
        "ключ".to_owned(),
        format!("{key}\u{e9}"),
        "x".repeat(8000),
    ] {
        app.holder(&odd).get("/api/roles").await.unauthorized();
        let body = json!({ "name": "Guard" });
        let answer = app.holder(&odd).post("/api/roles", body).await;
        answer.unauthorized();
    }
    app.admin().get("/api/roles").await.ok();
}

#[service_test]
async fn a_request_with_two_keys_gets_401(app: TestApp) {
    let both = app
        .holder(&unknown_key())
        .with("X-API-Key", app.admin_key());
    both.get("/api/roles").await.unauthorized();
}

#[service_test]
async fn authorization_bearer_counts_like_x_api_key(app: TestApp) {
    let (_, reader) = app.key(&["admin.roles.read"]).await;
    for scheme in ["Bearer", "bearer", "BEARER", "Bearer "] {
        let value = format!("{scheme} {}", reader.key_value());
        let client = app.anonymous().with("Authorization", &value);
        client.get("/api/roles").await.ok();
        let role = json!({ "name": "Guard" });
        let answer = client.post("/api/roles", role).await;
        answer.forbidden("admin.roles");
    }
    for wrong in [unknown_key(), "é".into(), "x".repeat(8000)] {
        let value = format!("Bearer {wrong}");
        let client = app.anonymous().with("Authorization", &value);
        client.get("/api/roles").await.unauthorized();
    }
    // A reply that reveals a secret is repeated for the same key, whichever header it is in.
    let once = |client: Client| client.with("Idempotency-Key", "one");
    let body = || json!({ "name": "Shop" });
    let first = once(app.admin()).post("/api/api-keys", body()).await;
    let bearer = format!("Bearer {}", app.admin_key());
    let bearer = app.anonymous().with("Authorization", &bearer);
    let again = once(bearer).post("/api/api-keys", body()).await;
    assert_eq!(again.created(), first.created());
}

#[service_test]
async fn two_different_keys_in_x_api_key_and_authorization_give_400(app: TestApp) {
    let (_, other) = app.key(&["admin.roles"]).await;
    let bearer = |key: &str| app.admin().with("Authorization", &format!("Bearer {key}"));
    bearer(app.admin_key()).get("/api/roles").await.ok();
    for key in [other.key_value(), &unknown_key(), "x"] {
        let answer = bearer(key).get("/api/roles").await;
        answer.error(400, "ambiguous_key");
    }
    // Credentials for a proxy are ignored.
    for value in ["Basic dXNlcjpwYXNzd29yZA==", "Digest username=\"x\""] {
        let client = app.admin().with("Authorization", value);
        client.get("/api/roles").await.ok();
    }
}

#[service_test]
async fn the_header_name_is_case_insensitive(app: TestApp) {
    for name in ["x-api-key", "X-Api-Key", "X-API-KEY"] {
        let client = app.anonymous().with(name, app.admin_key());
        client.get("/api/roles").await.ok();
    }
}

#[service_test]
async fn a_masked_value_gets_401(app: TestApp) {
    app.actor(&["admin.roles"]).await;
    let listed = app.admin().get("/api/api-keys").await.ok();
    for key in listed["api_keys"].as_array().expect("a list") {
        let mask = key["key"].as_str().expect("a mask");
        let answer = app.holder(mask).get("/api/permissions").await;
        answer.unauthorized();
    }
}

#[service_test]
async fn an_inactive_key_gets_401_until_it_is_active(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    for _ in 0..2 {
        holder.get("/api/roles").await.ok();
        admin.put(&path, json!({ "active": false })).await.ok();
        holder.get("/api/roles").await.unauthorized();
        holder.get("/api/permissions").await.unauthorized();
        admin.put(&path, json!({ "active": true })).await.ok();
    }
    holder.get("/api/roles").await.ok();
}

#[service_test]
async fn a_key_gets_401_from_the_second_it_expires(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    let end = json!({ "expires_at": "2026-03-01T12:01:00Z" });
    let restrictions = format!("{path}/restrictions");
    app.admin().put(&restrictions, end).await.ok();

    holder.get("/api/roles").await.ok();
    app.advance(59);
    holder.get("/api/roles").await.ok();
    app.advance(1);
    holder.get("/api/roles").await.unauthorized();
    // Neither a new name nor activating it extends its life.
    let body = json!({ "name": "Late", "active": true });
    app.admin().put(&path, body).await.ok();
    holder.get("/api/roles").await.unauthorized();
    // Nor does a clock that is set back.
    app.advance(-1);
    holder.get("/api/roles").await.unauthorized();
}

/// A 401 does not say why, so that it reveals nothing about a key.
#[service_test]
async fn every_401_has_the_same_body(app: TestApp) {
    let (id, inactive) = app.key(&["admin.roles"]).await;
    let path = format!("/api/api-keys/{id}");
    let body = json!({ "active": false });
    app.admin().put(&path, body).await.ok();
    let (id, foreign) = app.key(&["admin.roles"]).await;
    let path = format!("/api/api-keys/{id}/restrictions");
    let elsewhere = json!({ "allowed_ips": ["192.0.2.1"] });
    app.admin().put(&path, elsewhere).await.ok();
    let mut messages = Vec::new();
    for client in [
        app.anonymous(),
        app.holder(&unknown_key()),
        inactive,
        foreign,
    ] {
        for path in ["/api/roles", "/api/roles/1", "/api/api-keys/1"] {
            let body = client.get(path).await.error(401, "unauthorized");
            messages.push(body["message"].clone());
        }
    }
    messages.dedup();
    assert_eq!(messages, ["The API key is missing or invalid."]);
}
