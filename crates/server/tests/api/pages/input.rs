//! Input rules of the other fields of a page.

use reqwest::Method;
use serde_json::{Value, json};

use super::{create, new};
use crate::support::{Client, TestApp};

const MAX_CONTENT: usize = 512 * 1024;
const CONTENT: &str = "must be at most 524288 bytes long";
const NUL: &str = "must not contain the NUL character";

fn with(slug: &str, field: &str, value: &Value) -> Value {
    let mut body = new(slug);
    body[field] = value.clone();
    body
}

/// Asserts that a text field stores each of `good` unchanged and refuses each of `bad`, on create
/// and update.
async fn assert_accepts_and_refuses(field: &str, good: &[&str], bad: &[(Value, &str)]) {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new("first")).await;
    for (number, text) in good.iter().enumerate() {
        let body = with(&format!("page-{number}"), field, &json!(text));
        let created = create(&admin, body).await;
        let path = format!("/api/cms-pages/{}", created["id"]);
        let read = admin.get(&path).await.ok();
        let updated = admin.put("/api/cms-pages/1", json!({ field: text })).await;
        for page in [&created, &read["page"], &updated.ok()["page"]] {
            assert!(page[field] == **text, "{field}: {text:.100}");
        }
    }
    let before = admin.get("/api/cms-pages/1").await.text;
    for (value, sentence) in bad {
        let fault = [(field, *sentence)];
        let body = with("bad", field, value);
        admin.post("/api/cms-pages", body).await.invalid(&fault);
        let body = json!({ field: value });
        admin.put("/api/cms-pages/1", body).await.invalid(&fault);
    }
    assert!(admin.get("/api/cms-pages/1").await.text == before);
}

#[service_test]
async fn a_title_is_any_text_that_is_not_blank() {
    let length = "must be 1 to 255 characters long";
    let longest = "🦀".repeat(255);
    let good = [
        "x",
        &longest,
        "combining e\u{301} is not é",
        "עברית العربية \u{202e}txet",
        "日本語 한국어 ไทย हिन्दी Ελληνικά кириллица",
        "👩‍👩‍👧‍👦 \u{feff}",
    ];
    let bad = [
        (json!(""), length),
        (json!("x".repeat(256)), length),
        (json!(" \u{3000}\n"), "must not be blank"),
        (json!("a\0"), NUL),
        (json!(["x"]), "must be a string"),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("title", &good, &bad).await;
}

#[service_test]
async fn meta_fields_can_be_empty() {
    let longest = "é".repeat(255);
    let long = [(
        json!("x".repeat(256)),
        "must be at most 255 characters long",
    )];
    assert_accepts_and_refuses("meta_title", &["", " ", "שלום 🦀", &longest], &long).await;
    let longest = "é".repeat(1000);
    let bad = [
        (
            json!("x".repeat(1001)),
            "must be at most 1000 characters long",
        ),
        (json!("\0"), NUL),
        (json!(1), "must be a string"),
    ];
    assert_accepts_and_refuses("meta_description", &["", &longest], &bad).await;
}

#[service_test]
async fn content_is_stored_byte_for_byte() {
    let good = [
        "",
        " \t\r\n",
        "<p onclick='x()'>&amp; \u{1}\u{7f}\u{85}\u{2028}</p>\r\n",
        "e\u{301} é \u{202e}שלום\u{202c} \u{feff}\u{fffd}\u{10ffff}",
        "'; DROP TABLE pages; -- \\x00 %s {} ${}",
    ];
    let bad = [
        (json!("a\0b"), NUL),
        (json!({ "html": "" }), "must be a string"),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("content", &good, &bad).await;
}

#[service_test]
async fn the_limit_of_content_counts_bytes() {
    let (ascii, wide) = ("x".repeat(MAX_CONTENT), "🦀".repeat(MAX_CONTENT / 4));
    let bad = [
        (json!("x".repeat(MAX_CONTENT + 1)), CONTENT),
        (json!("é".repeat(MAX_CONTENT / 2 + 1)), CONTENT),
    ];
    assert_accepts_and_refuses("content", &[&ascii, &wide], &bad).await;
}

#[service_test]
async fn the_body_limit_counts_escaped_bytes_413(admin: Client) {
    create(&admin, new("first")).await;
    // Six bytes on the wire for each byte stored.
    let body = format!("{{\"content\":\"{}\"}}", "\\u0041".repeat(200_000));
    let send = async |path: &str| {
        let body = Some(("application/json", body.clone().into_bytes()));
        admin.send_bytes(Method::PUT, path, body).await
    };
    send("/api/cms-pages/1").await.error(413, "body_too_large");
    send("/api/cms-pages/9").await.not_found();
}

#[service_test]
async fn a_lone_surrogate_gives_422(app: TestApp) {
    let body = br#"{"title":"a","slug":"a","content":"\ud83e"}"#.to_vec();
    let body = Some(("application/json", body));
    let answer = app
        .admin()
        .send_bytes(Method::POST, "/api/cms-pages", body)
        .await;
    answer.invalid(&[("content", "must be valid Unicode")]);
}

#[service_test]
async fn all_faults_of_a_page_are_in_one_422(admin: Client) {
    let missing = ["title", "slug", "content"].map(|field| (field, "is required"));
    let answer = admin.post("/api/cms-pages", json!({})).await;
    answer.invalid(&missing);

    let wrong = json!({
        "title": "", "slug": 1, "content": 2, "meta_title": 3, "meta_description": 4,
        "is_active": "yes",
    });
    let faults = [
        ("title", "must be 1 to 255 characters long"),
        ("slug", "must be a string"),
        ("content", "must be a string"),
        ("meta_title", "must be a string"),
        ("meta_description", "must be a string"),
        ("is_active", "must be true or false"),
    ];
    let answer = admin.post("/api/cms-pages", wrong.clone()).await;
    answer.invalid(&faults);
    create(&admin, new("first")).await;
    admin.put("/api/cms-pages/1", wrong).await.invalid(&faults);
    let answer = admin.put("/api/cms-pages/1", json!({ "is_active": null }));
    answer.await.invalid(&[("is_active", "must not be null")]);
}
