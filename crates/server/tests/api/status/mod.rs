use kernel::auth::permission::CATALOGUE;
use serde_json::json;

use crate::support::{TestApp, assert_fields, unknown_key};

#[tokio::test(flavor = "multi_thread")]
async fn status_has_the_versions() {
    let app = TestApp::start().await;
    let status = app.admin().get("/api/status").await.ok();
    assert_fields(&status, &["message", "cms_version", "api_version"]);
    assert!(!status["message"].as_str().expect("a sentence").is_empty());
    assert_eq!(status["cms_version"], kernel::VERSION);
    assert_eq!(status["api_version"], kernel::API_VERSION);
}

#[tokio::test(flavor = "multi_thread")]
async fn any_permission_is_enough_for_the_status() {
    let app = TestApp::start().await;
    for permission in CATALOGUE {
        let actor = app.actor(&[permission.name]).await;
        actor.get("/api/status").await.ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_permission_the_status_gives_403() {
    let app = TestApp::start().await;
    let actor = app.actor(&[]).await;
    actor.get("/api/status").await.forbidden("permission");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lists_its_permissions_as_assigned() {
    let app = TestApp::start().await;

    let actor = app.actor(&["admin.users.read", "admin.pages"]).await;
    let own = actor.get("/api/permissions").await.ok();
    assert_fields(&own, &["permissions"]);
    assert_eq!(
        own["permissions"],
        json!([
            { "id": 4, "name": "admin.pages", "description": "Manage pages and their blocks" },
            { "id": 13, "name": "admin.users.read", "description": "Read users" },
        ])
    );

    let all = app.admin().get("/api/permissions").await.ok();
    assert_eq!(all["permissions"], json!(CATALOGUE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_can_list_its_permissions_without_any() {
    let app = TestApp::start().await;
    let actor = app.actor(&[]).await;
    let own = actor.get("/api/permissions").await.ok();
    assert_eq!(own, json!({ "permissions": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_needs_a_key_or_role_permission_403() {
    let app = TestApp::start().await;
    for enough in [
        "admin.api-keys",
        "admin.api-keys.read",
        "admin.roles",
        "admin.roles.read",
    ] {
        let actor = app.actor(&[enough]).await;
        let answer = actor.get("/api/permissions/catalog").await;
        assert_eq!(answer.ok(), json!({ "permissions": CATALOGUE }), "{enough}");
        assert_eq!(answer.header("x-total-count"), "22");
    }
    let other = app.actor(&["admin.users", "admin.servers"]).await;
    let answer = other.get("/api/permissions/catalog").await;
    answer.forbidden("the permission admin.api-keys.read or admin.roles.read.");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_gives_401_without_a_valid_key() {
    let app = TestApp::start().await;
    for path in [
        "/api/status",
        "/api/permissions",
        "/api/permissions/catalog",
    ] {
        app.anonymous().get(path).await.unauthorized();
        app.holder(&unknown_key()).get(path).await.unauthorized();
    }
}

/// Keys, roles and client scripts store these ids, so they never change.
#[tokio::test(flavor = "multi_thread")]
async fn permission_ids_and_order_never_change() {
    let app = TestApp::start().await;
    let all = app.admin().get("/api/permissions").await.ok();
    let mut names = Vec::new();
    for permission in all["permissions"].as_array().expect("a list") {
        names.push(permission["name"].as_str().expect("a name").to_owned());
        assert_eq!(permission["id"], names.len());
        let description = permission["description"].as_str().expect("a description");
        assert!(!description.is_empty() && !description.contains('\n'));
    }
    let groups = "api-keys servers roles pages users navigation currencies payments";
    let mut expected: Vec<String> = groups.split(' ').map(|it| format!("admin.{it}")).collect();
    expected.extend(groups.split(' ').map(|it| format!("admin.{it}.read")));
    for further in "sessions audit.read servers.rcon webhooks webhooks.read backups".split(' ') {
        expected.push(format!("admin.{further}"));
    }
    assert_eq!(names, expected);
}
