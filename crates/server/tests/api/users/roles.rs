use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields, new_user};

async fn create_roles(app: &TestApp) {
    for name in ["Guard", "Cook", "Smith"] {
        let body = json!({ "name": name, "description": format!("A {name}") });
        app.admin().post("/api/roles", body).await.created();
    }
}

fn ids(user: &Value) -> Vec<i64> {
    let roles = user["roles"].as_array().expect("a list");
    let ids = roles.iter().map(|role| role["id"].as_i64());
    ids.collect::<Option<_>>().expect("ids")
}

#[service_test]
async fn roles_are_replaced_as_a_whole(app: TestApp, admin: Client) {
    create_roles(&app).await;
    app.user("anna").await;
    let set = async |ids: Value| {
        let body = json!({ "role_ids": ids });
        admin.put("/api/users/1/roles", body).await
    };

    let updated = set(json!([3, 1, 3, 1.0])).await.ok();
    assert_fields(&updated, &["message", "user"]);
    assert_eq!(
        updated["user"],
        json!({
            "id": 1,
            "username": "anna",
            "email": "anna@example.com",
            "roles": [
                { "id": 1, "name": "Guard", "description": "A Guard" },
                { "id": 3, "name": "Smith", "description": "A Smith" },
            ],
        })
    );
    let single = admin.get("/api/users/1").await;
    assert_eq!(single.ok()["user"]["roles"], updated["user"]["roles"]);

    assert_eq!(ids(&set(json!([2])).await.ok()["user"]), [2]);
    let known = "must be an integer of at least 1";
    let answer = set(json!([2, 0, "1", 1.5, null])).await;
    answer.invalid(&[
        ("role_ids.1", known),
        ("role_ids.2", known),
        ("role_ids.3", known),
        ("role_ids.4", known),
    ]);
    let unknown = "is not the id of a role";
    let answer = set(json!([9, 2, 8])).await;
    answer.invalid(&[("role_ids.0", unknown), ("role_ids.2", unknown)]);
    let answer = set(json!(2)).await;
    answer.invalid(&[("role_ids", "must be a list of ids")]);
    let answer = admin.put("/api/users/1/roles", json!({})).await;
    answer.invalid(&[("role_ids", "is required")]);
    assert_eq!(ids(&admin.get("/api/users/1").await.ok()["user"]), [2]);

    assert!(ids(&set(json!([])).await.ok()["user"]).is_empty());
}

#[service_test]
async fn a_user_can_be_created_with_roles(app: TestApp, admin: Client) {
    create_roles(&app).await;
    let mut body = new_user("anna");
    body["role_ids"] = json!([2, 3, 2]);
    admin.post("/api/users", body).await.created();
    let single = admin.get("/api/users/1").await;
    assert_eq!(ids(&single.ok()["user"]), [2, 3]);

    let mut body = new_user("berta");
    body["role_ids"] = json!([2, 4]);
    let answer = admin.post("/api/users", body).await;
    answer.invalid(&[("role_ids.1", "is not the id of a role")]);
    assert_eq!(admin.total("/api/users").await, "1");
}

#[service_test]
async fn a_changed_or_deleted_role_shows_at_once_and_changes_the_etag(app: TestApp, admin: Client) {
    create_roles(&app).await;
    let mut body = new_user("anna");
    body["role_ids"] = json!([1, 2]);
    admin.post("/api/users", body).await.created();
    let tag = admin.etag("/api/users/1").await;

    let body = json!({ "name": "Sentry" });
    admin.put("/api/roles/1", body).await.ok();
    let renamed = admin.with("If-None-Match", &tag).get("/api/users/1").await;
    assert_eq!(renamed.ok()["user"]["roles"][0]["name"], "Sentry");

    admin.delete("/api/roles/1").await.ok();
    assert_eq!(ids(&admin.get("/api/users/1").await.ok()["user"]), [2]);
}
