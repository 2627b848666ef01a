use reqwest::Method;
use serde_json::json;

use crate::support::{Client, TestApp, assert_fields, sign_in};

const DEVICES: &str = "/api/users/1/devices";

#[service_test]
async fn devices_are_listed(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.user("berta").await;
    let empty = admin.get(DEVICES).await;
    assert_eq!(empty.ok(), json!({ "devices": [] }));
    assert_eq!(empty.header("x-total-count"), "0");

    let phone = app.device(1, "Телефон 📱").await;
    app.device(2, "Laptop").await;
    let listed = admin.get(DEVICES).await;
    assert_eq!(
        listed.ok()["devices"],
        json!([{
            "id": phone,
            "name": "Телефон 📱",
            "last_active": "2026-03-01T12:00:00Z",
            "user_agent": "Mozilla/5.0",
        }])
    );
    assert_eq!(listed.header("x-total-count"), "1");
}

#[service_test]
async fn deleting_a_device_ends_its_session_only(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.user("berta").await;
    let tokens = [app.sign_in("anna").await, app.sign_in("anna").await];
    let (phone, laptop) = (1, 2);
    let sessions = "SELECT COUNT(*) FROM user_sessions";

    for path in [
        format!("/api/users/2/devices/{phone}"),
        format!("/api/users/9/devices/{phone}"),
        format!("{DEVICES}/99"),
        format!("{DEVICES}/x"),
    ] {
        admin.delete(&path).await.not_found();
    }
    assert_eq!(app.number(sessions).await, 2);

    let path = format!("{DEVICES}/{phone}");
    assert_fields(&admin.delete(&path).await.ok(), &["message"]);
    admin.delete(&path).await.not_found();
    let left = admin.get(DEVICES).await.ok();
    assert_eq!(left["devices"][0]["id"], laptop);
    assert_eq!(left["devices"].as_array().map(Vec::len), Some(1));
    assert_eq!(app.number(sessions).await, 1);
    app.verify(&tokens[0]).await.error(422, "session_invalid");
    app.verify(&tokens[1]).await.ok();
}

#[service_test]
async fn a_device_is_added_without_a_session(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.advance(60);
    let body = json!({ "name": "Laptop 💻", "user_agent": "Mozilla/5.0" });
    let added = admin.post(DEVICES, body).await.created();
    assert_fields(&added, &["message", "device"]);
    let device = json!({
        "id": 1,
        "name": "Laptop 💻",
        "last_active": "2026-03-01T12:01:00Z",
        "user_agent": "Mozilla/5.0",
    });
    assert_eq!(added["device"], device);
    assert_eq!(admin.get(DEVICES).await.ok()["devices"], json!([device]));
    let sessions = "SELECT COUNT(*) FROM user_sessions";
    assert_eq!(app.number(sessions).await, 0);
    let user = admin.get("/api/users/1").await.ok();
    assert_eq!(user["user"]["updated_at"], "2026-03-01T12:01:00Z");

    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "users.add_device");
    assert_eq!(entry["before"], json!({}));
    let part = json!({
        "devices.1.name": "Laptop 💻",
        "devices.1.user_agent": "Mozilla/5.0",
    });
    assert_eq!(entry["after"], part);
}

#[service_test]
async fn an_invalid_name_or_user_agent_gives_422(app: TestApp, admin: Client) {
    app.user("anna").await;
    let answer = admin.post(DEVICES, json!({})).await;
    answer.invalid(&[("name", "is required"), ("user_agent", "is required")]);
    let body = json!({ "name": " ", "user_agent": null });
    let answer = admin.post(DEVICES, body).await;
    answer.invalid(&[
        ("name", "must not be blank"),
        ("user_agent", "must not be null"),
    ]);
    let body = json!({ "name": "é".repeat(101), "user_agent": "é".repeat(513) });
    admin.post(DEVICES, body).await.invalid(&[
        ("name", "must be 1 to 100 characters long"),
        ("user_agent", "must be 1 to 512 characters long"),
    ]);
    let body = json!({ "name": "é".repeat(100), "user_agent": "é".repeat(512) });
    admin.post(DEVICES, body.clone()).await.created();
    admin.post("/api/users/9/devices", body).await.not_found();
}

