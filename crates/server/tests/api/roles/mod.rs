//! Roles.

mod races;

use serde_json::{Value, json};

use crate::support::{TestApp, assert_fields};

const ITEM: [&str; 3] = ["id", "name", "description"];
const DETAIL: [&str; 4] = ["id", "name", "description", "permissions"];

#[tokio::test(flavor = "multi_thread")]
async fn a_role_lives_from_create_to_delete() {
    let app = TestApp::start().await;
    let admin = app.admin();

    let body = json!({ "name": "Moderator", "description": "Keeps the peace" });
    let created = admin.post("/api/roles", body).await.created();
    assert_fields(&created, &["message", "role"]);
    assert_fields(&created["role"], &ITEM);
    assert_eq!(created["role"]["name"], "Moderator");
    assert_eq!(created["role"]["description"], "Keeps the peace");
    let path = format!("/api/roles/{}", created["role"]["id"]);

    let listed = admin.get("/api/roles").await.ok();
    assert_fields(&listed, &["roles"]);
    assert_eq!(listed["roles"], json!([created["role"]]));

    let updated = admin.put(&path, json!({ "name": "Guard" })).await.ok();
    assert_fields(&updated, &["message", "role"]);
    assert_fields(&updated["role"], &ITEM);
    assert_eq!(updated["role"]["name"], "Guard");
    assert_eq!(updated["role"]["description"], "Keeps the peace");

    let single = admin.get(&path).await.ok();
    assert_fields(&single, &["role"]);
    assert_fields(&single["role"], &DETAIL);
    assert_eq!(single["role"]["permissions"], json!([]));

    let deleted = admin.delete(&path).await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get(&path).await.not_found();
    assert_eq!(admin.get("/api/roles").await.ok()["roles"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn permissions_are_replaced_as_a_whole() {
    let app = TestApp::start().await;
    let admin = app.admin();
    admin
        .post("/api/roles", json!({ "name": "Editor" }))
        .await
        .created();
    let set = async |ids: Value| {
        let body = json!({ "permission_ids": ids });
        admin.put("/api/roles/1/permissions", body).await
    };

    let updated = set(json!([4, 12, 4])).await.ok();
    assert_fields(&updated, &["message", "role"]);
    assert_fields(&updated["role"], &DETAIL);
    assert_fields(
        &updated["role"]["permissions"][0],
        &["id", "name", "description"],
    );
    let names = |body: &Value| {
        let permissions = body["role"]["permissions"]
            .as_array()
            .expect("a list")
            .clone();
        permissions
            .iter()
            .map(|permission| permission["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&updated), ["admin.pages", "admin.pages.read"]);

    assert_eq!(names(&set(json!([5])).await.ok()), ["admin.users"]);
    assert_eq!(
        names(&admin.get("/api/roles/1").await.ok()),
        ["admin.users"]
    );

    set(json!([5, 23, 0, "1", 1.5])).await.invalid(&[
        ("permission_ids.1", "is not the id of a permission"),
        ("permission_ids.2", "is not the id of a permission"),
        ("permission_ids.3", "is not the id of a permission"),
        ("permission_ids.4", "is not the id of a permission"),
    ]);
    set(json!("5"))
        .await
        .invalid(&[("permission_ids", "must be a list of permission ids")]);
    assert_eq!(
        names(&admin.get("/api/roles/1").await.ok()),
        ["admin.users"]
    );

    assert!(names(&set(json!([])).await.ok()).is_empty());
    admin
        .put("/api/roles/9/permissions", json!({ "permission_ids": [] }))
        .await
        .not_found();
}

#[tokio::test(flavor = "multi_thread")]
async fn all_faults_are_in_one_422() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let long = "x".repeat(1001);
    let body = json!({ "name": " ", "description": long, "color": "red" });
    admin.post("/api/roles", body).await.invalid(&[
        ("name", "must not be blank"),
        ("description", "must be at most 1000 characters long"),
        ("color", "must be a colour such as #1e90ff"),
    ]);
    admin
        .post("/api/roles", json!({}))
        .await
        .invalid(&[("name", "is required")]);
    let body = json!({ "name": null });
    admin
        .post("/api/roles", body)
        .await
        .invalid(&[("name", "must not be null")]);
    assert_eq!(admin.get("/api/roles").await.ok()["roles"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_keeps_absent_fields_and_null_clears_optional_ones() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let body = json!({ "name": "Guard", "description": null, "color": null });
    let created = admin.post("/api/roles", body).await.created();
    assert_eq!(created["role"]["description"], "");

    let body = json!({ "description": "At the gate" });
    let updated = admin.put("/api/roles/1", body).await.ok();
    assert_eq!(
        updated["role"],
        json!({ "id": 1, "name": "Guard", "description": "At the gate" })
    );

    let before = admin.get("/api/roles/1").await.header("etag").to_owned();
    let unchanged = admin.put("/api/roles/1", json!({})).await.ok();
    assert_eq!(unchanged["role"], updated["role"]);
    assert_eq!(admin.get("/api/roles/1").await.header("etag"), before);

    let emptied = admin
        .put("/api/roles/1", json!({ "description": null }))
        .await
        .ok();
    assert_eq!(emptied["role"]["description"], "");
    let body = json!({ "name": null, "color": null });
    admin
        .put("/api/roles/1", body)
        .await
        .invalid(&[("name", "must not be null"), ("color", "must not be null")]);
}
