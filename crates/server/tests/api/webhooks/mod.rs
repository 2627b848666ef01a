//! Webhooks: what clients can do with them. The other files are about sending.

mod access;
mod delivery;
mod failures;
mod formats;
mod input;
mod instances;
mod order;
mod plans;
mod repeat;
mod secrets;

use platform::webhooks::{queue, sender};
use serde_json::{Value, json};
use server::maintenance::Rules;

use crate::support::receiver::Receiver;
use crate::support::{Client, TestApp, assert_fields, at_once, count};

const FIELDS: [&str; 9] = [
    "id",
    "name",
    "url",
    "events",
    "format",
    "active",
    "saved_by",
    "created_at",
    "updated_at",
];

/// A webhook to this receiver, and its secret.
async fn create(app: &TestApp, receiver: &Receiver, events: &[&str]) -> (i64, String) {
    let body = json!({ "url": receiver.url(), "events": events });
    let made = app.admin().post("/api/webhooks", body).await.created();
    let secret = made["webhook"]["secret"].as_str().expect("a secret");
    let id = made["webhook"]["id"].as_i64().expect("an id");
    (id, secret.to_owned())
}

/// Leaves an audit entry `roles.create`.
async fn create_role(app: &TestApp, name: &str) {
    app.admin().create_role(name).await;
}

/// Queues all events and sends what is due.
async fn send(app: &TestApp) {
    queue::once(&app.app.webhooks).await.expect("queued");
    sender::once(&app.app.webhooks).await.expect("sent");
}

async fn deliveries(app: &TestApp, id: i64) -> Vec<Value> {
    let path = format!("/api/webhooks/{id}/deliveries?per_page=100");
    let list = app.admin().get(&path).await.ok();
    list["deliveries"].as_array().expect("a list").clone()
}

async fn show(admin: &Client, id: i64) -> Value {
    let shown = admin.get(&format!("/api/webhooks/{id}")).await.ok();
    shown["webhook"].clone()
}

async fn set_active(app: &TestApp, id: i64, active: bool) {
    let path = format!("/api/webhooks/{id}");
    let body = json!({ "active": active });
    app.admin().put(&path, body).await.ok();
}

#[service_test]
async fn a_webhook_needs_a_url_only(admin: Client) {
    let body = json!({ "url": "https://example.test/hooks?a=b" });
    let made = admin.post("/api/webhooks", body).await.created();
    let webhook = &made["webhook"];
    assert_fields(webhook, &[&FIELDS[..], &["secret"]].concat());
    assert_eq!(webhook["name"], "example.test");
    assert_eq!(webhook["url"], "https://example.test/hooks?a=b");
    assert_eq!(webhook["events"], json!(["*"]));
    assert_eq!(webhook["format"], "standard");
    assert_eq!(webhook["active"], true);
    let secret = webhook["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_"), "{secret}");

    let id = webhook["id"].as_i64().expect("an id");
    let shown = show(&admin, id).await;
    assert_fields(&shown, &FIELDS);
    let listed = admin.get("/api/webhooks").await;
    assert_eq!(listed.ok(), json!({ "webhooks": [shown] }));
    assert_eq!(listed.header("x-total-count"), "1");
}

#[service_test]
async fn an_update_keeps_absent_fields_and_an_empty_one_changes_nothing(app: TestApp) {
    let admin = app.admin();
    let body = json!({
        "url": "https://example.test", "name": "Shop", "events": ["users.*"], "format": "discord",
        "active": false,
    });
    let made = admin.post("/api/webhooks", body).await.created();
    let id = made["webhook"]["id"].as_i64().expect("an id");
    let path = format!("/api/webhooks/{id}");
    let before = show(&admin, id).await;
    app.advance(10);
    let same = admin.put(&path, json!({})).await.ok();
    assert_eq!(same["webhook"], before);
    let changed = admin.put(&path, json!({ "name": "Forum" })).await.ok();
    let mut expected = before.clone();
    expected["name"] = "Forum".into();
    expected["updated_at"] = "2026-03-01T12:00:10Z".into();
    assert_eq!(changed["webhook"], expected);
}

