use reqwest::Method;
use serde_json::{Value, json};

use super::{ITEMS, ids, item, path, role, roles_path, single};
use crate::support::{Answer, Client, assert_fields};

async fn add(admin: &Client, id: i64, roles: Value) -> Answer {
    admin.post(&roles_path(id), json!({ "roles": roles })).await
}

async fn remove(admin: &Client, id: i64, roles: Value) -> Answer {
    let body = json!({ "roles": roles });
    admin
        .send(Method::DELETE, &roles_path(id), Some(body))
        .await
}

async fn role_ids_of(admin: &Client, id: i64) -> Vec<i64> {
    ids(&admin.get(&roles_path(id)).await.ok()["roles"])
}

#[service_test]
async fn roles_are_listed_with_their_colours(admin: Client) {
    let id = item(&admin, json!({ "title": "Staff" })).await;
    let expected = json!({ "roles": [] });
    assert_eq!(admin.get(&roles_path(id)).await.ok(), expected);

    let guard = role(&admin, "Guard").await;
    let judge = role(&admin, "Judge").await;
    add(&admin, id, json!([judge, guard])).await.ok();
    let list = admin.get(&roles_path(id)).await;
    assert_eq!(
        list.ok(),
        json!({ "roles": [
            { "id": guard, "name": "Guard", "color": "#123456" },
            { "id": judge, "name": "Judge", "color": "#123456" },
        ] })
    );
    assert_eq!(list.header("x-total-count"), "2");
    let expected = json!([{ "id": guard, "name": "Guard" }, { "id": judge, "name": "Judge" }]);
    assert_eq!(single(&admin, id).await["roles"], expected);
}

#[service_test]
async fn adding_and_removing_roles_is_idempotent(admin: Client) {
    let mut roles = Vec::new();
    for name in ["A", "B", "C"] {
        roles.push(role(&admin, name).await);
    }
    let [a, b, c] = roles[..] else {
        panic!("three roles")
    };
    let id = item(&admin, json!({ "title": "Staff" })).await;
    let other = item(&admin, json!({ "title": "Other", "roles": [a, b, c] })).await;

    for _ in 0..2 {
        let added = add(&admin, id, json!([a, b, a])).await.ok();
        assert_fields(&added, &["message"]);
        assert_eq!(role_ids_of(&admin, id).await, [a, b]);
    }
    add(&admin, id, json!([c])).await.ok();
    assert_eq!(role_ids_of(&admin, id).await, [a, b, c]);
    for _ in 0..2 {
        let removed = remove(&admin, id, json!([b, c, b])).await.ok();
        assert_fields(&removed, &["message"]);
        assert_eq!(role_ids_of(&admin, id).await, [a]);
    }
    add(&admin, id, json!([])).await.ok();
    remove(&admin, id, json!([])).await.ok();
    assert_eq!(role_ids_of(&admin, id).await, [a]);
    assert_eq!(role_ids_of(&admin, other).await, [a, b, c]);
}

#[service_test]
async fn an_unknown_role_gives_422(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Staff", "roles": [guard] })).await;
    let unknown = "is not the id of a role";
    let integer = "must be an integer of at least 1";
    let cases = [
        (json!([guard, 99]), vec![("roles.1", unknown)]),
        (
            json!([99, 98]),
            vec![("roles.0", unknown), ("roles.1", unknown)],
        ),
        (
            json!([0, "1", 1.5]),
            vec![
                ("roles.0", integer),
                ("roles.1", integer),
                ("roles.2", integer),
            ],
        ),
        (json!(guard), vec![("roles", "must be a list of ids")]),
        (Value::Null, vec![("roles", "must not be null")]),
    ];
    for (roles, faults) in cases {
        add(&admin, id, roles.clone()).await.invalid(&faults);
        remove(&admin, id, roles.clone()).await.invalid(&faults);
        let body = json!({ "roles": roles });
        admin.put(&path(id), body).await.invalid(&faults);
        assert_eq!(role_ids_of(&admin, id).await, [guard]);
    }
    let required = [("roles", "is required")];
    let body = json!({});
    admin.post(&roles_path(id), body).await.invalid(&required);
    let empty = Some(json!({}));
    let answer = admin.send(Method::DELETE, &roles_path(id), empty).await;
    answer.invalid(&required);
    let bare = admin.delete(&roles_path(id)).await;
    bare.error(422, "missing_body");
    assert_eq!(role_ids_of(&admin, id).await, [guard]);
}

#[service_test]
async fn create_sets_the_list_and_update_replaces_it(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let judge = role(&admin, "Judge").await;
    let body = json!({ "title": "Staff", "roles": [judge, guard, judge] });
    let id = item(&admin, body).await;
    assert_eq!(role_ids_of(&admin, id).await, [guard, judge]);

    admin.put(&path(id), json!({ "roles": [judge] })).await.ok();
    assert_eq!(role_ids_of(&admin, id).await, [judge]);
    admin.put(&path(id), json!({ "title": "Crew" })).await.ok();
    assert_eq!(role_ids_of(&admin, id).await, [judge]);
    admin.put(&path(id), json!({ "roles": [] })).await.ok();
    assert_eq!(role_ids_of(&admin, id).await, Vec::<i64>::new());
}

#[service_test]
async fn a_deleted_role_is_removed_from_every_item(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let judge = role(&admin, "Judge").await;
    let one = item(&admin, json!({ "title": "One", "roles": [guard, judge] })).await;
    let two = item(&admin, json!({ "title": "Two", "roles": [guard] })).await;
    let tag = admin.etag(&path(one)).await;

    admin.delete(&format!("/api/roles/{guard}")).await.ok();
    assert_eq!(role_ids_of(&admin, one).await, [judge]);
    assert_eq!(role_ids_of(&admin, two).await, Vec::<i64>::new());
    let expected = json!([{ "id": judge, "name": "Judge" }]);
    assert_eq!(single(&admin, one).await["roles"], expected);
    assert_ne!(admin.get(&path(one)).await.header("etag"), tag);
    let stale = admin.with("If-Match", &tag);
    let answer = stale.put(&path(one), json!({ "title": "New" })).await;
    answer.error(412, "precondition_failed");
}

#[service_test]
async fn deleting_an_item_keeps_its_roles(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Staff", "roles": [guard] })).await;
    admin.delete(&path(id)).await.ok();
    assert_eq!(admin.get("/api/roles").await.ok()["roles"][0]["id"], guard);
    admin.get(&roles_path(id)).await.not_found();
    assert_eq!(admin.get(ITEMS).await.ok()["navbar_items"], json!([]));
}
