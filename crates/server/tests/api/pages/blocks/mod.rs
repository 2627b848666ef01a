//! The blocks of a page.

mod input;
mod writes;

use serde_json::{Value, json};

use super::{create, new};
use crate::support::{Client, TestApp, assert_fields};

/// Inserts a block with SQL. Its content is the text of a JSON value.
async fn add(app: &TestApp, page: i64, kind: &str, content: &str, order: i64) {
    let content = content.replace('\'', "''");
    let sql = format!(
        "INSERT INTO page_blocks (page_id, type, content, sort_order)
         VALUES ({page}, '{kind}', '{content}', {order})"
    );
    app.core().db.run_sql(&sql).await.expect("a block");
}

async fn blocks(app: &TestApp, page: i64) -> Value {
    let path = format!("/api/cms-pages/{page}/blocks");
    app.admin().get(&path).await.ok()["blocks"].take()
}

#[service_test]
async fn blocks_are_ordered_by_order_then_id(app: TestApp) {
    create(&app.admin(), new("one")).await;
    create(&app.admin(), new("two")).await;
    assert_eq!(blocks(&app, 1).await, json!([]));
    for (page, order) in [(1, 5), (1, -1), (2, 0), (1, 5), (1, 0)] {
        add(&app, page, "text", "\"<p>Hi</p>\"", order).await;
    }
    let places = |blocks: Value| -> Vec<(i64, i64)> {
        let blocks = blocks.as_array().expect("a list").clone();
        let place = |block: &Value| Some((block["order"].as_i64()?, block["id"].as_i64()?));
        blocks.iter().filter_map(place).collect()
    };
    assert_eq!(
        places(blocks(&app, 1).await),
        [(-1, 2), (0, 5), (5, 1), (5, 4)]
    );
    assert_eq!(places(blocks(&app, 2).await), [(0, 3)]);
}

#[service_test]
async fn a_block_keeps_any_json_exactly(app: TestApp) {
    create(&app.admin(), new("one")).await;
    let image = r#"{"url":"/a.png","alt":"It's ü 🦀","width":640,"height":480}"#;
    let number = "12345678901234567890.10";
    for content in ["\"<p>שלום</p>\"", image, "null", "[1,[2]]", number] {
        add(&app, 1, "image", content, 0).await;
    }
    let answer = app.admin().get("/api/cms-pages/1/blocks").await;
    assert_eq!(answer.header("x-total-count"), "5");
    assert!(answer.text.contains(number), "{}", answer.text);
    let body = answer.ok();
    assert_fields(&body, &["blocks"]);
    for block in body["blocks"].as_array().expect("a list") {
        assert_fields(block, &["id", "type", "content", "order"]);
        assert_eq!(block["type"], "image");
    }
    assert_eq!(body["blocks"][0]["content"], "<p>שלום</p>");
    let image: Value = serde_json::from_str(image).expect("JSON");
    assert_eq!(body["blocks"][1]["content"], image);
    assert_eq!(body["blocks"][2]["content"], Value::Null);
    assert_eq!(body["blocks"][3]["content"], json!([1, [2]]));
}

#[service_test]
async fn blocks_are_deleted_with_their_page(app: TestApp, admin: Client) {
    for id in ["1", "0", "-1", "x", "9223372036854775808"] {
        let path = format!("/api/cms-pages/{id}/blocks");
        admin.get(&path).await.not_found();
    }
    create(&admin, new("one")).await;
    add(&app, 1, "text", "\"\"", 0).await;
    admin.delete("/api/cms-pages/1").await.ok();
    admin.get("/api/cms-pages/1/blocks").await.not_found();
    let mut read = app.core().db.read().await.expect("a connection");
    let left: i64 = read
        .query_one("SELECT COUNT(*) FROM page_blocks", &[], |row| row.get(0))
        .await
        .expect("a number");
    assert_eq!(left, 0);
}
