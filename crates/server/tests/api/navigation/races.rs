use std::collections::HashMap;

use reqwest::Method;
use serde_json::{Value, json};

use super::{ITEMS, REORDER, item, path, role, roles_path, single};
use crate::support::{Answer, Client, at_once};

type Call = (Method, String, Value);

/// Sends all calls at once; the answers are in the order of the calls.
async fn send_at_once(admin: &Client, calls: impl IntoIterator<Item = Call>) -> Vec<Answer> {
    at_once(calls.into_iter().map(|(method, path, body)| {
        let admin = admin.clone();
        async move { admin.send(method, &path, Some(body)).await }
    }))
    .await
}

fn move_below(id: i64, parent: i64) -> Call {
    (Method::PUT, path(id), json!({ "parent_id": parent }))
}

/// Every item and its parent.
async fn parents(admin: &Client) -> HashMap<i64, Option<i64>> {
    let list = admin.get("/api/navbar-items?per_page=100").await.ok();
    let items = list["navbar_items"].as_array().expect("a list");
    let known = |item: &Value| (super::id_of(item), item["parent_id"].as_i64());
    items.iter().map(known).collect()
}

/// Asserts that there is no cycle above any item.
fn assert_tree(parents: &HashMap<i64, Option<i64>>) {
    for start in parents.keys() {
        let mut at = *start;
        for _ in parents {
            match parents[&at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        assert_eq!(parents[&at], None, "a cycle above {start}: {parents:?}");
    }
}

#[service_test]
async fn of_two_concurrent_moves_that_form_a_cycle_one_gets_422(admin: Client) {
    let mut calls = Vec::new();
    for n in 0..30 {
        let one = item(&admin, json!({ "title": format!("One {n}") })).await;
        let other = item(&admin, json!({ "title": format!("Other {n}") })).await;
        calls.push(move_below(one, other));
        calls.push(move_below(other, one));
    }
    let answers = send_at_once(&admin, calls).await;
    for pair in answers.chunks(2) {
        let mut statuses: Vec<u16> = pair.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422], "{pair:?}");
    }
    assert_tree(&parents(&admin).await);
}

#[service_test]
async fn concurrent_moves_never_form_a_cycle(admin: Client) {
    let mut ring = Vec::new();
    for n in 0..60 {
        ring.push(item(&admin, json!({ "title": format!("Item {n}") })).await);
    }
    let next = |n: usize| ring[(n + 1) % ring.len()];
    let calls = ring.iter().enumerate();
    let calls = calls.map(|(n, id)| move_below(*id, next(n)));
    let answers = send_at_once(&admin, calls).await;

    let below = "must not be the item itself or one below it";
    let mut refused = 0;
    for answer in &answers {
        if answer.status != 200 {
            answer.invalid(&[("parent_id", below)]);
            refused += 1;
        }
    }
    assert_eq!(refused, 1);
    assert_tree(&parents(&admin).await);
}

#[service_test]
async fn a_parent_is_deleted_or_gets_a_child_but_not_both(admin: Client) {
    let (mut calls, mut tops) = (Vec::new(), Vec::new());
    let orphan = item(&admin, json!({ "title": "Orphan" })).await;
    for n in 0..30 {
        let top = item(&admin, json!({ "title": format!("Top {n}") })).await;
        let delete = (Method::DELETE, path(top), json!({}));
        let add = if n % 3 == 0 {
            move_below(orphan, top)
        } else {
            let body = json!({ "title": "Sub", "parent_id": top });
            (Method::POST, ITEMS.to_owned(), body)
        };
        if n % 2 == 0 {
            calls.extend([delete, add]);
        } else {
            calls.extend([add, delete]);
        }
        tops.push(top);
    }
    let answers = send_at_once(&admin, calls).await;
    let parents = parents(&admin).await;
    for (n, pair) in answers.chunks(2).enumerate() {
        let [delete, add] = if n % 2 == 0 {
            [&pair[0], &pair[1]]
        } else {
            [&pair[1], &pair[0]]
        };
        let is_move = n % 3 == 0;
        match delete.status {
            // A child may have been below the parent for a moment, before it moved on.
            200 if is_move && add.status == 200 => {}
            200 => add.invalid(&[("parent_id", "is not the id of a navigation item")]),
            _ => {
                delete.error(422, "has_children");
                assert!([200, 201].contains(&add.status), "{add:?}");
            }
        }
        assert_eq!(parents.contains_key(&tops[n]), delete.status != 200);
    }
    for parent in parents.values().flatten() {
        assert!(parents.contains_key(parent), "{parents:?}");
    }
    assert_tree(&parents);
}

#[service_test]
async fn of_many_concurrent_reorders_one_is_stored_whole(admin: Client) {
    let mut items = Vec::new();
    for n in 0..10 {
        items.push(item(&admin, json!({ "title": format!("Item {n}") })).await);
    }
    // Every reorder lists the items in another sequence, with its own positions.
    let order = |k: usize| {
        let place = |n: usize| json!({ "id": items[(n + k) % 10], "position": k * 100 + n });
        json!({ "items": (0..10).map(place).collect::<Vec<_>>() })
    };
    let calls = (0..60).map(|k| (Method::POST, REORDER.to_owned(), order(k)));
    for answer in send_at_once(&admin, calls).await {
        answer.ok();
    }

    let list = admin.get(ITEMS).await.ok();
    let list = list["navbar_items"].as_array().expect("a list");
    let places: Vec<Value> = list
        .iter()
        .map(|item| json!({ "id": item["id"], "position": item["position"] }))
        .collect();
    let first = list[0]["position"].as_u64().expect("a position") as usize;
    assert_eq!(json!({ "items": places }), order(first / 100));
}

#[service_test]
async fn a_concurrently_deleted_role_is_on_no_item(admin: Client) {
    let keep = role(&admin, "Keep").await;
    let (mut calls, mut items) = (Vec::new(), Vec::new());
    for n in 0..20 {
        let doomed = role(&admin, &format!("Doomed {n}")).await;
        let id = item(&admin, json!({ "title": "Staff", "roles": [doomed] })).await;
        let delete = format!("/api/roles/{doomed}");
        let both = json!({ "roles": [doomed, keep] });
        calls.push((Method::PUT, path(id), json!({ "roles": [keep] })));
        calls.push((Method::DELETE, delete, json!({})));
        calls.push((Method::POST, roles_path(id), both.clone()));
        calls.push((Method::PUT, path(id), both));
        items.push(id);
    }
    let answers = send_at_once(&admin, calls).await;
    for group in answers.chunks(4) {
        group[0].ok();
        group[1].ok();
        for answer in &group[2..] {
            if answer.status != 200 {
                answer.invalid(&[("roles.0", "is not the id of a role")]);
            }
        }
    }
    for id in items {
        let roles = single(&admin, id).await["roles"].clone();
        assert_eq!(roles, json!([{ "id": keep, "name": "Keep" }]));
    }
}
