//! Erasing a person.

use std::time::Duration;

use platform::webhooks::{queue, sender};
use serde_json::json;
use server::maintenance::Rules;

use crate::support::payments::{currency, numbers, order};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{
    Client, SESSION, TestApp, at_once, console_sign_in, count, eventually, sign_in,
};

const ANNA: &str = "/api/users/1";
const ERASE: &str = "/api/users/1/erase";

/// A user of whom every part of the service holds something.
async fn known_person(app: &TestApp, name: &str, ip: &str) -> i64 {
    let admin = app.admin();
    let id = app.user(name).await;
    let path = format!("/api/users/{id}");
    let body = json!({ "network_id": 1, "profile_url": format!("{name}-profile") });
    let links = format!("{path}/social-networks");
    admin.post(&links, body).await.created();
    app.device(id, &format!("{name}-tablet")).await;
    let email = json!({ "email": format!("{name}@home.example") });
    admin.put(&path, email).await.ok();

    let mut body = sign_in(name);
    body["device_name"] = json!(format!("{name}-phone"));
    body["user_agent"] = json!(format!("{name}-browser"));
    body["client_ip"] = json!(ip);
    let made = admin.post("/api/sessions", body.clone()).await.created();
    let token = json!({ "token": made["session_token"] });
    let out = admin.send(reqwest::Method::DELETE, "/api/sessions", Some(token));
    out.await.ok();
    admin.post("/api/sessions", body.clone()).await.created();
    body["password"] = json!("a wrong one");
    let failed = admin.post("/api/sessions", body).await;
    failed.error(422, "invalid_credentials");

    let reason = format!("{name}-reason");
    let terms = json!({ "reason": reason });
    admin.post(&format!("{path}/block"), terms).await.ok();
    admin.post_empty(&format!("{path}/unblock")).await.ok();
    let bulk = json!({ "ids": [id], "block": { "reason": reason } });
    admin.post("/api/users/bulk", bulk).await.ok();
    let bulk = json!({ "ids": [id], "unblock": true });
    admin.post("/api/users/bulk", bulk).await.ok();
    id
}

/// All entries of the audit log, as text.
async fn log(app: &TestApp) -> String {
    let export = app.admin().get("/api/audit-log/export").await;
    assert_eq!(export.status, 200);
    export.text
}

