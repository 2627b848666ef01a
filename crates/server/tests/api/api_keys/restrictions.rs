use serde_json::{Value, json};

use super::{restrict, restrictions_of};
use crate::support::{Client, TestApp, assert_fields};

const FIELDS: [&str; 6] = [
    "expires_at",
    "allowed_ips",
    "requests_per_second",
    "last_used_at",
    "last_used_ip",
    "previous_key_valid_until",
];

#[service_test]
async fn restrictions_are_set_kept_and_removed(app: TestApp, admin: Client) {
    let (id, _) = app.key(&["admin.roles.read"]).await;
    let shown = restrictions_of(&admin, id).await;
    assert_fields(&shown, &FIELDS);
    for field in FIELDS {
        assert_eq!(shown[field], Value::Null, "{field}");
    }

    let body = json!({
        "expires_at": "2026-03-02T01:00:00.9+02:00",
        "allowed_ips": ["10.1.2.3/8", "2001:DB8::/32", "192.0.2.7", "10.0.0.0/8"],
        "requests_per_second": 10,
    });
    let set = restrict(&admin, id, body).await.ok();
    assert_fields(&set, &["message", "restrictions"]);
    assert_fields(&set["restrictions"], &FIELDS);
    assert_eq!(set["restrictions"]["expires_at"], "2026-03-01T23:00:00Z");
    let networks = json!(["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]);
    assert_eq!(set["restrictions"]["allowed_ips"], networks);
    assert_eq!(set["restrictions"]["requests_per_second"], 10);
    assert_eq!(set["restrictions"], restrictions_of(&admin, id).await);

    let kept = restrict(&admin, id, json!({})).await.ok();
    assert_eq!(kept["restrictions"], set["restrictions"]);
    for field in &FIELDS[..3] {
        let lifted = restrict(&admin, id, json!({ *field: null })).await.ok();
        let mut expected = restrictions_of(&admin, id).await;
        assert_eq!(lifted["restrictions"], expected);
        assert_eq!(expected[*field].take(), Value::Null);
    }
    assert_eq!(restrictions_of(&admin, id).await, shown);
}

#[service_test]
async fn restrictions_are_absent_from_documented_bodies(app: TestApp, admin: Client) {
    let (id, _) = app.key(&[]).await;
    restrict(&admin, id, json!({ "requests_per_second": 10 }))
        .await
        .ok();
    let path = format!("/api/api-keys/{id}");
    let item = ["id", "name", "key", "active", "created_at"];
    let listed = admin.get("/api/api-keys").await.ok();
    assert_fields(&listed["api_keys"][1], &item);
    let updated = admin.put(&path, json!({})).await.ok();
    assert_fields(&updated["api_key"], &item);
    let single = admin.get(&path).await.ok();
    assert_fields(&single["api_key"], &[&item[..], &["permissions"]].concat());
}

#[service_test]
async fn all_faults_of_restrictions_are_in_one_422(app: TestApp, admin: Client) {
    let (id, _) = app.key(&[]).await;
    let body = json!({
        "expires_at": "tomorrow",
        "allowed_ips": ["10.0.0.0/8", "10.0.0.0/33", 7, "localhost", "a\u{0}b", null],
        "requests_per_second": 0,
    });
    let network = "must be a network such as 10.0.0.0/8, or an address";
    restrict(&admin, id, body).await.invalid(&[
        (
            "expires_at",
            "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z",
        ),
        ("allowed_ips.1", network),
        ("allowed_ips.2", "must be a string"),
        ("allowed_ips.3", network),
        ("allowed_ips.4", "must not contain the NUL character"),
        ("allowed_ips.5", "must be a string"),
        ("requests_per_second", "must be an integer from 1 to 10000"),
    ]);
    let hundred: Vec<String> = (0..100).map(|i| format!("10.0.{i}.0/24")).collect();
    let many: Vec<String> = (0..101).map(|i| format!("10.0.{i}.0/24")).collect();
    for (networks, sentence) in [
        (json!([]), "must hold 1 to 100 networks"),
        (json!(many), "must hold 1 to 100 networks"),
        (json!("10.0.0.0/8"), "must be a list of networks"),
        (json!({}), "must be a list of networks"),
        (json!(true), "must be a list of networks"),
    ] {
        let answer = restrict(&admin, id, json!({ "allowed_ips": networks })).await;
        answer.invalid(&[("allowed_ips", sentence)]);
    }
    for rate in [
        json!(-1),
        json!(10_001),
        json!(1.5),
        json!("10"),
        json!(true),
    ] {
        let answer = restrict(&admin, id, json!({ "requests_per_second": rate })).await;
        let sentence = "must be an integer from 1 to 10000";
        answer.invalid(&[("requests_per_second", sentence)]);
    }
    for end in [
        "2026-03-01T12:00:00Z",
        "2026-03-01T11:59:59Z",
        "1970-01-01T00:00:00Z",
    ] {
        let answer = restrict(&admin, id, json!({ "expires_at": end })).await;
        answer.invalid(&[("expires_at", "must be in the future")]);
    }
    let strict = admin.with("Prefer", "handling=strict");
    let answer = restrict(&strict, id, json!({ "last_used_at": null })).await;
    answer.invalid(&[("last_used_at", "is not a field of this request")]);

    let fine = json!({
        "expires_at": "2026-03-01T12:00:01Z", "allowed_ips": hundred, "requests_per_second": 1e4,
    });
    let set = restrict(&admin, id, fine).await.ok();
    assert_eq!(set["restrictions"]["requests_per_second"], 10_000);
    assert_eq!(set["restrictions"]["allowed_ips"], json!(hundred));
}

/// Both ETags begin with the key's own tag, so either works as If-Match for any change of it.
#[service_test]
async fn the_etag_of_restrictions_works_with_if_match_and_if_none_match(app: TestApp) {
    let admin = app.admin();
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}/restrictions");
    let first = admin.get(&path).await;
    let tag = first.header("etag").to_owned();
    let known = admin.with("If-None-Match", &tag);
    assert_eq!(known.get(&path).await.status, 304);

    holder.get("/api/roles").await.ok();
    known.get(&path).await.ok();
    let key = admin.get(&format!("/api/api-keys/{id}")).await;
    let state = key.header("etag").trim_matches('"').to_owned();
    assert!(tag.starts_with(&format!("\"{state}.")), "{tag} {state}");

    let body = json!({ "requests_per_second": 10 });
    // A use in between does not make If-Match fail.
    let careful = admin.with("If-Match", &tag);
    careful.put(&path, body.clone()).await.ok();
    let answer = careful.put(&path, body.clone()).await;
    answer.error(412, "precondition_failed");
    let careful = admin.with("If-Match", key.header("etag"));
    let answer = careful.put(&path, body).await;
    answer.error(412, "precondition_failed");
}

#[service_test]
async fn expires_at_can_be_changed_before_and_after_the_key_expires(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let end = |end: &str| json!({ "expires_at": format!("2026-03-01T{end}Z") });
    restrict(&admin, id, end("12:00:10")).await.ok();
    restrict(&admin, id, end("12:00:20")).await.ok();
    app.advance(19);
    holder.get("/api/roles").await.ok();
    app.advance(1);
    holder.get("/api/roles").await.unauthorized();
    // The past expires_at is still shown, and may stay while something else changes.
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["expires_at"], "2026-03-01T12:00:20Z");
    restrict(&admin, id, json!({ "requests_per_second": 10 }))
        .await
        .ok();
    holder.get("/api/roles").await.unauthorized();
    restrict(&admin, id, end("12:00:21")).await.ok();
    holder.get("/api/roles").await.ok();
    app.advance(1);
    holder.get("/api/roles").await.unauthorized();
    let answer = restrict(&admin, id, json!({ "expires_at": null })).await;
    answer.ok();
    holder.get("/api/roles").await.ok();
}

