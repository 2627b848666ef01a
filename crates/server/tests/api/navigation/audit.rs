//! Audit entries and ETags of navigation items.

use reqwest::Method;
use serde_json::{Value, json};

use super::{REORDER, item, path, role, roles_path};
use crate::support::Client;

/// The newest audit entry.
async fn last_entry(admin: &Client) -> Value {
    let entry = admin.newest_audit_entry().await;
    json!({
        "action": entry["action"],
        "resource": entry["resource"],
        "resource_id": entry["resource_id"],
        "before": entry["before"],
        "after": entry["after"],
    })
}

fn entry(verb: &str, id: i64, before: Value, after: Value) -> Value {
    json!({
        "action": format!("navbar_items.{verb}"),
        "resource": "navbar_items",
        "resource_id": id,
        "before": before,
        "after": after,
    })
}

#[service_test]
async fn entries_contain_the_changed_fields(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let judge = role(&admin, "Judge").await;
    let id = item(&admin, json!({ "title": "Staff", "roles": [guard] })).await;
    let state = |title: &str, roles: Value| {
        json!({
            "id": id, "title": title, "url": null, "new_tab": false, "icon": null, "position": 0,
            "visible_only_for_guests": false, "visible_only_for_logged_in": false,
            "visibility": "all", "parent_id": null, "roles": roles,
        })
    };
    let created = entry("create", id, json!({}), state("Staff", json!([guard])));
    assert_eq!(last_entry(&admin).await, created);

    let body = json!({ "title": "Crew", "visibility": "all", "roles": [judge] });
    admin.put(&path(id), body).await.ok();
    let before = json!({ "title": "Staff", "roles": [guard] });
    let after = json!({ "title": "Crew", "roles": [judge] });
    assert_eq!(last_entry(&admin).await, entry("update", id, before, after));

    let body = json!({ "roles": [guard] });
    admin.post(&roles_path(id), body.clone()).await.ok();
    let (one, two) = (
        json!({ "roles": [judge] }),
        json!({ "roles": [guard, judge] }),
    );
    let added = entry("add_roles", id, one.clone(), two.clone());
    assert_eq!(last_entry(&admin).await, added);
    admin.post(&roles_path(id), body.clone()).await.ok();
    let again = entry("add_roles", id, json!({}), json!({}));
    assert_eq!(last_entry(&admin).await, again);
    let at = roles_path(id);
    admin.send(Method::DELETE, &at, Some(body)).await.ok();
    let removed = entry("remove_roles", id, two, one);
    assert_eq!(last_entry(&admin).await, removed);

    admin.delete(&path(id)).await.ok();
    let deleted = entry("delete", id, state("Crew", json!([judge])), json!({}));
    assert_eq!(last_entry(&admin).await, deleted);
}

#[service_test]
async fn a_reorder_is_one_entry_with_the_changed_positions(admin: Client) {
    let one = item(&admin, json!({ "title": "One" })).await;
    let two = item(&admin, json!({ "title": "Two", "position": 4 })).await;
    let body = json!({ "items": [{ "id": one, "position": 7 }, { "id": two, "position": 4 }] });
    admin.post(REORDER, body).await.ok();
    let before = json!({ "positions": { one.to_string(): 0 } });
    let after = json!({ "positions": { one.to_string(): 7 } });
    assert_eq!(last_entry(&admin).await, entry("reorder", 0, before, after));
}

#[service_test]
async fn a_refused_write_leaves_no_entry(admin: Client) {
    let top = item(&admin, json!({ "title": "Top" })).await;
    item(&admin, json!({ "title": "Sub", "parent_id": top })).await;
    let before = last_entry(&admin).await;
    admin.delete(&path(top)).await.error(422, "has_children");
    let body = json!({ "parent_id": top });
    let answer = admin.put(&path(top), body).await;
    answer.error(422, "validation_failed");
    let body = json!({ "items": [{ "id": top, "position": 1 }, { "id": 99, "position": 1 }] });
    let answer = admin.post(REORDER, body).await;
    answer.error(422, "validation_failed");
    assert_eq!(last_entry(&admin).await, before);
}

#[service_test]
async fn the_etag_of_an_item_changes_with_every_field_an_update_can_set(admin: Client) {
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Home" })).await;
    let other = item(&admin, json!({ "title": "Other" })).await;
    let tag = async || admin.etag(&path(id)).await;
    let mut known = vec![tag().await];
    for change in [
        json!({ "title": "New" }),
        json!({ "url": "/" }),
        json!({ "new_tab": true }),
        json!({ "icon": "x" }),
        json!({ "position": 1 }),
        json!({ "visible_only_for_guests": true }),
        json!({ "visible_only_for_guests": false, "visible_only_for_logged_in": true }),
        json!({ "visibility": "mobile" }),
        json!({ "parent_id": other }),
        json!({ "roles": [guard] }),
    ] {
        admin.put(&path(id), change.clone()).await.ok();
        let now = tag().await;
        assert!(!known.contains(&now), "{change}");
        known.push(now);
    }
    let now = tag().await;
    admin.put(&path(id), json!({})).await.ok();
    assert_eq!(tag().await, now);
}
