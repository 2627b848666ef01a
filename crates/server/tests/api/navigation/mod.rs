//! Navigation items.

mod audit;
mod input;
mod list;
mod model;
mod races;
mod reorder;
mod role_visibility;
mod tree;

use serde_json::{Value, json};

use crate::support::{Client, assert_fields};

const ITEMS: &str = "/api/navbar-items";
const REORDER: &str = "/api/navbar-items/reorder";

const BASE: [&str; 10] = [
    "id",
    "title",
    "url",
    "new_tab",
    "icon",
    "position",
    "visible_only_for_guests",
    "visible_only_for_logged_in",
    "visibility",
    "parent_id",
];

fn path(id: i64) -> String {
    format!("{ITEMS}/{id}")
}

fn roles_path(id: i64) -> String {
    format!("{ITEMS}/{id}/roles")
}

#[track_caller]
fn id_of(body: &Value) -> i64 {
    body["id"].as_i64().expect("an id")
}

#[track_caller]
fn ids(list: &Value) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(id_of).collect()
}

/// A new item, by its id.
async fn item(admin: &Client, body: Value) -> i64 {
    let created = admin.post(ITEMS, body).await.created();
    id_of(&created["navbar_item"])
}

/// A new role, by its id.
async fn role(admin: &Client, name: &str) -> i64 {
    let body = json!({ "name": name, "color": "#123456" });
    let created = admin.post("/api/roles", body).await.created();
    id_of(&created["role"])
}

async fn single(admin: &Client, id: i64) -> Value {
    admin.get(&path(id)).await.ok()["navbar_item"].clone()
}

/// The ids of all items, in the order of the list; at most 100.
async fn listed(admin: &Client) -> Vec<i64> {
    let list = admin.get("/api/navbar-items?per_page=100").await.ok();
    ids(&list["navbar_items"])
}

#[service_test]
async fn an_item_lives_from_create_to_delete(admin: Client) {
    let guard = role(&admin, "Guard").await;

    let body = json!({
        "title": "Shop",
        "url": "https://example.com/shop",
        "new_tab": true,
        "icon": "cart",
        "position": 3,
        "visible_only_for_guests": false,
        "visible_only_for_logged_in": true,
        "visibility": "mobile",
        "parent_id": null,
        "roles": [guard],
    });
    let created = admin.post(ITEMS, body).await.created();
    assert_fields(&created, &["message", "navbar_item"]);
    let id = id_of(&created["navbar_item"]);
    let shop = json!({
        "id": id,
        "title": "Shop",
        "url": "https://example.com/shop",
        "new_tab": true,
        "icon": "cart",
        "position": 3,
        "visible_only_for_guests": false,
        "visible_only_for_logged_in": true,
        "visibility": "mobile",
        "parent_id": null,
    });
    assert_eq!(created["navbar_item"], shop);

    let list = admin.get(ITEMS).await.ok();
    assert_eq!(list, json!({ "navbar_items": [shop] }));

    let body = json!({ "title": "Store", "position": 4 });
    let updated = admin.put(&path(id), body).await.ok();
    assert_fields(&updated, &["message", "navbar_item"]);
    let mut store = shop.clone();
    store["title"] = json!("Store");
    store["position"] = json!(4);
    assert_eq!(updated["navbar_item"], store);

    let child = item(&admin, json!({ "title": "Sale", "parent_id": id })).await;
    let shown = admin.get(&path(id)).await.ok();
    assert_fields(&shown, &["navbar_item"]);
    let mut detail = store.clone();
    detail["roles"] = json!([{ "id": guard, "name": "Guard" }]);
    detail["children"] = json!([{
        "id": child,
        "title": "Sale",
        "url": null,
        "new_tab": false,
        "icon": null,
        "position": 0,
        "visible_only_for_guests": false,
        "visible_only_for_logged_in": false,
        "visibility": "all",
        "parent_id": id,
    }]);
    assert_eq!(shown["navbar_item"], detail);

    admin.delete(&path(child)).await.ok();
    let deleted = admin.delete(&path(id)).await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get(&path(id)).await.not_found();
    assert_eq!(listed(&admin).await, Vec::<i64>::new());
}

#[service_test]
async fn only_the_title_is_required_and_null_means_absent(admin: Client) {
    let plain = admin.post(ITEMS, json!({ "title": "Home" })).await;
    let plain = plain.created()["navbar_item"].clone();
    assert_fields(&plain, &BASE);

    let mut body = json!({ "title": "Home", "roles": null });
    for field in &BASE[2..] {
        body[*field] = Value::Null;
    }
    let mut nulls = admin.post(ITEMS, body).await.created()["navbar_item"].clone();
    nulls["id"] = plain["id"].clone();
    assert_eq!(nulls, plain);
}

#[service_test]
async fn an_update_of_an_item_keeps_absent_fields_and_null_clears_nullable_ones(admin: Client) {
    let parent = item(&admin, json!({ "title": "Top" })).await;
    let guard = role(&admin, "Guard").await;
    let full = json!({
        "title": "Shop", "url": "/shop", "icon": "cart", "new_tab": true, "position": 7,
        "visible_only_for_guests": true, "visibility": "desktop", "parent_id": parent,
        "roles": [guard],
    });
    let id = item(&admin, full).await;
    let before = single(&admin, id).await;
    let tag = admin.etag(&path(id)).await;

    admin.put(&path(id), json!({})).await.ok();
    assert_eq!(single(&admin, id).await, before);
    assert_eq!(admin.get(&path(id)).await.header("etag"), tag);

    let body = json!({ "url": null, "icon": null, "parent_id": null });
    admin.put(&path(id), body).await.ok();
    let mut cleared = before;
    for field in ["url", "icon", "parent_id"] {
        cleared[field] = Value::Null;
    }
    assert_eq!(single(&admin, id).await, cleared);

    let mut body = json!({ "roles": null });
    let fixed = [
        "title",
        "new_tab",
        "position",
        "visible_only_for_guests",
        "visible_only_for_logged_in",
        "visibility",
        "roles",
    ];
    for field in fixed {
        body[field] = Value::Null;
    }
    let faults = fixed.map(|field| (field, "must not be null"));
    admin.put(&path(id), body).await.invalid(&faults);
    assert_eq!(single(&admin, id).await, cleared);
}
