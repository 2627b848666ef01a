use serde_json::{Value, json};

use super::{ITEMS, ids, item, listed, path, single};
use crate::support::Client;

const BELOW: &str = "must not be the item itself or one below it";
const MISSING: &str = "is not the id of a navigation item";

/// A chain of items, each the parent of the next.
async fn chain(admin: &Client, length: usize) -> Vec<i64> {
    let mut chain: Vec<i64> = Vec::new();
    for n in 0..length {
        let body = json!({ "title": format!("Level {n}"), "parent_id": chain.last() });
        chain.push(item(admin, body).await);
    }
    chain
}

async fn parent(admin: &Client, id: i64) -> Value {
    single(admin, id).await["parent_id"].clone()
}

#[service_test]
async fn children_are_direct_and_ordered(admin: Client) {
    let top = item(&admin, json!({ "title": "Top" })).await;
    let mut below = Vec::new();
    for position in [2, 1, 1, 0] {
        let body = json!({ "title": "Sub", "position": position, "parent_id": top });
        below.push(item(&admin, body).await);
    }
    let deep = item(&admin, json!({ "title": "Deep", "parent_id": below[0] })).await;

    let children = single(&admin, top).await["children"].clone();
    assert_eq!(ids(&children), [below[3], below[1], below[2], below[0]]);
    let grandchildren = single(&admin, below[0]).await["children"].clone();
    assert_eq!(ids(&grandchildren), [deep]);
    assert_eq!(single(&admin, deep).await["children"], json!([]));
}

#[service_test]
async fn an_item_below_itself_gives_422(admin: Client) {
    let chain = chain(&admin, 4).await;
    for below in &chain {
        let body = json!({ "parent_id": below });
        let faults = [("parent_id", BELOW)];
        admin.put(&path(chain[0]), body).await.invalid(&faults);
    }
    assert_eq!(parent(&admin, chain[0]).await, Value::Null);

    let body = json!({ "parent_id": chain[0] });
    admin.put(&path(chain[3]), body).await.ok();
    let body = json!({ "parent_id": chain[3] });
    admin.put(&path(chain[1]), body).await.ok();
    assert_eq!(parent(&admin, chain[1]).await, chain[3]);
}

#[service_test]
async fn an_unknown_parent_gives_422(admin: Client) {
    let id = item(&admin, json!({ "title": "Home" })).await;
    for missing in [json!(99), json!(i64::MAX)] {
        let faults = [("parent_id", MISSING)];
        let body = json!({ "title": "Sub", "parent_id": missing });
        admin.post(ITEMS, body.clone()).await.invalid(&faults);
        admin.put(&path(id), body).await.invalid(&faults);
    }
    for malformed in [json!(0), json!(-1), json!("1"), json!(1.5), json!([1])] {
        let faults = [("parent_id", "must be an integer of at least 1")];
        let body = json!({ "title": "Sub", "parent_id": malformed });
        admin.post(ITEMS, body.clone()).await.invalid(&faults);
        admin.put(&path(id), body).await.invalid(&faults);
    }
    // The next id does not exist yet.
    let body = json!({ "title": "Sub", "parent_id": id + 1 });
    let faults = [("parent_id", MISSING)];
    admin.post(ITEMS, body).await.invalid(&faults);
    assert_eq!(listed(&admin).await, [id]);
}

#[service_test]
async fn deleting_an_item_with_children_gives_422(admin: Client) {
    let chain = chain(&admin, 3).await;
    for id in &chain[..2] {
        admin.delete(&path(*id)).await.error(422, "has_children");
    }
    assert_eq!(listed(&admin).await, chain);
    for id in chain.iter().rev() {
        admin.delete(&path(*id)).await.ok();
    }
    assert_eq!(listed(&admin).await, Vec::<i64>::new());
}

#[service_test]
async fn a_parent_can_be_deleted_after_its_child_moved(admin: Client) {
    let chain = chain(&admin, 2).await;
    let body = json!({ "parent_id": null });
    admin.put(&path(chain[1]), body).await.ok();
    admin.delete(&path(chain[0])).await.ok();
    assert_eq!(listed(&admin).await, [chain[1]]);
}