#[service_test]
async fn activity_does_not_change_the_user_etag(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.device(1, "Phone").await;
    let before = admin.etag("/api/users/1").await;
    let active = "UPDATE user_devices SET last_active = last_active + 60";
    app.app
        .kernel
        .core
        .db
        .run_sql(active)
        .await
        .expect("a later moment");
    assert_eq!(admin.get("/api/users/1").await.header("etag"), before);
}

#[service_test]
async fn a_device_without_a_session_is_used_again_for_the_same_name_and_user_agent(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    app.user("berta").await;
    for _ in 0..3 {
        let token = app.sign_in("anna").await;
        assert_eq!(app.verify(&token).await.ok()["device"]["id"], 1);
        app.advance(1);
        let body = json!({ "token": token });
        let ended = admin.send(Method::DELETE, "/api/sessions", Some(body));
        ended.await.ok();
    }
    let listed = admin.get(DEVICES).await.ok();
    assert_eq!(listed["devices"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["devices"][0]["last_active"], "2026-03-01T12:00:02Z");
    // Another program, another name, another user, and a device in use.
    let mut other = sign_in("anna");
    other["user_agent"] = json!("curl/8");
    admin.post("/api/sessions", other).await.created();
    assert_eq!(app.device(1, "Laptop").await, 3);
    assert_eq!(app.device(2, "Phone").await, 4);
    let (one, two) = (app.sign_in("anna").await, app.sign_in("anna").await);
    assert_eq!(app.verify(&one).await.ok()["device"]["id"], 1);
    assert_eq!(app.verify(&two).await.ok()["device"]["id"], 5);
}

#[service_test]
async fn a_user_has_at_most_a_hundred_devices_and_the_oldest_without_a_session_goes_first() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    let first = app.sign_in("anna").await;
    app.advance(1);
    for number in 0..99 {
        app.device(1, &format!("Device {number}")).await;
    }
    assert_eq!(admin.total(DEVICES).await, "100");
    app.device(1, "One more").await;
    let listed = admin.get(DEVICES).await.ok();
    let ids: Vec<i64> = listed["devices"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|device| device["id"].as_i64().expect("an id"))
        .collect();
    assert_eq!(ids.len(), 100);
    assert_eq!(ids[..2], [1, 3], "the first has a session");
    app.verify(&first).await.ok();
}

/// A user with many devices, and a device of another name.
const MANY: &str = "INSERT INTO user_devices (user_id, name, user_agent, last_active)
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
                    SELECT 1, 'Bot', 'Bot', i FROM n";

#[service_test]
async fn audit_entries_do_not_grow_with_the_number_of_devices(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.core().db.run_sql(MANY).await.expect("devices");
    let length = "SELECT CAST(SUM(LENGTH(before) + LENGTH(after)) AS BIGINT) FROM audit_log";
    let before = app.number(length).await;
    admin.post_empty("/api/users/1/block").await.ok();
    admin.post_empty("/api/users/1/unblock").await.ok();
    let body = json!({ "username": "ann" });
    admin.put("/api/users/1", body).await.ok();
    admin.delete(&format!("{DEVICES}/7")).await.ok();
    let link = json!({ "network_id": 1, "profile_url": "anna" });
    let path = "/api/users/1/social-networks";
    let made = admin.post(path, link).await.created();
    let id = &made["social_network"]["id"];
    admin.delete(&format!("{path}/{id}")).await.ok();
    app.sign_in("ann").await;
    admin.delete("/api/users/1").await.ok();
    let written = app.number(length).await - before;
    // The last entry lists the devices that were deleted with their user, at most a hundred.
    assert!(written < 8000, "{written} characters");
}

#[service_test]
async fn the_audit_entry_of_a_removed_device_has_that_device_alone(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.device(1, "Phone").await;
    app.device(1, "Laptop").await;
    admin.delete(&format!("{DEVICES}/2")).await.ok();
    let log = admin.get("/api/audit-log?action=users.remove_device").await;
    let entry = log.ok()["audit_log"][0].clone();
    let part = json!({
        "devices.2.name": "Laptop",
        "devices.2.user_agent": "Mozilla/5.0",
    });
    assert_eq!((&entry["before"], &entry["after"]), (&part, &json!({})));
}
