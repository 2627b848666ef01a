use serde_json::{Value, json};

use crate::support::{Client, TestApp, new_user};

const LENGTH: &str = "must be 1 to 100 characters long";
const ADDRESS: &str = "must be an email address";
const BYTES: &str = "must be 8 to 1024 bytes long";
const WORD: &str = "must be 1 to 32 of a-z, 0-9, _ and -";

#[service_test]
async fn all_faults_of_a_user_are_in_one_422(app: TestApp, admin: Client) {
    admin.post("/api/users", json!({})).await.invalid(&[
        ("username", "is required"),
        ("email", "is required"),
        ("password", "is required"),
    ]);
    let body = json!({ "username": null, "email": 1, "password": true, "role_ids": "x" });
    admin.post("/api/users", body).await.invalid(&[
        ("username", "must not be null"),
        ("email", "must be a string"),
        ("password", "must be a string"),
        ("role_ids", "must be a list of ids"),
    ]);
    app.user("anna").await;
    let body = json!({ "username": null, "email": null, "password": null, "status": null });
    let null = "must not be null";
    admin.put("/api/users/1", body).await.invalid(&[
        ("username", null),
        ("email", null),
        ("password", null),
        ("status", null),
    ]);
    let answer = admin.send(reqwest::Method::POST, "/api/users", None).await;
    answer.error(422, "missing_body");
    assert_eq!(admin.total("/api/users").await, "1");
}

#[service_test]
async fn an_invalid_field_gives_422_on_create_and_update(app: TestApp, admin: Client) {
    app.user("anna").await;
    let edges = "must not begin or end with white space";
    let control = "must not contain control characters";
    let long_name = "x".repeat(101);
    let long_address = format!("{}@example.com", "x".repeat(243));
    let long_password = "x".repeat(1025);
    for (field, value, sentence) in [
        ("username", "", LENGTH),
        ("username", long_name.as_str(), LENGTH),
        ("username", "  ", "must not be blank"),
        ("username", " anna", edges),
        ("username", "anna\u{a0}", edges),
        ("username", "an\nna", control),
        ("username", "an\u{85}na", control),
        ("username", "anna\u{7f}", control),
        ("email", "", ADDRESS),
        ("email", "anna", ADDRESS),
        ("email", "@example.com", ADDRESS),
        ("email", "anna@", ADDRESS),
        ("email", "anna@example", ADDRESS),
        ("email", "anna@example..com", ADDRESS),
        ("email", "anna@example.com.", ADDRESS),
        ("email", "an na@example.com", ADDRESS),
        ("email", "anna@b@example.com", ADDRESS),
        ("email", "anna@example.com\n", ADDRESS),
        (
            "email",
            &long_address,
            "must be at most 254 characters long",
        ),
        ("password", "1234567", BYTES),
        ("password", &long_password, BYTES),
    ] {
        let mut body = new_user("berta");
        body[field] = Value::from(value);
        let answer = admin.post("/api/users", body).await;
        answer.invalid(&[(field, sentence)]);
        let answer = admin.put("/api/users/1", json!({ field: value })).await;
        answer.invalid(&[(field, sentence)]);
    }
    for status in ["", "Active", "on hold", "x!", "ä", &"x".repeat(33)] {
        let answer = admin.put("/api/users/1", json!({ "status": status })).await;
        answer.invalid(&[("status", WORD)]);
    }
}

#[service_test]
async fn values_at_the_limits_are_accepted(admin: Client) {
    let body = json!({
        "username": "🦀".repeat(100),
        "email": format!("{}@example.com", "x".repeat(242)),
        "password": "ж".repeat(4),
        "role_ids": null,
        "status": "blocked",
        "unknown": true,
    });
    let created = admin.post("/api/users", body.clone()).await.created();
    assert_eq!(created["user"]["username"], body["username"]);
    assert_eq!(created["user"]["email"], body["email"]);
    assert_eq!(
        created["user"]["status"], "active",
        "status is not for create"
    );

    let body = json!({
        "username": "x",
        "email": "x@y.z",
        "password": "p".repeat(1024),
        "status": "a-z_0123456789-abcdefghijklmnopq",
    });
    let updated = admin.put("/api/users/1", body.clone()).await.ok();
    for field in ["username", "email", "status"] {
        assert_eq!(updated["user"][field], body[field], "{field}");
    }
}

#[service_test]
async fn text_of_every_script_is_stored_unchanged(admin: Client) {
    let names = [
        "Жанна д'Арк",
        "山田 太郎",
        "أحمد الشريف",
        "שָׁלוֹם",
        "Ωμέγα Σ",
        "नमस्ते",
        "👩👧 family",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "\u{e9}clair",
        "ﬁancé",
        "İstanbul",
        "100%_\\\"'",
    ];
    for (at, name) in names.iter().enumerate() {
        let body = json!({
            "username": name,
            "email": format!("{}@пример{at}.рф", at),
            "password": "пароль🔑",
        });
        let created = admin.post("/api/users", body.clone()).await.created();
        assert_eq!(created["user"]["username"], *name);
        assert_eq!(created["user"]["email"], body["email"]);
        let path = format!("/api/users/{}", created["user"]["id"]);
        assert_eq!(admin.get(&path).await.ok()["user"]["username"], *name);
    }
}
