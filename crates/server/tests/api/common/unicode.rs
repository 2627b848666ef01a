//! Unusual text: lone surrogates and NUL characters.

use reqwest::Method;
use serde_json::json;

use crate::support::TestApp;

#[tokio::test(flavor = "multi_thread")]
async fn a_lone_surrogate_gives_422_and_a_pair_is_kept() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let post = async |path: &str, body: &str| {
        let body = ("application/json", body.as_bytes().to_vec());
        admin.send_bytes(Method::POST, path, Some(body)).await
    };
    for half in [
        r"\ud83e",
        r"\udd80",
        r"\udd80\ud83e",
        r"a\ud800b",
        r"\ud83e\u0041",
    ] {
        let body =
            format!(r##"{{ "name": "{half}", "description": "{half}", "color": "{half}" }}"##);
        let fault = "must be valid Unicode";
        let faults = [("name", fault), ("description", fault), ("color", fault)];
        post("/api/roles", &body).await.invalid(&faults);
        let faults = [("name", fault)];
        post("/api/api-keys", &body).await.invalid(&faults);
    }
    let whole = r#"{ "name": "\ud83e\udd80" }"#;
    let created = post("/api/roles", whole).await.created();
    assert_eq!(created["role"]["name"], "🦀");
}

/// PostgreSQL cannot store it, so it is refused on both engines.
#[tokio::test(flavor = "multi_thread")]
async fn a_nul_character_gives_422_in_every_text_field() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let fault = "must not contain the NUL character";
    admin
        .post("/api/roles", json!({ "name": "Guard" }))
        .await
        .created();
    let body = json!({ "name": "a\0", "description": "\0", "color": "#00000\0" });
    let faults = [("name", fault), ("description", fault), ("color", fault)];
    admin
        .post("/api/roles", body.clone())
        .await
        .invalid(&faults);
    admin
        .put("/api/roles/1", body.clone())
        .await
        .invalid(&faults);
    admin
        .post("/api/api-keys", body.clone())
        .await
        .invalid(&[("name", fault)]);
    admin
        .put("/api/api-keys/1", body)
        .await
        .invalid(&[("name", fault)]);

    for name in ["resource", "action", "from", "to"] {
        let answer = admin.get(&format!("/api/audit-log?{name}=a%00b")).await;
        answer.invalid(&[(name, fault)]);
    }
    let number = "must be an integer of at least 1";
    for name in ["key_id", "after", "per_page"] {
        let answer = admin.get(&format!("/api/audit-log?{name}=1%00")).await;
        answer.invalid(&[(name, number)]);
    }
    let answer = admin.get("/api/audit-log?resource_id=1%00").await;
    let number_or_none = "must be an integer from 0 to 9223372036854775807";
    answer.invalid(&[("resource_id", number_or_none)]);
    for list in ["/api/roles", "/api/api-keys"] {
        for name in ["page", "per_page", "after"] {
            let answer = admin.get(&format!("{list}?{name}=%00")).await;
            answer.invalid(&[(name, number)]);
        }
        admin
            .get(&format!("{list}?other=%00&%00=1&%ff=%fe"))
            .await
            .ok();
    }
}
