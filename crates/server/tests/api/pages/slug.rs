//! Slugs: which are allowed, and that they are unique.

use serde_json::json;

use super::{create, new};
use crate::support::{Client, assert_one_created, at_once, count, post_at_once};

const RULE: &str = "must be 1 to 255 of the letters a to z, digits, - _ . ~ and single slashes \
                    between them";
const TAKEN: [(&str, &str); 1] = [("slug", "has already been taken")];

#[service_test]
async fn a_slug_that_is_not_a_plain_path_gives_422(admin: Client) {
    let longest = "x".repeat(255);
    for (given, stored) in [
        ("a", "a"),
        ("About/Us", "About/Us"),
        ("/with/root", "with/root"),
        ("-_.~", "-_.~"),
        ("0", "0"),
        (longest.as_str(), longest.as_str()),
    ] {
        let page = create(&admin, new(given)).await;
        assert_eq!(page["slug"], stored);
        let path = format!("/api/cms-pages/{}", page["id"]);
        assert_eq!(admin.get(&path).await.ok()["page"]["slug"], stored);
    }
    let rooted = format!("/{}", "y".repeat(255));
    let updated = admin
        .put("/api/cms-pages/1", json!({ "slug": rooted }))
        .await;
    assert_eq!(updated.ok()["page"]["slug"], "y".repeat(255));

    let too_long = "x".repeat(256);
    let too_long_with_root = format!("/{too_long}");
    for bad in [
        "",
        "/",
        "//",
        "//a",
        "a/",
        "/a/",
        "a//b",
        "a b",
        " a",
        "a\n",
        "ä",
        "ａ",
        "a?b",
        "a#b",
        "a%20b",
        "a\\b",
        "a:b",
        "a@b",
        "🦀",
        &too_long,
        &too_long_with_root,
    ] {
        let fault = [("slug", RULE)];
        let answer = admin.post("/api/cms-pages", new(bad)).await;
        answer.invalid(&fault);
        let answer = admin.put("/api/cms-pages/1", json!({ "slug": bad })).await;
        answer.invalid(&fault);
    }
    for (bad, sentence) in [
        (json!(null), "must not be null"),
        (json!(7), "must be a string"),
        (json!("a\0b"), "must not contain the NUL character"),
    ] {
        let answer = admin.put("/api/cms-pages/1", json!({ "slug": bad })).await;
        answer.invalid(&[("slug", sentence)]);
    }
}

#[service_test]
async fn slugs_are_unique_case_insensitively_422(admin: Client) {
    create(&admin, new("About/Us")).await;
    create(&admin, new("contact")).await;
    for taken in ["About/Us", "about/us", "ABOUT/US", "/about/us"] {
        let answer = admin.post("/api/cms-pages", new(taken)).await;
        answer.invalid(&TAKEN);
        let answer = admin
            .put("/api/cms-pages/2", json!({ "slug": taken }))
            .await;
        answer.invalid(&TAKEN);
    }
    let slug = |body: serde_json::Value| body["page"]["slug"].clone();
    assert_eq!(slug(admin.get("/api/cms-pages/2").await.ok()), "contact");
    // A page may change the case of its own slug.
    let updated = admin.put("/api/cms-pages/1", json!({ "slug": "about/US" }));
    assert_eq!(slug(updated.await.ok()), "about/US");
    // The old slug is free again.
    admin.delete("/api/cms-pages/1").await.ok();
    create(&admin, new("about/us")).await;
    let renamed = admin.put("/api/cms-pages/2", json!({ "slug": "moved" }));
    renamed.await.ok();
    create(&admin, new("Contact")).await;
}

#[service_test]
async fn of_fifty_concurrent_creates_one_gets_the_slug_and_the_others_422(admin: Client) {
    let body = |number: usize| new(["race", "Race", "RACE", "/race"][number % 4]);
    let answers = post_at_once(&admin, "/api/cms-pages", (0..50).map(body)).await;
    assert_one_created(&answers, "slug");
    let listed = admin.get("/api/cms-pages").await.ok();
    assert_eq!(listed["pages"].as_array().map(Vec::len), Some(1));
}

#[service_test]
async fn of_fifty_concurrent_updates_one_gets_the_slug_and_the_others_422(admin: Client) {
    for number in 1..=50 {
        create(&admin, new(&format!("page-{number}"))).await;
    }
    let put = |caller: Client, number: i64| async move {
        let path = format!("/api/cms-pages/{number}");
        caller.put(&path, json!({ "slug": "target" })).await
    };
    let answers = at_once((1..=50).map(|number| put(admin.clone(), number))).await;
    assert_eq!((count(&answers, 200), count(&answers, 422)), (1, 49));
    for answer in answers.iter().filter(|answer| answer.status == 422) {
        answer.invalid(&TAKEN);
    }
}
