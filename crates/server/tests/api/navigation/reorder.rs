use serde_json::{Value, json};

use super::{REORDER, item, listed, path, single};
use crate::support::{Client, assert_fields};

const UNKNOWN: &str = "is not the id of a navigation item";
const REPEATED: &str = "must not be repeated";

async fn three(admin: &Client) -> [i64; 3] {
    let mut made = [0; 3];
    for (n, id) in made.iter_mut().enumerate() {
        let body = json!({ "title": format!("Item {n}"), "position": n });
        *id = item(admin, body).await;
    }
    made
}

#[service_test]
async fn items_get_their_new_positions(admin: Client) {
    let [a, b, c] = three(&admin).await;
    assert_eq!(listed(&admin).await, [a, b, c]);

    let items = json!([
        { "id": a, "position": 2_147_483_647 },
        { "id": c, "position": 0 },
    ]);
    let reordered = admin.post(REORDER, json!({ "items": items })).await.ok();
    assert_fields(&reordered, &["message"]);
    assert_eq!(listed(&admin).await, [c, b, a]);
    assert_eq!(single(&admin, a).await["position"], 2_147_483_647);
    assert_eq!(single(&admin, b).await["position"], 1);

    admin.post(REORDER, json!({ "items": [] })).await.ok();
    assert_eq!(listed(&admin).await, [c, b, a]);
}

#[service_test]
async fn one_invalid_entry_gives_422_for_all(admin: Client) {
    let [a, b, c] = three(&admin).await;
    let at = |id: i64, position: i64| json!({ "id": id, "position": position });
    let refused = async |items: Value, faults: &[(&str, &str)]| {
        let answer = admin.post(REORDER, json!({ "items": items })).await;
        answer.invalid(faults);
        assert_eq!(listed(&admin).await, [a, b, c]);
    };

    refused(json!([at(a, 9), at(99, 1)]), &[("items.1.id", UNKNOWN)]).await;
    refused(
        json!([at(a, 9), at(b, 8), at(a, 9)]),
        &[("items.2.id", REPEATED)],
    )
    .await;
    refused(
        json!([at(99, 1), at(a, 9), at(99, 1)]),
        &[
            ("items.0.id", UNKNOWN),
            ("items.2.id", UNKNOWN),
            ("items.2.id", REPEATED),
        ],
    )
    .await;
    let integer = "must be an integer of at least 1";
    let position = "must be an integer from 0 to 2147483647";
    refused(
        json!([
            at(a, 9),
            at(0, -1),
            { "id": "1", "position": 2_147_483_648_i64 },
            {},
            { "id": null, "position": null },
            7,
            [],
            null,
        ]),
        &[
            ("items.1.id", integer),
            ("items.1.position", position),
            ("items.2.id", integer),
            ("items.2.position", position),
            ("items.3.id", "is required"),
            ("items.3.position", "is required"),
            ("items.4.id", "must not be null"),
            ("items.4.position", "must not be null"),
            ("items.5", "must be an object"),
            ("items.6", "must be an object"),
            ("items.7", "must be an object"),
        ],
    )
    .await;
    refused(
        json!({ "id": a, "position": 9 }),
        &[("items", "must be a list")],
    )
    .await;
    refused(json!("x"), &[("items", "must be a list")]).await;
    refused(Value::Null, &[("items", "must not be null")]).await;
    let required = [("items", "is required")];
    admin.post(REORDER, json!({})).await.invalid(&required);
}

#[service_test]
async fn prefer_handling_strict_applies_to_list_entries(admin: Client) {
    let [a, ..] = three(&admin).await;
    let body = json!({ "items": [{ "id": a, "position": 5, "parent_id": 1 }] });
    let strict = admin.with("Prefer", "handling=strict");
    let faults = [("items.0.parent_id", "is not a field of this request")];
    strict.post(REORDER, body.clone()).await.invalid(&faults);
    assert_eq!(single(&admin, a).await["position"], 0);
    admin.post(REORDER, body).await.ok();
    assert_eq!(single(&admin, a).await["position"], 5);
}

#[service_test]
async fn a_reorder_changes_the_etag(admin: Client) {
    let [a, b, _] = three(&admin).await;
    let tag = async |id| admin.etag(&path(id)).await;
    let before = (tag(a).await, tag(b).await);
    let body = json!({ "items": [{ "id": a, "position": 5 }, { "id": b, "position": 1 }] });
    admin.post(REORDER, body).await.ok();
    assert_ne!(tag(a).await, before.0);
    assert_eq!(tag(b).await, before.1);
}