/// The database file and its log.
fn file_contains(app: &TestApp, text: &str) -> bool {
    let mut files = app.scratch.files().into_iter();
    files.any(|file| {
        let bytes = std::fs::read(file).expect("a readable file");
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[service_test]
async fn an_erased_user_is_not_in_the_sqlite_file_either(app: TestApp) {
    if app.core().db.on_postgres() {
        return;
    }
    let values = [
        "wendeline-profile",
        "wendeline-tablet",
        "wendeline-phone",
        "wendeline-browser",
        "wendeline-reason",
        "wendeline@home.example",
        "wendeline",
    ];
    // Some of these rows fill whole pages, which are freed.
    let id = known_person(&app, "wendeline", "192.0.2.77").await;
    for number in 0..60 {
        let name = format!("wendeline-tablet{number}-{}", "x".repeat(60));
        app.device(id, &name).await;
    }
    for value in values {
        assert!(file_contains(&app, value), "{value}");
    }
    let path = format!("/api/users/{id}/erase");
    app.admin().post_empty(&path).await.ok();
    for value in values {
        assert!(!file_contains(&app, value), "{value}");
    }
}

#[service_test]
async fn an_erased_user_leaves_no_value_behind_but_keeps_invoices_and_sums(app: TestApp) {
    let admin = app.admin();
    known_person(&app, "anna", "127.0.0.71").await;
    known_person(&app, "berta", "127.0.0.72").await;
    currency(&admin, "EUR").await;
    let invoices = "/api/payment-invoices";
    admin.post(invoices, order(json!(5))).await.created();
    let sums = admin.get("/api/payment-invoices/stats").await.ok();
    let before = log(&app).await;
    let values = |name: &str, ip: &str| {
        let of = |value| format!("{name}{value}");
        let named = ["\"", "@example.com", "@home.example", "-profile", "-tablet"];
        let more = ["-phone", "-browser", "-reason"];
        let mut values: Vec<String> = named.iter().chain(&more).map(of).collect();
        values.push(ip.to_owned());
        values
    };
    for value in values("anna", "127.0.0.71") {
        assert!(before.contains(&value), "the log held {value}");
    }

    admin.post_empty(ERASE).await.ok();

    let user = admin.get(ANNA).await.ok()["user"].clone();
    let (name, email) = (&user["username"], &user["email"]);
    let name = name.as_str().expect("a name");
    assert!(name.starts_with("erased-1-"), "{name}");
    assert_eq!(*email, format!("{name}@erased.invalid"));
    for path in ["/devices", "/social-networks"] {
        let list = admin.get(&format!("{ANNA}{path}")).await;
        assert_eq!(list.header("x-total-count"), "0", "{path}");
    }
    let blocks = admin.get(&format!("{ANNA}/blocks")).await.ok();
    for block in blocks["blocks"].as_array().expect("a list") {
        assert_eq!(block["reason"], "***");
    }
    assert_eq!(app.number("SELECT COUNT(*) FROM user_sessions").await, 1);
    for login in ["anna", "anna@home.example", name] {
        let refused = admin.post("/api/sessions", sign_in(login)).await;
        refused.error(422, "invalid_credentials");
    }
    assert_eq!(admin.total("/api/users/search?q=anna").await, "0");

    let after = log(&app).await;
    for value in values("anna", "127.0.0.71") {
        assert!(!after.contains(&value), "the log still holds {value}");
    }
    for value in values("berta", "127.0.0.72") {
        assert!(after.contains(&value), "{value} of another user is kept");
    }
    // Nothing but values is gone. The log was exported, and three sign-ins failed.
    assert_eq!(after.lines().count(), before.lines().count() + 5);

    let invoice = admin.get(&format!("{invoices}/1")).await.ok();
    assert_eq!(invoice["payment_invoice"]["user"]["name"], name);
    let now = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(now, sums);
    let refused = admin.delete(ANNA).await.error(409, "user_has_invoices");
    let message = refused["message"].as_str().expect("a message");
    assert!(message.contains("POST /api/users/{id}/erase"), "{message}");
}

#[service_test]
async fn replies_of_webhook_receivers_to_events_of_an_erased_user_are_forgotten(app: TestApp) {
    let admin = app.admin();
    let receiver = Receiver::start().await;
    receiver.behaves(Behaviour::Echo(Duration::ZERO));
    let webhook = json!({ "url": receiver.url() });
    admin.post("/api/webhooks", webhook).await.created();
    app.user("anna").await;
    app.user("berta").await;
    queue::once(&app.app.webhooks).await.expect("queued");
    sender::once(&app.app.webhooks).await.expect("sent");
    let deliveries = "/api/webhooks/1/deliveries";
    let before = admin.get(deliveries).await.text;
    assert!(before.contains("anna@") && before.contains("berta@"));

    admin.post_empty(ERASE).await.ok();

    let after = admin.get(deliveries).await.text;
    assert!(!after.contains("anna"), "{after}");
    assert!(after.contains("berta@"), "{after}");
}

#[service_test]
async fn a_reply_that_arrives_after_the_erasure_is_not_stored(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    receiver.behaves(Behaviour::Echo(Duration::from_secs(2)));
    let webhook = json!({ "url": receiver.url() });
    admin.post("/api/webhooks", webhook).await.created();
    app.user("anna").await;
    queue::once(&app.app.webhooks).await.expect("queued");
    let sending = tokio::spawn({
        let app = app.app.clone();
        async move { sender::once(&app.webhooks).await }
    });
    let created = "users.create".to_owned();
    let has_arrived = async || receiver.actions().contains(&created);
    eventually("the event arrives", has_arrived).await;
    admin.post_empty(ERASE).await.ok();
    sending.await.expect("no panic").expect("sent");

    let after = admin.get("/api/webhooks/1/deliveries").await.text;
    assert!(after.contains("users.create"), "{after}");
    assert!(!after.contains("anna"), "{after}");
}

#[service_test]
async fn the_audit_entry_of_an_erasure_has_only_the_new_values_and_a_second_one_gives_409() {
    let app = TestApp::start().await;
    let admin = app.admin();
    known_person(&app, "anna", "127.0.0.71").await;
    admin.post_empty("/api/users/2/erase").await.not_found();
    admin.post_empty(ERASE).await.ok();
    admin.post_empty(ERASE).await.error(409, "already_erased");
    let user = admin.get(ANNA).await.ok()["user"].clone();
    let entries = admin.get("/api/audit-log?action=users.erase").await;
    assert_eq!(entries.header("x-total-count"), "1");
    let entry = entries.ok()["audit_log"][0].clone();
    assert_eq!(entry["before"], json!({}));
    let neutral = json!({ "username": user["username"], "email": user["email"] });
    assert_eq!(entry["after"], neutral);

    // The user can get values again, which the log shows.
    admin.put(ANNA, json!({ "username": "clara" })).await.ok();
    app.advance(61);
    app.maintain(Rules::default()).await;
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["after"]["username"], "clara");
    let done = "SELECT COUNT(*) FROM user_erasures WHERE done";
    assert_eq!(app.number(done).await, 1);
}

#[service_test]
async fn a_long_log_is_masked_in_parts_and_a_late_entry_by_the_next_round(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    add_failures(&app, 1, 10_150).await;
    add_failures(&app, 11, 20).await;
    add_failures(&app, 1, 130).await;
    let held = "SELECT COUNT(*) FROM audit_log WHERE after LIKE '{\"user_id\":1,%127.0.0.9%'";
    assert_eq!(app.number(held).await, 10_280);
    admin.post_empty(ERASE).await.ok();
    eventually("the log is masked", async || app.number(held).await == 0).await;
    let others = "SELECT COUNT(*) FROM audit_log WHERE after LIKE '%127.0.0.9%'";
    assert_eq!(app.number(others).await, 20);

    add_failures(&app, 1, 1).await;
    app.maintain(Rules::default()).await;
    assert_eq!(app.number(held).await, 0);
    assert_eq!(
        app.number("SELECT COUNT(*) FROM user_erasures WHERE done")
            .await,
        0
    );
    app.advance(61);
    app.maintain(Rules::default()).await;
    assert_eq!(
        app.number("SELECT COUNT(*) FROM user_erasures WHERE done")
            .await,
        1
    );
}

/// An erasure that was interrupted: nothing is masked yet.
#[service_test]
async fn a_deleted_user_whose_erasure_was_interrupted_is_still_masked(app: TestApp, admin: Client) {
    known_person(&app, "anna", "127.0.0.71").await;
    admin.post_empty(ERASE).await.ok();
    add_failures(&app, 1, 1).await;
    admin.delete(ANNA).await.ok();
    app.maintain(Rules::default()).await;
    assert!(!log(&app).await.contains("127.0.0.9"));
}

#[service_test]
async fn sign_ins_that_race_with_an_erasure_leave_nothing_behind(app: TestApp, admin: Client) {
    let id = known_person(&app, "anna", "127.0.0.71").await;
    let requests = (0..8).map(|number| {
        let (admin, path) = (admin.clone(), format!("/api/users/{id}/erase"));
        let mut body = sign_in("anna");
        body["user_agent"] = json!("anna-browser");
        body["client_ip"] = json!(format!("127.0.0.{}", 80 + number));
        if number % 2 == 1 {
            body["password"] = json!("a wrong one");
        }
        async move {
            match number {
                2 | 5 => admin.post_empty(&path).await,
                _ => admin.post("/api/sessions", body).await,
            }
        }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 200), count(&answers, 409)), (1, 1));
    app.maintain(Rules::default()).await;
    assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
    assert_eq!(app.number("SELECT COUNT(*) FROM user_sessions").await, 0);
    let log = log(&app).await;
    // An attempt after the erasure was for a login that no user has.
    let is_of_user =
        |line: &&str| !(line.contains(",sessions.fail,") && line.contains(r#""user_id"":null"#));
    for value in ["127.0.0.8", "127.0.0.7"] {
        let mut lines = log.lines().filter(is_of_user);
        let holding = lines.find(|line| line.contains(value));
        assert_eq!(holding, None, "the log still holds {value}");
    }
    assert!(!log.contains("anna"), "{log}");
}

/// Adds entries of failed attempts to sign in.
async fn add_failures(app: &TestApp, user_id: i64, entries: i64) {
    let numbers = numbers(app, entries + 1);
    let text = format!(r#"{{"user_id":{user_id},"client_ip":"127.0.0.9","code":"x"}}"#);
    let sql = format!(
        "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id, before,
                                after)
         SELECT 0, 'x', 'x', 'sessions.fail', 'sessions', 0, '{{}}', '{text}' FROM {numbers}"
    );
    app.core().db.run_sql(&sql).await.expect("entries");
}

#[service_test]
async fn the_address_of_a_failed_console_sign_in_is_erased(app: TestApp, admin: Client) {
    let (anna, other) = (app.user("anna").await, app.user("other").await);
    for name in ["anna", "other"] {
        let answer = app.anonymous().post(SESSION, console_sign_in(name)).await;
        answer.error(403, "not_an_operator");
    }
    admin
        .post_empty(&format!("/api/users/{anna}/erase"))
        .await
        .ok();
    let log = admin
        .get("/api/audit-log?action=console_sessions.fail")
        .await
        .ok();
    let entries = log["audit_log"].as_array().expect("a list");
    for (entry, user_id, ip) in [
        (&entries[0], other, json!("127.0.0.1")),
        (&entries[1], anna, json!(null)),
    ] {
        assert_eq!(
            (&entry["after"]["user_id"], &entry["ip"]),
            (&json!(user_id), &ip)
        );
    }
}
