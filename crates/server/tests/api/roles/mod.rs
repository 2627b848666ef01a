//! Roles.

mod races;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

const ITEM: [&str; 3] = ["id", "name", "description"];
const DETAIL: [&str; 4] = ["id", "name", "description", "permissions"];

#[service_test]
async fn a_role_lives_from_create_to_delete(admin: Client) {
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

#[service_test]
async fn permissions_of_a_role_are_replaced_as_a_whole(admin: Client) {
    admin.create_role("Editor").await;
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
    let expected = ["admin.users"];
    assert_eq!(names(&admin.get("/api/roles/1").await.ok()), expected);

    set(json!([5, 99, 0, "1", 1.5])).await.invalid(&[
        ("permission_ids.1", "is not the id of a permission"),
        ("permission_ids.2", "is not the id of a permission"),
        ("permission_ids.3", "is not the id of a permission"),
        ("permission_ids.4", "is not the id of a permission"),
    ]);
    let answer = set(json!("5")).await;
    answer.invalid(&[("permission_ids", "must be a list of ids")]);
    let expected = ["admin.users"];
    assert_eq!(names(&admin.get("/api/roles/1").await.ok()), expected);

    assert!(names(&set(json!([])).await.ok()).is_empty());
    admin
        .put("/api/roles/9/permissions", json!({ "permission_ids": [] }))
        .await
        .not_found();
}

#[service_test]
async fn all_faults_of_a_role_are_in_one_422(admin: Client) {
    let long = "x".repeat(1001);
    let body = json!({ "name": " ", "description": long, "color": "red" });
    admin.post("/api/roles", body).await.invalid(&[
        ("name", "must not be blank"),
        ("description", "must be at most 1000 characters long"),
        ("color", "must be a colour such as #1e90ff"),
    ]);
    let answer = admin.post("/api/roles", json!({})).await;
    answer.invalid(&[("name", "is required")]);
    let body = json!({ "name": null });
    let answer = admin.post("/api/roles", body).await;
    answer.invalid(&[("name", "must not be null")]);
    assert_eq!(admin.get("/api/roles").await.ok()["roles"], json!([]));
}

#[service_test]
async fn an_update_keeps_absent_fields_and_null_clears_optional_ones(admin: Client) {
    let body = json!({ "name": "Guard", "description": null, "color": null });
    let created = admin.post("/api/roles", body).await.created();
    assert_eq!(created["role"]["description"], "");

    let body = json!({ "description": "At the gate" });
    let updated = admin.put("/api/roles/1", body).await.ok();
    let expected = json!({ "id": 1, "name": "Guard", "description": "At the gate" });
    assert_eq!(updated["role"], expected);

    let before = admin.etag("/api/roles/1").await;
    let unchanged = admin.put("/api/roles/1", json!({})).await.ok();
    assert_eq!(unchanged["role"], updated["role"]);
    assert_eq!(admin.get("/api/roles/1").await.header("etag"), before);

    let body = json!({ "description": null });
    let emptied = admin.put("/api/roles/1", body).await.ok();
    assert_eq!(emptied["role"]["description"], "");
    let body = json!({ "name": null, "color": null });
    let answer = admin.put("/api/roles/1", body).await;
    answer.invalid(&[("name", "must not be null"), ("color", "must not be null")]);
}

#[service_test]
async fn include_adds_color_and_members_to_roles(app: TestApp, admin: Client) {
    let body = json!({ "name": "Guard", "color": "#1e90ff" });
    admin.post("/api/roles", body).await.created();
    admin.create_role("Cook").await;
    for name in ["anna", "ben"] {
        let path = format!("/api/users/{}/roles", app.user(name).await);
        admin.put(&path, json!({ "role_ids": [1] })).await.ok();
    }
    // Blocked users hold their roles, too.
    admin.post_empty("/api/users/1/block").await.ok();
    let guard = json!({ "id": 1, "name": "Guard", "description": "" });
    let with = |mut role: Value, fields: Value| {
        for (name, value) in fields.as_object().expect("fields") {
            role[name] = value.clone();
        }
        role
    };
    for (include, fields) in [
        ("color", json!({ "color": "#1e90ff" })),
        ("members", json!({ "members": 2 })),
        ("members,color", json!({ "color": "#1e90ff", "members": 2 })),
    ] {
        let expected = with(guard.clone(), fields.clone());
        let listed = admin
            .get(&format!("/api/roles?include={include}"))
            .await
            .ok();
        assert_eq!(listed["roles"][0], expected, "{include}");
        let path = format!("/api/roles/1?include={include}");
        let single = admin.get(&path).await.ok();
        let expected = with(expected, json!({ "permissions": [] }));
        assert_eq!(single["role"], expected, "{include}");
    }
    let listed = admin
        .get("/api/roles?include=members&per_page=1&page=2")
        .await;
    assert_eq!(listed.ok()["roles"][0]["members"], 0);
    assert!(listed.header("link").contains("include=members"));

    // The entity tag follows the members, and is one that If-Match takes.
    let path = "/api/roles/1?include=members";
    let before = admin.get(path).await.header("etag").to_owned();
    admin.delete("/api/users/2").await.ok();
    let after = admin.get(path).await;
    assert_eq!(after.ok()["role"]["members"], 1);
    assert_ne!(after.header("etag"), before);
    let careful = admin.with("If-Match", after.header("etag"));
    careful
        .put("/api/roles/1", json!({ "name": "Watch" }))
        .await
        .ok();
}

#[service_test]
async fn members_are_counted_through_an_index_in_one_statement(app: TestApp, admin: Client) {
    admin.create_role("Guard").await;
    admin.get("/api/roles?include=members").await.ok();
    let db = &app.core().db;
    let statements = db.statements().into_iter();
    let counts: Vec<_> = statements
        .filter(|sql| sql.contains("FROM user_totals"))
        .collect();
    assert_eq!(counts.len(), 1, "{counts:#?}");
    if !db.on_postgres() {
        let plan = db.plan(counts[0], &["'[1]'", "1"]).await.expect("a plan");
        for part in ["SEARCH t ", "SEARCH h USING COVERING INDEX user_roles_"] {
            assert!(plan.contains(part), "{plan}");
        }
    }
}

#[service_test]
async fn an_unknown_include_of_roles_gives_422(admin: Client) {
    admin.create_role("Guard").await;
    for path in ["/api/roles", "/api/roles/1"] {
        for include in ["", "permissions", "color,", "Color"] {
            let answer = admin.get(&format!("{path}?include={include}")).await;
            let fault = "must be one or more of color and members, separated by commas";
            answer.invalid(&[("include", fault)]);
        }
    }
}
