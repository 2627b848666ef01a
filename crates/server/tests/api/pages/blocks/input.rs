//! Input rules of blocks.

use reqwest::Method;
use serde_json::{Value, json};

use crate::pages::{create, new};
use crate::support::{Answer, Client, TestApp};

const BLOCKS: &str = "/api/cms-pages/1/blocks";

async fn page() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new("one")).await;
    app
}

async fn post(admin: &Client, kind: &str, content: Value) -> Answer {
    let body = json!({ "type": kind, "content": content });
    admin.post(BLOCKS, body).await
}

/// Sends this JSON text as the content, unchanged.
async fn post_raw(admin: &Client, kind: &str, content: &str) -> Answer {
    let body = format!(r#"{{ "type": "{kind}", "content": {content} }}"#).into_bytes();
    let body = ("application/json", body);
    admin.send_bytes(Method::POST, BLOCKS, Some(body)).await
}

fn image() -> Value {
    json!({ "url": "/a.png", "alt": "It's ü 🦀", "width": 640, "height": 0 })
}

#[service_test(page())]
async fn all_faults_of_a_page_block_are_in_one_422(admin: Client) {
    let kind = "must be 1 to 50 of a-z, 0-9, _ and -";
    let order = "must be an integer from 0 to 2147483647";
    let wrong = json!({ "type": "Text", "content": null, "order": -1 });
    let faults = [
        ("type", kind),
        ("content", "must not be null"),
        ("order", order),
    ];
    admin.post(BLOCKS, wrong.clone()).await.invalid(&faults);
    let answer = admin.post(BLOCKS, json!({})).await;
    answer.invalid(&[("type", "is required"), ("content", "is required")]);
    post(&admin, "text", json!("a")).await.created();
    let path = format!("{BLOCKS}/1");
    admin.put(&path, wrong).await.invalid(&faults);
    for bad in [json!(""), json!("a b"), json!("ä"), json!("x".repeat(51))] {
        let answer = admin.put(&path, json!({ "type": bad })).await;
        answer.invalid(&[("type", kind)]);
    }
    let strict = admin.with("Prefer", "handling=strict");
    let body = json!({ "type": "text", "content": "a", "id": 7 });
    let answer = strict.post(BLOCKS, body).await;
    answer.invalid(&[("id", "is not a field of this request")]);
}

#[service_test(page())]
async fn text_and_image_content_of_a_wrong_shape_gives_422(admin: Client) {
    for bad in [json!(1), json!(true), json!([]), json!({ "html": "" })] {
        let answer = post(&admin, "text", bad).await;
        answer.invalid(&[("content", "must be a string in a text block")]);
    }
    for bad in [json!(1), json!("/a.png"), json!([image()])] {
        let answer = post(&admin, "image", bad).await;
        answer.invalid(&[("content", "must be an object in an image block")]);
    }
    post(&admin, "image", json!({})).await.invalid(&[
        ("content.url", "is required"),
        ("content.alt", "is required"),
        ("content.width", "is required"),
        ("content.height", "is required"),
    ]);
    let pixels = "must be an integer from 0 to 2147483647";
    let wrong = json!({ "url": "javascript:alert(1)", "alt": 1, "width": -1, "height": "1" });
    post(&admin, "image", wrong).await.invalid(&[
        (
            "content.url",
            "must be relative or begin with http: or https:",
        ),
        ("content.alt", "must be a string"),
        ("content.width", pixels),
        ("content.height", pixels),
    ]);
    for (url, sentence) in [
        ("", "must be 1 to 2048 characters long"),
        (&"x".repeat(2049), "must be 1 to 2048 characters long"),
        (
            "mailto:a@example.com",
            "must be relative or begin with http: or https:",
        ),
        (" a.png", "must not begin with a space"),
        ("java\nscript:x", "must not contain control characters"),
    ] {
        let mut content = image();
        content["url"] = json!(url);
        let answer = post(&admin, "image", content).await;
        answer.invalid(&[("content.url", sentence)]);
    }
    for url in [
        "a.png",
        "//cdn.example/a.png",
        "HTTPS://example.com/a b.png",
    ] {
        let mut content = image();
        content["url"] = json!(url);
        let added = post(&admin, "image", content.clone()).await.created();
        assert_eq!(added["block"]["content"], content);
    }
}

#[service_test(page())]
async fn an_image_keeps_only_its_own_fields(admin: Client) {
    let mut more = image();
    more["title"] = json!("ignored");
    more["width"] = json!(640.0);
    let added = post(&admin, "image", more.clone()).await.created();
    assert_eq!(added["block"]["content"].to_string(), image().to_string());
    let strict = admin.with("Prefer", "handling=strict");
    let unknown = [("content.title", "is not a field of this request")];
    post(&strict, "image", more.clone()).await.invalid(&unknown);
    let path = format!("{BLOCKS}/1");
    let answer = strict.put(&path, json!({ "content": more })).await;
    answer.invalid(&unknown);
}

#[service_test(page())]
async fn an_update_whose_result_is_invalid_gives_422(admin: Client) {
    post(&admin, "image", image()).await.created();
    let path = format!("{BLOCKS}/1");
    let change = async |body: Value| admin.put(&path, body).await;
    let not_text = ("content", "must be a string in a text block");
    change(json!({ "type": "text" })).await.invalid(&[not_text]);
    let answer = change(json!({ "content": "<p>" })).await;
    answer.invalid(&[("content", "must be an object in an image block")]);
    let answer = change(json!({ "content": { "url": "/b.png" } })).await;
    answer.invalid(&[
        ("content.alt", "is required"),
        ("content.width", "is required"),
        ("content.height", "is required"),
    ]);
    let answer = change(json!({ "type": "text", "content": "<p>" })).await;
    answer.ok();
    let answer = change(json!({ "type": "image", "order": 4 })).await;
    answer.invalid(&[("content", "must be an object in an image block")]);
    change(json!({ "type": "html" })).await.ok();
    change(json!({ "content": [image()] })).await.ok();
    change(json!({ "type": "text" })).await.invalid(&[not_text]);
    change(json!({ "content": image() })).await.ok();
    let back = change(json!({ "type": "image" })).await.ok();
    assert_eq!(back["block"]["content"], image());
    assert_eq!(back["block"]["order"], 0);
}

#[service_test(page())]
async fn other_types_keep_any_json_exactly(admin: Client) {
    for content in [
        "12345678901234567890.10",
        "1e999",
        "false",
        r#"{"b":1,"a":[null,"\u00e9\/"]}"#,
        r#""<p>שלום</p>""#,
    ] {
        let added = post_raw(&admin, "any-2_x", content).await;
        assert_eq!(added.status, 201, "{}", added.text);
        assert!(added.text.contains(content), "{}", added.text);
        let listed = admin.get(BLOCKS).await;
        assert!(listed.text.contains(content), "{}", listed.text);
    }
    for (content, sentence) in [
        (r#""\ud800""#, "must be valid Unicode"),
        (r#"{"a":["\udd80"]}"#, "must be valid Unicode"),
        (r#"["\u0000"]"#, "must not contain the NUL character"),
    ] {
        for kind in ["any", "text"] {
            let answer = post_raw(&admin, kind, content).await;
            answer.invalid(&[("content", sentence)]);
        }
    }
    let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let added = post_raw(&admin, "any", &deep(100)).await;
    assert_eq!(added.status, 201, "{}", added.text);
    for levels in [101, 100_000] {
        let answer = post_raw(&admin, "any", &deep(levels)).await;
        answer.invalid(&[("content", "must be at most 100 levels deep")]);
    }
}

#[service_test(page())]
async fn content_over_256_kib_gives_422(admin: Client) {
    let json = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    for kind in ["text", "any"] {
        let added = post_raw(&admin, kind, &json(256 << 10)).await;
        assert_eq!(added.status, 201, "{kind}");
        let answer = post_raw(&admin, kind, &json((256 << 10) + 1)).await;
        answer.invalid(&[("content", "must be at most 262144 bytes long")]);
    }
}
