//! Audit entries, If-Match and Idempotency-Key of navigation items.

use reqwest::Method;
use serde_json::{Value, json};

use super::{ITEMS, REORDER, item, listed, path, role, roles_path, single};
use crate::support::{Client, TestApp};

/// The newest audit entry.
async fn last_entry(admin: &Client) -> Value {
    let log = admin.get("/api/audit-log?per_page=1").await.ok();
    let entry = &log["audit_log"][0];
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

#[tokio::test(flavor = "multi_thread")]
async fn entries_contain_what_changed() {
    let app = TestApp::start().await;
    let admin = app.admin();
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

#[tokio::test(flavor = "multi_thread")]
async fn a_reorder_is_one_entry_with_the_changed_positions() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let one = item(&admin, json!({ "title": "One" })).await;
    let two = item(&admin, json!({ "title": "Two", "position": 4 })).await;
    let body = json!({ "items": [{ "id": one, "position": 7 }, { "id": two, "position": 4 }] });
    admin.post(REORDER, body).await.ok();
    let before = json!({ "positions": { one.to_string(): 0 } });
    let after = json!({ "positions": { one.to_string(): 7 } });
    assert_eq!(last_entry(&admin).await, entry("reorder", 0, before, after));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_write_leaves_no_entry() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let top = item(&admin, json!({ "title": "Top" })).await;
    item(&admin, json!({ "title": "Sub", "parent_id": top })).await;
    let before = last_entry(&admin).await;
    admin.delete(&path(top)).await.error(422, "has_children");
    let body = json!({ "parent_id": top });
    admin
        .put(&path(top), body)
        .await
        .error(422, "validation_failed");
    let body = json!({ "items": [{ "id": top, "position": 1 }, { "id": 99, "position": 1 }] });
    admin
        .post(REORDER, body)
        .await
        .error(422, "validation_failed");
    assert_eq!(last_entry(&admin).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_etag_changes_with_every_field_an_update_can_set() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Home" })).await;
    let other = item(&admin, json!({ "title": "Other" })).await;
    let tag = async || admin.get(&path(id)).await.header("etag").to_owned();
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

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_if_match_gives_412_for_every_write() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let guard = role(&admin, "Guard").await;
    let id = item(&admin, json!({ "title": "Home" })).await;
    let tag = admin.get(&path(id)).await.header("etag").to_owned();
    admin.put(&path(id), json!({ "title": "New" })).await.ok();
    let before = single(&admin, id).await;

    let stale = admin.with("If-Match", &tag);
    let roles = || Some(json!({ "roles": [guard] }));
    for (method, path, body) in [
        (Method::PUT, path(id), Some(json!({ "title": "Old" }))),
        (Method::POST, roles_path(id), roles()),
        (Method::DELETE, roles_path(id), roles()),
        (Method::DELETE, path(id), None),
    ] {
        let answer = stale.send(method, &path, body).await;
        answer.error(412, "changed_meanwhile");
    }
    assert_eq!(single(&admin, id).await, before);

    let tag = admin.get(&path(id)).await.header("etag").to_owned();
    let fresh = admin.with("If-Match", &tag);
    fresh.delete(&path(id)).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_repeated_with_its_idempotency_key_runs_once() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let guard = role(&admin, "Guard").await;
    let create = admin.with("Idempotency-Key", "create");
    let body = json!({ "title": "Home", "roles": [guard] });
    let first = create.post(ITEMS, body.clone()).await.created();
    let second = create.post(ITEMS, body).await;
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!(second.created(), first);
    let items = listed(&admin).await;
    assert_eq!(items.len(), 1);

    // The body of a DELETE is part of the request, too.
    let remove = admin.with("Idempotency-Key", "remove");
    let path = roles_path(items[0]);
    let send = async |roles: Value| {
        let body = Some(json!({ "roles": roles }));
        remove.send(Method::DELETE, &path, body).await
    };
    send(json!([guard])).await.ok();
    assert_eq!(
        send(json!([guard])).await.header("idempotent-replayed"),
        "true"
    );
    send(json!([])).await.error(422, "idempotency_key_reused");
}
