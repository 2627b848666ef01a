//! Pages and their blocks.

mod blocks;
mod input;
mod slug;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

const ITEM: [&str; 5] = ["id", "title", "slug", "is_active", "created_at"];
const CREATED: [&str; 8] = [
    "id",
    "title",
    "slug",
    "content",
    "meta_title",
    "meta_description",
    "is_active",
    "created_at",
];

/// The body of a create, with this slug.
fn new(slug: &str) -> Value {
    json!({ "title": "About us", "slug": slug, "content": "<p>Hello</p>" })
}

async fn create(admin: &Client, body: Value) -> Value {
    admin.post("/api/cms-pages", body).await.created()["page"].take()
}

#[service_test]
async fn a_page_lives_from_create_to_delete(app: TestApp, admin: Client) {
    let body = json!({
        "title": "About us",
        "slug": "about",
        "content": "<p>Hello</p>",
        "meta_title": "About",
        "meta_description": "Who we are",
        "is_active": false,
    });
    let created = admin.post("/api/cms-pages", body).await.created();
    assert_fields(&created, &["message", "page"]);
    assert_fields(&created["page"], &CREATED);
    let expected = json!({
        "id": 1,
        "title": "About us",
        "slug": "about",
        "content": "<p>Hello</p>",
        "meta_title": "About",
        "meta_description": "Who we are",
        "is_active": false,
        "created_at": "2026-03-01T12:00:00Z",
    });
    assert_eq!(created["page"], expected);

    let listed = admin.get("/api/cms-pages").await;
    assert_eq!(listed.header("x-total-count"), "1");
    let listed = listed.ok();
    assert_fields(&listed, &["pages"]);
    assert_fields(&listed["pages"][0], &ITEM);
    for field in ITEM {
        assert_eq!(listed["pages"][0][field], expected[field]);
    }

    app.advance(60);
    let body = json!({ "title": "Who we are", "is_active": true });
    let updated = admin.put("/api/cms-pages/1", body).await.ok();
    assert_fields(&updated, &["message", "page"]);
    let mut expected = expected;
    expected["title"] = json!("Who we are");
    expected["is_active"] = json!(true);
    expected["updated_at"] = json!("2026-03-01T12:01:00Z");
    assert_eq!(updated["page"], expected);
    let single = admin.get("/api/cms-pages/1").await.ok();
    assert_eq!(single, json!({ "page": expected }));

    let deleted = admin.delete("/api/cms-pages/1").await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get("/api/cms-pages/1").await.not_found();
    admin.get("/api/cms-pages/1/blocks").await.not_found();
    admin.put("/api/cms-pages/1", json!({})).await.not_found();
    admin.delete("/api/cms-pages/1").await.not_found();
    let listed = admin.get("/api/cms-pages").await.ok();
    assert_eq!(listed, json!({ "pages": [] }));
}

#[service_test]
async fn absent_fields_have_defaults(admin: Client) {
    let nothing = json!({ "meta_title": null, "meta_description": null, "is_active": null });
    for (slug, given) in [("absent", json!({})), ("null", nothing)] {
        let mut body = new(slug);
        for (name, value) in given.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let page = create(&admin, body).await;
        assert_eq!(page["meta_title"], "");
        assert_eq!(page["meta_description"], "");
        assert_eq!(page["is_active"], true);
    }
}

#[service_test]
async fn equal_fields_of_a_page_change_nothing_not_even_the_etag(app: TestApp, admin: Client) {
    create(&admin, new("about")).await;
    let before = admin.get("/api/cms-pages/1").await;
    app.advance(60);
    let mut same = new("/about");
    same["meta_title"] = Value::Null;
    for body in [json!({}), json!({ "unknown": 1 }), same] {
        let updated = admin.put("/api/cms-pages/1", body.clone()).await.ok();
        assert_eq!(updated["page"], before.ok()["page"], "{body}");
        let after = admin.get("/api/cms-pages/1").await;
        assert_eq!(after.text, before.text, "{body}");
        assert_eq!(after.header("etag"), before.header("etag"), "{body}");
    }
}

#[service_test]
async fn each_field_of_a_page_can_be_changed_alone(app: TestApp, admin: Client) {
    create(&admin, new("about")).await;
    for (name, value) in [
        ("title", json!("Contact")),
        ("slug", json!("contact/us")),
        ("content", json!("")),
        ("meta_title", json!("Contact")),
        ("meta_description", json!("How to reach us")),
        ("is_active", json!(false)),
    ] {
        let before = admin.get("/api/cms-pages/1").await;
        app.advance(1);
        let mut expected = before.ok()["page"].take();
        let updated = admin.put("/api/cms-pages/1", json!({ name: value })).await;
        expected[name] = value;
        expected["updated_at"] = updated.ok()["page"]["updated_at"].clone();
        assert_eq!(updated.ok()["page"], expected, "{name}");
        let after = admin.get("/api/cms-pages/1").await;
        assert_eq!(after.ok()["page"], expected, "{name}");
        assert_ne!(expected["updated_at"], before.ok()["page"]["updated_at"]);
        assert_ne!(after.header("etag"), before.header("etag"), "{name}");
    }
    let emptied = json!({ "meta_title": null, "meta_description": null });
    let emptied = admin.put("/api/cms-pages/1", emptied).await.ok();
    assert_eq!(emptied["page"]["meta_title"], "");
    assert_eq!(emptied["page"]["meta_description"], "");
}

#[service_test]
async fn pages_are_paged_only_with_page_or_per_page(admin: Client) {
    for number in 1..=23 {
        create(&admin, new(&format!("page-{number}"))).await;
    }
    let ids = |body: Value| -> Vec<i64> {
        let pages = body["pages"].as_array().expect("a list").clone();
        pages
            .iter()
            .filter_map(|page| page["id"].as_i64())
            .collect()
    };
    let all = admin.get("/api/cms-pages").await;
    assert!(!all.has_header("link"));
    assert_eq!(ids(all.ok()), (1..=23).collect::<Vec<_>>());
    let page = admin.get("/api/cms-pages?page=2").await;
    assert_eq!(page.header("x-total-count"), "23");
    assert!(page.header("link").contains("rel=\"prev\""));
    assert_eq!(ids(page.ok()), [21, 22, 23]);
    let query = admin.get("/api/cms-pages?per_page=x").await;
    query.invalid(&[("per_page", "must be an integer of at least 1")]);
}
