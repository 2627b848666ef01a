use reqwest::Method;
use serde_json::{Value, json};

use super::{ITEMS, REORDER, item, path, role, roles_path, single};
use crate::support::{TestApp, unknown_key};

/// Every operation, with a valid body.
fn operations(id: i64) -> Vec<(Method, String, Option<Value>)> {
    let roles = || Some(json!({ "roles": [] }));
    vec![
        (Method::GET, ITEMS.into(), None),
        (Method::GET, path(id), None),
        (Method::GET, roles_path(id), None),
        (Method::POST, ITEMS.into(), Some(json!({ "title": "New" }))),
        (Method::PUT, path(id), Some(json!({ "title": "Old" }))),
        (Method::POST, REORDER.into(), Some(json!({ "items": [] }))),
        (Method::POST, roles_path(id), roles()),
        (Method::DELETE, roles_path(id), roles()),
        (Method::DELETE, path(id), None),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_gives_401_without_a_valid_key() {
    let app = TestApp::start().await;
    let id = item(&app.admin(), json!({ "title": "Home" })).await;
    for caller in [app.anonymous(), app.holder(&unknown_key())] {
        for (method, path, body) in operations(id) {
            caller.send(method, &path, body).await.unauthorized();
        }
        // It does not learn what is wrong with its request.
        caller.get(&path(99)).await.unauthorized();
        caller.get("/api/navbar-items?page=0").await.unauthorized();
        caller.post(ITEMS, json!({})).await.unauthorized();
    }
    assert_eq!(single(&app.admin(), id).await["title"], "Home");
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_need_the_read_permission_and_writes_the_other_403() {
    let app = TestApp::start().await;
    let id = item(&app.admin(), json!({ "title": "Home" })).await;
    let other = app.actor(&["admin.pages", "admin.roles"]).await;
    let reader = app.actor(&["admin.navigation.read"]).await;
    let writer = app.actor(&["admin.navigation"]).await;
    for (method, path, body) in operations(id) {
        let needed = match method {
            Method::GET => "admin.navigation.read",
            _ => "admin.navigation",
        };
        let refused = other.send(method.clone(), &path, body.clone()).await;
        refused.forbidden(needed);
        let read = reader.send(method.clone(), &path, body.clone()).await;
        match method {
            Method::GET => drop(read.ok()),
            _ => read.forbidden(needed),
        }
    }
    assert_eq!(single(&app.admin(), id).await["title"], "Home");
    for (method, path, body) in operations(id) {
        let expected = if path == ITEMS && method == Method::POST {
            201
        } else {
            200
        };
        writer.send(method, &path, body).await.expect(expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_item_gives_404_before_the_body_is_validated() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let other = app.actor(&["admin.pages"]).await;
    for id in ["99", "0", "-1", "x", "1.0", "9223372036854775808"] {
        let at = format!("{ITEMS}/{id}");
        let roles = format!("{at}/roles");
        let calls = [
            (Method::GET, &at, None),
            (Method::GET, &roles, None),
            (Method::PUT, &at, Some(json!({ "title": 1 }))),
            (Method::DELETE, &at, None),
            (Method::POST, &roles, Some(json!({ "roles": 1 }))),
            (Method::DELETE, &roles, Some(json!({ "roles": 1 }))),
        ];
        for (method, path, body) in calls {
            let refused = other.send(method.clone(), path, body.clone()).await;
            refused.error(403, "missing_permission");
            admin.send(method, path, body).await.not_found();
        }
        let text = Some(("text/plain", b"x".to_vec()));
        let answer = admin.send_bytes(Method::DELETE, &roles, text).await;
        answer.not_found();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_a_json_object_gives_415_or_422() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Home", "roles": [guard] })).await;
    let (at, roles) = (path(id), roles_path(id));
    let calls = [
        (Method::POST, ITEMS),
        (Method::PUT, at.as_str()),
        (Method::POST, REORDER),
        (Method::POST, roles.as_str()),
        (Method::DELETE, roles.as_str()),
    ];
    for (method, path) in calls {
        let send = async |kind: &str, body: &[u8]| {
            let body = Some((kind, body.to_vec()));
            admin.send_bytes(method.clone(), path, body).await
        };
        let kind = "application/json";
        send(kind, b"{").await.error(422, "invalid_json");
        send(kind, b"[]").await.error(422, "invalid_body");
        send(kind, b"").await.error(422, "missing_body");
        send("text/plain", b"{}")
            .await
            .error(415, "unsupported_media_type");
    }
    let shown = single(&admin, id).await;
    assert_eq!(shown["roles"], json!([{ "id": guard, "name": "Guard" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_method_gives_405_with_allow() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    for (method, path, allowed) in [
        (Method::PUT, ITEMS, "GET,HEAD,POST"),
        (Method::GET, REORDER, "POST"),
        (Method::DELETE, REORDER, "POST"),
        (Method::POST, "/api/navbar-items/1", "GET,HEAD,PUT,DELETE"),
        (
            Method::PUT,
            "/api/navbar-items/1/roles",
            "GET,HEAD,POST,DELETE",
        ),
    ] {
        let answer = anonymous.send(method, path, None).await;
        answer.error(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), allowed, "{path}");
    }
}