#[service_test]
async fn a_key_used_outside_allowed_ips_gets_401(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let allow = async |networks: Value| {
        let body = json!({ "allowed_ips": networks });
        restrict(&admin, id, body).await.ok();
    };
    let status = async |address: &str| holder.at(address).get("/api/roles").await.status;

    allow(json!(["127.0.0.2", "127.0.1.0/24", "2001:db8::/32"])).await;
    for (address, expected) in [
        ("127.0.0.1", 401),
        ("127.0.0.2", 200),
        ("127.0.0.3", 401),
        ("127.0.1.1", 200),
        ("127.0.1.254", 200),
        ("127.0.2.1", 401),
    ] {
        assert_eq!(status(address).await, expected, "{address}");
    }
    // X-Forwarded-For does not help when no proxy is trusted.
    for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP"] {
        let pretender = holder.with(name, "127.0.0.2");
        pretender.get("/api/roles").await.unauthorized();
    }
    allow(json!(["::ffff:127.0.0.0/120"])).await;
    assert_eq!(status("127.0.0.3").await, 200);
    assert_eq!(status("127.0.1.1").await, 401);
    allow(json!(["::/0"])).await;
    assert_eq!(status("127.0.0.1").await, 401);
    allow(json!(["::/0", "0.0.0.0/0"])).await;
    assert_eq!(status("127.0.0.1").await, 200);
}

/// A corrupt list in the database must not allow every address.
#[service_test]
async fn unreadable_allowed_ips_give_401(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    for spoilt in ["", "garbage", "garbage,10.0.0.0/8"] {
        let sql = format!("UPDATE api_keys SET allowed_ips = '{spoilt}' WHERE id = {id}");
        app.core().db.run_sql(&sql).await.expect("spoilt");
        // A change of the key makes the instance reload it.
        let path = format!("/api/api-keys/{id}");
        app.admin().put(&path, json!({})).await.ok();
        holder.get("/api/roles").await.unauthorized();
    }
}
