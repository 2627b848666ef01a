use kernel::auth::permission::CATALOGUE;
use serde_json::json;

use crate::support::{TestApp, assert_fields};

#[service_test]
async fn status_has_the_versions(app: TestApp) {
    let status = app.admin().get("/api/status").await.ok();
    assert_fields(&status, &["message", "cms_version", "api_version"]);
    assert!(!status["message"].as_str().expect("a sentence").is_empty());
    assert_eq!(status["cms_version"], kernel::VERSION);
    assert_eq!(status["api_version"], kernel::API_VERSION);
}

#[service_test]
async fn a_key_lists_its_permissions_as_assigned(app: TestApp) {
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

#[service_test]
async fn a_key_can_list_its_permissions_without_any(app: TestApp) {
    let actor = app.actor(&[]).await;
    let own = actor.get("/api/permissions").await.ok();
    assert_eq!(own, json!({ "permissions": [] }));
}

#[service_test]
async fn the_catalogue_lists_all_permissions_for_any_reader(app: TestApp) {
    let reader = app.actor(&["admin.roles.read"]).await;
    let answer = reader.get("/api/permissions/catalog").await;
    assert_eq!(answer.ok(), json!({ "permissions": CATALOGUE }));
    assert_eq!(answer.header("x-total-count"), "30");
}

/// Keys, roles and client scripts store these ids, so they never change.
#[service_test]
async fn permission_ids_and_order_never_change(app: TestApp) {
    let all = app.admin().get("/api/permissions").await.ok();
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    for permission in all["permissions"].as_array().expect("a list") {
        names.push(permission["name"].as_str().expect("a name").to_owned());
        ids.push(permission["id"].as_u64().expect("an id"));
        let description = permission["description"].as_str().expect("a description");
        assert!(!description.is_empty() && !description.contains('\n'));
    }
    let groups = "api-keys servers roles pages users navigation currencies payments";
    let mut expected: Vec<String> = groups.split(' ').map(|it| format!("admin.{it}")).collect();
    expected.extend(groups.split(' ').map(|it| format!("admin.{it}.read")));
    let further = "sessions audit.read servers.rcon webhooks webhooks.read backups products \
                   products.read deliveries bans bans.read discord discord.read backups.read";
    expected.extend(further.split_whitespace().map(|it| format!("admin.{it}")));
    assert_eq!(names, expected);
    assert_eq!(ids, (1..=30).collect::<Vec<_>>());
}
