//! Adding, changing, reordering and removing blocks.

use serde_json::{Value, json};

use crate::pages::{create, new};
use crate::support::{Client, TestApp, assert_fields, at_once, count};

const BLOCKS: &str = "/api/cms-pages/1/blocks";
const FIELDS: [&str; 4] = ["id", "type", "content", "order"];

async fn page() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new("one")).await;
    app
}

async fn add(admin: &Client, body: Value) -> Value {
    admin.post(BLOCKS, body).await.created()["block"].take()
}

fn text(content: &str) -> Value {
    json!({ "type": "text", "content": content })
}

async fn listed(admin: &Client) -> Vec<Value> {
    let blocks = admin.get(BLOCKS).await.ok()["blocks"].take();
    blocks.as_array().expect("a list").clone()
}

/// The ids of the blocks, in their order.
async fn ids(admin: &Client) -> Vec<i64> {
    let blocks = listed(admin).await;
    let ids = blocks.iter().filter_map(|block| block["id"].as_i64());
    ids.collect()
}

#[service_test(page())]
async fn a_block_lives_from_add_to_remove(admin: Client) {
    let body = json!({ "type": "text", "content": "<p>Hi</p>", "order": 5 });
    let added = admin.post(BLOCKS, body).await.created();
    assert_fields(&added, &["message", "block"]);
    assert_fields(&added["block"], &FIELDS);
    let mut expected = json!({ "id": 1, "type": "text", "content": "<p>Hi</p>", "order": 5 });
    assert_eq!(added["block"], expected);
    assert_eq!(listed(&admin).await, std::slice::from_ref(&expected));

    let path = "/api/cms-pages/1/blocks/1";
    for (field, value) in [
        ("content", json!("<p>Hello</p>")),
        ("order", json!(0)),
        ("type", json!("html")),
        ("content", json!({ "any": [1, null] })),
    ] {
        expected[field] = value.clone();
        let changed = admin.put(path, json!({ field: value })).await.ok();
        assert_fields(&changed, &["message", "block"]);
        assert_eq!(changed["block"], expected);
        assert_eq!(listed(&admin).await, std::slice::from_ref(&expected));
    }
    assert_eq!(admin.put(path, json!({})).await.ok()["block"], expected);
    assert_fields(&admin.delete(path).await.ok(), &["message"]);
    assert_eq!(listed(&admin).await, [""; 0]);
    admin.delete(path).await.not_found();
    admin.put(path, json!({ "order": -1 })).await.not_found();
}

#[service_test(page())]
async fn a_new_block_is_last_by_default(admin: Client) {
    assert_eq!(add(&admin, text("a")).await["order"], 0);
    assert_eq!(add(&admin, text("b")).await["order"], 1);
    let body = json!({ "type": "text", "content": "c", "order": 0 });
    assert_eq!(add(&admin, body).await["order"], 0);
    let body = json!({ "type": "text", "content": "d", "order": 2_147_483_647 });
    add(&admin, body).await;
    assert_eq!(add(&admin, text("e")).await["order"], 2_147_483_647);
    assert_eq!(ids(&admin).await, [1, 3, 2, 4, 5]);
}

#[service_test(page())]
async fn a_block_of_another_page_gives_404(admin: Client) {
    create(&admin, new("two")).await;
    add(&admin, text("a")).await;
    for path in [
        "/api/cms-pages/2/blocks/1",
        "/api/cms-pages/9/blocks/1",
        "/api/cms-pages/1/blocks/2",
        "/api/cms-pages/1/blocks/x",
    ] {
        admin.put(path, json!({ "order": 3 })).await.not_found();
        admin.delete(path).await.not_found();
    }
    let answer = admin.post("/api/cms-pages/9/blocks", json!({})).await;
    answer.not_found();
    assert_eq!(listed(&admin).await[0]["order"], 0);
}

#[service_test(page())]
async fn a_block_write_changes_the_etag_of_its_page(app: TestApp, admin: Client) {
    let path = "/api/cms-pages/1";
    let state = async || {
        let answer = admin.get(path).await;
        let at = answer.ok()["page"]["updated_at"].clone();
        (answer.header("etag").to_owned(), at)
    };
    let moved = |id: i64, order: i64| json!({ "items": [{ "id": id, "order": order }] });
    let reorder = format!("{BLOCKS}/reorder");
    let mut before = state().await;
    for step in 1..=4 {
        app.advance(1);
        match step {
            1 => drop(add(&admin, text("a")).await),
            2 => drop(admin.put(&format!("{BLOCKS}/1"), text("b")).await.ok()),
            3 => drop(admin.post(&reorder, moved(1, 7)).await.ok()),
            _ => drop(admin.delete(&format!("{BLOCKS}/1")).await.ok()),
        }
        let after = state().await;
        assert_ne!(after.0, before.0, "{step}");
        assert_eq!(after.1, format!("2026-03-01T12:00:0{step}Z"));
        before = after;
    }
    add(&admin, text("a")).await;
    before = state().await;
    app.advance(1);
    let block = format!("{BLOCKS}/2");
    admin.put(&block, json!({})).await.ok();
    admin.put(&block, text("a")).await.ok();
    admin.post(&reorder, moved(2, 0)).await.ok();
    admin.post(&reorder, json!({ "items": [] })).await.ok();
    assert_eq!(state().await, before, "nothing was changed");
}

