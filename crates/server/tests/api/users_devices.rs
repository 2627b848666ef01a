use serde_json::json;

use crate::support::{TestApp, has_fields};

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
async fn a_device_goes_with_its_session_and_no_other() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    app.user("berta").await;
    let phone = app.device(1, "Phone").await;
    let laptop = app.device(1, "Laptop").await;
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
    has_fields(&admin.delete(&path).await.ok(), &["message"]);
    admin.delete(&path).await.not_found();
    let left = admin.get(DEVICES).await.ok();
    assert_eq!(left["devices"][0]["id"], laptop);
    assert_eq!(left["devices"].as_array().map(Vec::len), Some(1));
    assert_eq!(app.number(sessions).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn being_active_is_no_change_of_the_user() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    app.device(1, "Phone").await;
    let before = admin.get("/api/users/1").await.header("etag").to_owned();
    let active = "UPDATE user_devices SET last_active = last_active + 60";
    app.app.db.run_sql(active).await.expect("a later moment");
    assert_eq!(admin.get("/api/users/1").await.header("etag"), before);
}