#[service_test]
async fn the_secret_is_shown_by_create_and_rotate_only_and_stored_sealed(app: TestApp) {
    let admin = app.admin();
    let receiver = Receiver::start().await;
    let (id, first) = create(&app, &receiver, &["*"]).await;
    let path = format!("/api/webhooks/{id}");
    let rotated = admin
        .post(
            &format!("{path}/rotate-secret"),
            json!({ "overlap_seconds": 60 }),
        )
        .await
        .ok();
    let second = rotated["webhook"]["secret"].as_str().expect("a secret");
    assert_ne!(first, second);
    admin.put(&path, json!({ "name": "Renamed" })).await.ok();
    send(&app).await;
    let mut texts = vec![
        admin.get("/api/webhooks").await.text,
        admin.get(&path).await.text,
        admin.get(&format!("{path}/deliveries")).await.text,
        admin.get("/api/audit-log?per_page=100").await.text,
    ];
    texts.extend(
        receiver
            .requests()
            .into_iter()
            .map(|request| String::from_utf8(request.body).expect("text")),
    );
    for text in texts {
        assert!(!text.contains(&first[6..]), "{text}");
        assert!(!text.contains(&second[6..]), "{text}");
    }
    let mut read = app.core().db.read().await.expect("a reader");
    let sql = "SELECT secret, previous_secret FROM webhooks";
    let stored: (Vec<u8>, Vec<u8>) = read
        .query_one(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
        .await
        .expect("a row");
    for sealed in [stored.0, stored.1] {
        assert!(!sealed.windows(6).any(|part| part == b"whsec_"));
    }
    let log = admin.get("/api/audit-log?resource=webhooks").await.ok();
    let rotation = &log["audit_log"][1];
    assert_eq!(rotation["action"], "webhooks.rotate_secret");
    assert_eq!(rotation["after"], json!({ "secret": "***" }));
}

#[service_test]
async fn a_deleted_webhook_gets_nothing_and_its_deliveries_are_deleted_by_maintenance() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create_role(&app, "before").await;
    send(&app).await;
    create_role(&app, "after").await;
    queue::once(&app.app.webhooks).await.expect("queued");
    let path = format!("/api/webhooks/{id}");
    admin.delete(&path).await.ok();
    admin.get(&path).await.not_found();
    admin.delete(&path).await.not_found();
    admin.get(&format!("{path}/deliveries")).await.not_found();
    let listed = admin.get("/api/webhooks").await;
    assert_eq!(listed.ok(), json!({ "webhooks": [] }));
    assert_eq!(listed.header("x-total-count"), "0");
    send(&app).await;
    assert_eq!(receiver.count(), 1);
    assert_eq!(
        app.number("SELECT CAST(LENGTH(secret) AS BIGINT) FROM webhooks")
            .await,
        0
    );

    app.maintain(Rules::default()).await;
    for rows in [
        "SELECT COUNT(*) FROM webhooks",
        "SELECT COUNT(*) FROM webhook_deliveries",
    ] {
        assert_eq!(app.number(rows).await, 0, "{rows}");
    }
}

#[service_test]
async fn more_than_50_webhooks_give_409_also_at_once(admin: Client) {
    let body = || json!({ "url": "https://example.test", "active": false });
    for _ in 0..45 {
        admin.post("/api/webhooks", body()).await.created();
    }
    let post = |_| {
        let admin = admin.clone();
        async move { admin.post("/api/webhooks", body()).await }
    };
    let answers = at_once((0..12).map(post)).await;
    assert_eq!(count(&answers, 201), 5);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.error(409, "too_many_webhooks");
    }
    admin.delete("/api/webhooks/1").await.ok();
    admin.post("/api/webhooks", body()).await.created();
}