#[service_test(page())]
async fn audit_entries_contain_only_changed_fields(admin: Client) {
    let entry = async |action: &str| {
        let entry = admin.newest_audit_entry().await;
        assert_eq!(entry["action"], action);
        assert_eq!(entry["resource_id"], 1);
        (entry["before"].clone(), entry["after"].clone())
    };
    add(&admin, text("a")).await;
    let block = json!({
        "blocks.1.type": "text", "blocks.1.content": "a", "blocks.1.order": 0,
    });
    assert_eq!(entry("pages.add_block").await, (json!({}), block));
    let path = format!("{BLOCKS}/1");
    admin.put(&path, text("b")).await.ok();
    let change = |value: &str| json!({ "blocks.1.content": value });
    assert_eq!(
        entry("pages.update_block").await,
        (change("a"), change("b"))
    );
    add(&admin, text("c")).await;
    let items = json!([{ "id": 2, "order": 0 }, { "id": 1, "order": 0 }]);
    let body = json!({ "items": items });
    admin.post(&format!("{BLOCKS}/reorder"), body).await.ok();
    let (old, new) = (
        json!({ "blocks.2.order": 1 }),
        json!({ "blocks.2.order": 0 }),
    );
    assert_eq!(entry("pages.reorder_blocks").await, (old, new));
    admin.delete(&path).await.ok();
    let block = json!({
        "blocks.1.type": "text", "blocks.1.content": "b", "blocks.1.order": 0,
    });
    assert_eq!(entry("pages.remove_block").await, (block, json!({})));
}

#[service_test(page())]
async fn a_reorder_is_applied_whole_or_gives_422(admin: Client) {
    create(&admin, new("two")).await;
    for content in ["a", "b", "c"] {
        add(&admin, text(content)).await;
    }
    let other = admin.post("/api/cms-pages/2/blocks", text("d")).await;
    assert_eq!(other.created()["block"]["id"], 4);
    let reorder = async |items: Value| {
        let body = json!({ "items": items });
        admin.post(&format!("{BLOCKS}/reorder"), body).await
    };
    let moved = reorder(json!([{ "id": 3, "order": 0 }, { "id": 1, "order": 9 }])).await;
    assert_fields(&moved.ok(), &["message"]);
    assert_eq!(ids(&admin).await, [3, 2, 1]);

    let not_a_block = "is not the id of a block of this page";
    let order = "must be an integer from 0 to 2147483647";
    for (items, faults) in [
        (
            json!([{ "id": 1, "order": 0 }, { "id": 4, "order": 1 }]),
            vec![("items.1.id", not_a_block)],
        ),
        (
            json!([{ "id": 1, "order": 0 }, { "id": 9, "order": 1 }]),
            vec![("items.1.id", not_a_block)],
        ),
        (
            json!([{ "id": 1, "order": 0 }, { "id": 2, "order": 1 }, { "id": 1, "order": 2 }]),
            vec![("items.2.id", "must not be repeated")],
        ),
        (
            json!([{ "id": 1, "order": -1 }, { "id": 0, "order": 2_147_483_648_i64 }, 7]),
            vec![
                ("items.0.order", order),
                ("items.1.id", "must be an integer of at least 1"),
                ("items.1.order", order),
                ("items.2", "must be an object"),
            ],
        ),
        (json!({}), vec![("items", "must be a list")]),
    ] {
        reorder(items).await.invalid(&faults);
        assert_eq!(ids(&admin).await, [3, 2, 1]);
    }
    reorder(json!([])).await.ok();
    let path = "/api/cms-pages/9/blocks/reorder";
    admin.post(path, json!({})).await.not_found();
}

#[service_test(page())]
async fn concurrent_adds_get_distinct_orders(app: TestApp, admin: Client) {
    let answers = at_once((0..40).map(|i| {
        let admin = app.admin();
        async move { admin.post(BLOCKS, text(&i.to_string())).await }
    }));
    assert_eq!(count(&answers.await, 201), 40);
    let blocks = listed(&admin).await;
    let orders: Vec<i64> = blocks
        .iter()
        .filter_map(|it| it["order"].as_i64())
        .collect();
    assert_eq!(orders, (0..40).collect::<Vec<_>>());
}

#[service_test(page())]
async fn concurrent_reorders_and_removes_are_each_applied_whole(app: TestApp, admin: Client) {
    for round in 0..8_i64 {
        let mut made = Vec::new();
        for content in ["a", "b", "c"] {
            made.push(
                add(&admin, text(content)).await["id"]
                    .as_i64()
                    .expect("an id"),
            );
        }
        let [first, second, third] = made[..] else {
            panic!("three blocks")
        };
        let answers = at_once((0..12).map(|i: i64| {
            let admin = app.admin();
            async move {
                let order = 100 + i;
                let items = json!([
                    { "id": first, "order": order }, { "id": second, "order": order },
                ]);
                match i % 4 {
                    0 if i == 4 => admin.delete(&format!("{BLOCKS}/{second}")).await,
                    1 => admin.put(&format!("{BLOCKS}/{third}"), text("x")).await,
                    _ => {
                        let body = json!({ "items": items });
                        admin.post(&format!("{BLOCKS}/reorder"), body).await
                    }
                }
            }
        }));
        for answer in answers.await {
            if answer.status != 200 {
                answer.invalid(&[("items.1.id", "is not the id of a block of this page")]);
            }
        }
        assert!(!ids(&admin).await.contains(&second), "round {round}");
        for id in [first, third] {
            admin.delete(&format!("{BLOCKS}/{id}")).await.ok();
        }
        assert_eq!(ids(&admin).await, [0; 0]);
    }
}
