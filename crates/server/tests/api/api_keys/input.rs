use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

async fn create(client: &Client, body: Value) -> Value {
    client.post("/api/api-keys", body).await.created()["api_key"].take()
}

#[service_test]
async fn a_key_is_active_by_default(app: TestApp, admin: Client) {
    for (body, active) in [
        (json!({ "name": "Shop" }), true),
        (json!({ "name": "Shop", "active": null }), true),
        (json!({ "name": "Shop", "active": true }), true),
        (json!({ "name": "Shop", "active": false }), false),
    ] {
        let key = create(&admin, body.clone()).await;
        assert_eq!(key["active"], active, "{body}");
        let holder = app.holder(key["key"].as_str().expect("a value"));
        let answer = holder.get("/api/permissions").await;
        assert_eq!(answer.status == 200, active, "{body}");
    }
}

#[service_test]
async fn active_must_be_a_boolean_422(admin: Client) {
    let fault = [("active", "must be true or false")];
    for like in [
        json!(1),
        json!(0),
        json!("true"),
        json!(""),
        json!([]),
        json!({}),
    ] {
        let body = json!({ "name": "Shop", "active": like });
        let answer = admin.post("/api/api-keys", body.clone()).await;
        answer.invalid(&fault);
        admin.put("/api/api-keys/1", body).await.invalid(&fault);
    }
    let body = json!({ "active": null });
    let fault = [("active", "must not be null")];
    admin.put("/api/api-keys/1", body).await.invalid(&fault);
    let listed = admin.get("/api/api-keys").await.ok();
    assert_eq!(listed["api_keys"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["api_keys"][0]["name"], "admin");
}

#[service_test]
async fn a_name_is_stored_unchanged(admin: Client) {
    for name in [
        "a".to_owned(),
        "x".repeat(100),
        "🦀".repeat(100),
        " between spaces ".to_owned(),
        "линия вторая \"'\\/<>&%_".to_owned(),
        "e\u{301} and \u{e9} are two spellings".to_owned(),
        "\u{202e}backwards\u{feff}".to_owned(),
        "Robert'); DROP TABLE api_keys;--".to_owned(),
    ] {
        let key = create(&admin, json!({ "name": name })).await;
        assert_eq!(key["name"], name);
        let path = format!("/api/api-keys/{}", key["id"]);
        assert_eq!(admin.get(&path).await.ok()["api_key"]["name"], name);
        let updated = admin.put(&path, json!({ "name": name })).await.ok();
        assert_eq!(updated["api_key"]["name"], name);
    }
}

#[service_test]
async fn a_name_has_1_to_100_characters_and_is_not_blank_422(admin: Client) {
    let length = "must be 1 to 100 characters long";
    for (name, fault) in [
        (json!(""), length),
        (json!("x".repeat(101)), length),
        (json!("🦀".repeat(101)), length),
        (json!(" "), "must not be blank"),
        (json!("\t\r\n"), "must not be blank"),
        (json!("\u{2003}\u{3000}"), "must not be blank"),
        (json!("a\0b"), "must not contain the NUL character"),
        (json!(7), "must be a string"),
        (json!(true), "must be a string"),
        (json!(["Shop"]), "must be a string"),
        (json!({ "name": "Shop" }), "must be a string"),
        (json!(null), "must not be null"),
    ] {
        let body = json!({ "name": name });
        let faults = [("name", fault)];
        let answer = admin.post("/api/api-keys", body.clone()).await;
        answer.invalid(&faults);
        admin.put("/api/api-keys/1", body).await.invalid(&faults);
    }
    let answer = admin.post("/api/api-keys", json!({ "active": true })).await;
    answer.invalid(&[("name", "is required")]);
    let listed = admin.get("/api/api-keys").await.ok();
    assert_eq!(listed["api_keys"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["api_keys"][0]["name"], "admin");
}

#[service_test]
async fn all_faults_of_an_api_key_are_in_one_422(admin: Client) {
    let body = json!({ "name": "", "active": "yes" });
    let faults = [
        ("name", "must be 1 to 100 characters long"),
        ("active", "must be true or false"),
    ];
    let answer = admin.post("/api/api-keys", body.clone()).await;
    answer.invalid(&faults);
    admin.put("/api/api-keys/1", body).await.invalid(&faults);
}

#[service_test]
async fn an_update_without_fields_changes_nothing_not_even_the_etag(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let path = format!("/api/api-keys/{id}");
    admin.put(&path, json!({ "name": "Shop" })).await.ok();
    let before = admin.get(&path).await;

    app.advance(60);
    let updated = admin.put(&path, json!({})).await.ok();
    let after = admin.get(&path).await;
    assert_eq!(after.ok(), before.ok());
    assert_eq!(after.header("etag"), before.header("etag"));
    let mut without_permissions = after.ok()["api_key"].take();
    let fields = without_permissions.as_object_mut().expect("an object");
    fields.shift_remove("permissions");
    assert_eq!(updated["api_key"], without_permissions);
    holder.get("/api/roles").await.ok();
}

#[service_test]
async fn an_update_keeps_absent_fields(admin: Client) {
    let key = create(&admin, json!({ "name": "Shop", "active": false })).await;
    let path = format!("/api/api-keys/{}", key["id"]);
    let updated = admin.put(&path, json!({ "name": "Till" })).await.ok();
    assert_eq!(updated["api_key"]["active"], false);
    let updated = admin.put(&path, json!({ "active": true })).await.ok();
    assert_eq!(updated["api_key"]["name"], "Till");
    assert_eq!(updated["api_key"]["active"], true);
}

#[service_test]
async fn create_and_update_ignore_values_and_times_and_an_update_permissions(app: TestApp) {
    let admin = app.admin();
    let body = json!({
        "name": "Shop", "id": 77, "key": "chosen-by-the-caller", "permissions": [1],
        "created_at": "2000-01-01T00:00:00Z", "expires_at": 1, "first": true,
        "all_permissions": true,
    });
    let key = create(&admin, body.clone()).await;
    assert_eq!(key["id"], 2);
    assert_eq!(key["created_at"], "2026-03-01T12:00:00Z");
    let value = key["key"].as_str().expect("a value");
    assert_ne!(value, "chosen-by-the-caller");
    admin.put("/api/api-keys/2", body).await.ok();
    let ids = json!({ "permission_ids": [1] });
    admin.put("/api/api-keys/2", ids).await.ok();
    let single = admin.get("/api/api-keys/2").await.ok();
    assert_eq!(single["api_key"]["created_at"], "2026-03-01T12:00:00Z");
    assert_eq!(single["api_key"]["permissions"], json!([]));
    let own = app.holder(value).get("/api/permissions").await.ok();
    assert_eq!(own["permissions"], json!([]));
}

#[service_test]
async fn permission_ids_of_a_new_key_are_its_permissions(app: TestApp, admin: Client) {
    let body = json!({ "name": "Bot", "permission_ids": [13, 11, 13] });
    let created = admin.post("/api/api-keys", body).await;
    // The reply has the documented fields and no others.
    let fields = ["id", "name", "key", "active", "created_at"];
    assert_fields(&created.created()["api_key"], &fields);
    let single = admin.get(created.header("location")).await;
    let permissions = single.ok()["api_key"]["permissions"].clone();
    let names = [&permissions[0]["name"], &permissions[1]["name"]];
    assert_eq!(names, ["admin.roles.read", "admin.users.read"]);
    assert_eq!(single.header("etag"), created.header("etag"));
    let key = created.json()["api_key"]["key"].clone();
    let bot = app.holder(key.as_str().expect("a value"));
    bot.get("/api/roles").await.ok();
    let answer = bot.get("/api/servers").await;
    answer.forbidden("admin.servers.read");
    let after = &admin.newest_audit_entry().await["after"]["permissions"];
    assert_eq!(after, &json!(["admin.roles.read", "admin.users.read"]));

    for none in [json!([]), json!(null)] {
        let key = create(&admin, json!({ "name": "Bot", "permission_ids": none })).await;
        let path = format!("/api/api-keys/{}", key["id"]);
        let single = admin.get(&path).await.ok();
        assert_eq!(single["api_key"]["permissions"], json!([]));
    }
    let wrong = json!({ "name": " ", "permission_ids": [1, 99] });
    admin.post("/api/api-keys", wrong).await.invalid(&[
        ("name", "must not be blank"),
        ("permission_ids.1", "is not the id of a permission"),
    ]);
}

#[service_test]
async fn permission_ids_must_be_in_the_catalogue_422(app: TestApp, admin: Client) {
    let (id, holder) = app.key(&["admin.users"]).await;
    let path = format!("/api/api-keys/{id}/permissions");
    let set = async |ids: Value| admin.put(&path, json!({ "permission_ids": ids })).await;

    let unknown = "is not the id of a permission";
    let odd = json!([
        5, 0, -1, 99, i64::MAX, u64::MAX, 1.5, "5", true, null, [5], { "id": 5 }, 5
    ]);
    let paths: Vec<String> = (1..12).map(|i| format!("permission_ids.{i}")).collect();
    let faults: Vec<_> = paths.iter().map(|path| (path.as_str(), unknown)).collect();
    set(odd).await.invalid(&faults);

    let list = "must be a list of ids";
    for wrong in [
        json!(5),
        json!("5"),
        json!("[5]"),
        json!({ "0": 5 }),
        json!(true),
    ] {
        set(wrong).await.invalid(&[("permission_ids", list)]);
    }
    let answer = set(json!(null)).await;
    answer.invalid(&[("permission_ids", "must not be null")]);
    let missing = admin.put(&path, json!({})).await;
    missing.invalid(&[("permission_ids", "is required")]);

    let own = holder.get("/api/permissions").await.ok();
    assert_eq!(own["permissions"][0]["id"], 5);
    assert_eq!(own["permissions"].as_array().map(Vec::len), Some(1));
}

#[service_test]
async fn repeated_permission_ids_are_one_permission(admin: Client) {
    create(&admin, json!({ "name": "Shop" })).await;
    let path = "/api/api-keys/2/permissions";
    let body = json!({ "permission_ids": vec![7; 1000] });
    let updated = admin.put(path, body).await.ok();
    assert_eq!(
        updated["api_key"]["permissions"].as_array().map(Vec::len),
        Some(1)
    );
    let body = json!({ "permission_ids": vec![7; 100_000] });
    let too_long = ("permission_ids", "must hold at most 1000 ids");
    admin.put(path, body).await.invalid(&[too_long]);
}
