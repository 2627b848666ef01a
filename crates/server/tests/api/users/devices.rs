use serde_json::json;

use crate::support::{TestApp, assert_fields};

const DEVICES: &str = "/api/users/1/devices";

#[tokio::test(flavor = "multi_thread")]
async fn devices_are_listed() {
    let app = TestApp::start().await;
    let admin = app.admin();
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

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_device_ends_its_session_only() {
    let app = TestApp::start().await;
    let admin = app.admin();
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

#[tokio::test(flavor = "multi_thread")]
async fn a_device_is_added_without_a_session() {
    let app = TestApp::start().await;
    let admin = app.admin();
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

    let log = admin.get("/api/audit-log?per_page=1").await.ok();
    let entry = &log["audit_log"][0];
    assert_eq!(entry["action"], "users.add_device");
    assert_eq!(entry["before"], json!({ "devices": [] }));
    let listed = json!([{ "id": 1, "name": "Laptop 💻", "user_agent": "Mozilla/5.0" }]);
    assert_eq!(entry["after"], json!({ "devices": listed }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_name_or_user_agent_gives_422() {
    let app = TestApp::start().await;
    let admin = app.admin();
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

#[tokio::test(flavor = "multi_thread")]
async fn activity_does_not_change_the_user_etag() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    app.device(1, "Phone").await;
    let before = admin.get("/api/users/1").await.header("etag").to_owned();
    let active = "UPDATE user_devices SET last_active = last_active + 60";
    app.app.db.run_sql(active).await.expect("a later moment");
    assert_eq!(admin.get("/api/users/1").await.header("etag"), before);
}
