//! Searching users.

mod model;

use serde_json::{Value, json};

use crate::support::{Client, assert_fields};

async fn create(admin: &Client, username: &str, email: &str) {
    let body = json!({ "username": username, "email": email, "password": "battery staple" });
    admin.post("/api/users", body).await.created();
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn found(admin: &Client, q: &str) -> Vec<String> {
    let answer = admin
        .get(&format!("/api/users/search?q={}", encoded(q)))
        .await;
    let users = answer.ok()["users"].as_array().expect("a list").clone();
    assert_eq!(answer.header("x-total-count"), users.len().to_string());
    let name = |user: &Value| user["username"].as_str().expect("a name").to_owned();
    users.iter().map(name).collect()
}

#[service_test]
async fn users_are_found_by_any_part_of_username_or_email(admin: Client) {
    create(&admin, "Annabel", "bel@example.com").await;
    create(&admin, "Johanna", "jo@example.org").await;
    create(&admin, "ANNA", "first@example.net").await;
    create(&admin, "Bert", "hannah@example.com").await;

    let answer = admin.get("/api/users/search?q=anna").await.ok();
    assert_fields(&answer, &["users"]);
    let fields = ["id", "username", "email", "created_at", "status"];
    assert_fields(&answer["users"][0], &fields);

    let exact_first = ["ANNA", "Annabel", "Johanna", "Bert"];
    for q in ["anna", "ANNA", " \tanna\n"] {
        assert_eq!(found(&admin, q).await, exact_first, "{q:?}");
    }
    let expected = ["Annabel", "Johanna", "ANNA", "Bert"];
    assert_eq!(found(&admin, "ann").await, expected);
    assert_eq!(found(&admin, "JO@EXAMPLE.ORG").await, ["Johanna"]);
    assert_eq!(found(&admin, "example.com").await, ["Annabel", "Bert"]);
    assert_eq!(found(&admin, "annab").await, ["Annabel"]);
    // Every trigram of it occurs, but not consecutively.
    assert!(found(&admin, "nnabel@").await.is_empty());
    assert!(found(&admin, &"anna".repeat(500)).await.is_empty());
}

#[service_test]
async fn fewer_than_three_characters_give_422(admin: Client) {
    let short = "must be at least 3 characters long";
    for q in ["", "ab", "  ab  ", "жя", "🦀🦀", "   "] {
        let path = format!("/api/users/search?q={}", encoded(q));
        admin.get(&path).await.invalid(&[("q", short)]);
    }
    let missing = admin.get("/api/users/search").await;
    missing.invalid(&[("q", "is required")]);
    let nul = admin.get("/api/users/search?q=ab%00c").await;
    nul.invalid(&[("q", "must not contain the NUL character")]);
    for q in ["abc", "жяю", "🦀🦀🦀"] {
        assert!(found(&admin, q).await.is_empty(), "{q}");
    }
}

#[service_test]
async fn wildcard_characters_match_themselves(admin: Client) {
    for (at, name) in [
        "100%_sure",
        "100xysure",
        r"back\slash",
        r#"say "hi" AND go"#,
        "it's*me^",
        "a--b(c)",
    ]
    .iter()
    .enumerate()
    {
        create(&admin, name, &format!("u{at}@example.com")).await;
    }
    assert_eq!(found(&admin, "0%_s").await, ["100%_sure"]);
    assert_eq!(found(&admin, "%_s").await, ["100%_sure"]);
    assert!(found(&admin, "%%%").await.is_empty());
    assert!(found(&admin, "___").await.is_empty());
    assert_eq!(found(&admin, r"k\s").await, [r"back\slash"]);
    assert_eq!(found(&admin, r#""hi" AND"#).await, [r#"say "hi" AND go"#]);
    assert_eq!(found(&admin, "'s*me^").await, ["it's*me^"]);
    assert_eq!(found(&admin, "--b(c)").await, ["a--b(c)"]);
}

#[service_test]
async fn every_script_can_be_searched(admin: Client) {
    for (at, (name, q)) in [
        ("Жанна д'Арк", "ЖАННА"),
        ("山田太郎さん", "田太郎"),
        ("أحمد الشريف", "الشر"),
        ("שָׁלוֹם", "לוֹם"),
        ("ΟΔΥΣΣΕΥΣ", "δυσσ"),
        ("Οδυσσεας", "ΣΕΑΣ"),
        ("नमस्ते", "मस्ते"),
        ("👩👧👦 family", "👧👦 f"),
        ("🦀🦞🦐🦑", "🦞🦐🦑"),
        ("𐐀𐐁𐐂𐐃", "𐐩𐐪𐐫"),
        ("\u{e9}clair", "E\u{301}CL"),
        ("İzmir", "İZM"),
    ]
    .iter()
    .enumerate()
    {
        create(&admin, name, &format!("u{at}@example.com")).await;
        assert!(
            found(&admin, q.trim()).await.contains(&(*name).to_owned()),
            "{name}"
        );
    }
    // A combining accent and a precomposed letter are the same.
    assert_eq!(found(&admin, "\u{e9}clair").await, ["\u{e9}clair"]);
    assert_eq!(found(&admin, "e\u{301}clair").await, ["\u{e9}clair"]);
}

#[service_test]
async fn a_changed_name_is_found_and_the_old_one_is_not(admin: Client) {
    create(&admin, "anna", "first@example.com").await;
    let body = json!({ "username": "berta", "email": "second@example.com" });
    admin.put("/api/users/1", body).await.ok();
    assert!(found(&admin, "anna").await.is_empty());
    assert!(found(&admin, "first@").await.is_empty());
    assert_eq!(found(&admin, "berta").await, ["berta"]);
    assert_eq!(found(&admin, "second@").await, ["berta"]);
    // A refused change does not change the index.
    create(&admin, "carla", "third@example.com").await;
    let answer = admin
        .put("/api/users/1", json!({ "username": "Carla" }))
        .await;
    answer.invalid(&[("username", "has already been taken")]);
    assert_eq!(found(&admin, "carla").await, ["carla"]);
    assert_eq!(found(&admin, "berta").await, ["berta"]);
}

#[service_test]
async fn results_are_paged_with_page_and_per_page(admin: Client) {
    for number in 0..5 {
        create(
            &admin,
            &format!("anna{number}"),
            &format!("{number}@example.com"),
        )
        .await;
    }
    create(&admin, "anna", "last@example.com").await;
    let page = admin
        .get("/api/users/search?q=anna&per_page=2&page=2")
        .await;
    let ids: Vec<Value> = page.ok()["users"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|user| user["id"].clone())
        .collect();
    assert_eq!(ids, [2, 3], "after the exact match, 6, and 1");
    assert_eq!(page.header("x-total-count"), "6");
    assert_eq!(
        page.header("link"),
        "</api/users/search?q=anna&page=1&per_page=2>; rel=\"first\", \
         </api/users/search?q=anna&page=1&per_page=2>; rel=\"prev\", \
         </api/users/search?q=anna&page=3&per_page=2>; rel=\"next\", \
         </api/users/search?q=anna&page=3&per_page=2>; rel=\"last\""
    );
    let beyond = admin.get("/api/users/search?q=anna&page=7").await;
    assert_eq!(beyond.ok()["users"], json!([]));
    assert_eq!(beyond.header("x-total-count"), "6");
    let all = admin.get("/api/users/search?q=anna").await;
    assert!(all.header("link").contains("per_page=100"));
    let wrong = admin.get("/api/users/search?q=a&page=0&per_page=x").await;
    wrong.invalid(&[
        ("q", "must be at least 3 characters long"),
        ("page", "must be an integer of at least 1"),
        ("per_page", "must be an integer of at least 1"),
    ]);
}
