//! Unusual text: lone surrogates and NUL characters.

use reqwest::Method;
use serde_json::json;

use crate::support::{TestApp, new_user};

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

#[tokio::test(flavor = "multi_thread")]
async fn usernames_and_promo_codes_are_nfc_and_without_hidden_characters_422() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let hidden = "must not contain bidirectional or zero-width characters";
    let control = "must not contain control characters";
    for (text, fault) in [
        ("an\u{200b}na", hidden),
        ("an\u{200d}na", hidden),
        ("\u{202e}anna", hidden),
        ("anna\u{2066}", hidden),
        ("an\u{feff}na", hidden),
        ("an\u{ad}na", hidden),
        ("an\u{7}na", control),
        ("an\nna", control),
    ] {
        let mut user = new_user("anna");
        user["username"] = json!(text);
        admin
            .post("/api/users", user)
            .await
            .invalid(&[("username", fault)]);
        let promo = json!({ "code": text, "type": "amount", "value": 1 });
        admin
            .post("/api/promo-codes", promo)
            .await
            .invalid(&[("code", fault)]);
    }

    // One letter, in two forms.
    let (composed, decomposed) = ("Zo\u{eb}", "Zoe\u{308}");
    let mut user = new_user("zoe");
    user["username"] = json!(decomposed);
    let made = admin.post("/api/users", user.clone()).await.created();
    assert_eq!(made["user"]["username"], composed);
    user["username"] = json!(composed);
    user["email"] = json!("other@example.com");
    let taken = [("username", "has already been taken")];
    admin.post("/api/users", user).await.invalid(&taken);
    for login in [composed, decomposed] {
        app.sign_in(login).await;
    }
    let promo = |code: &str| json!({ "code": code, "type": "amount", "value": 1 });
    let made = admin
        .post("/api/promo-codes", promo(decomposed))
        .await
        .created();
    assert_eq!(made["promo_code"]["code"], composed);
    let taken = [("code", "has already been taken")];
    admin
        .post("/api/promo-codes", promo(composed))
        .await
        .invalid(&taken);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_from_before_the_rule_stay_and_can_be_used() {
    let app = TestApp::start().await;
    app.user("zoe").await;
    let old = "UPDATE users SET username = 'Zoe\u{308}', username_folded = 'zoe\u{308}'";
    app.app.db.run_sql(old).await.expect("an old name");
    app.sign_in("Zoe\u{308}").await;
    let body = json!({ "status": "pending" });
    let updated = app.admin().put("/api/users/1", body).await.ok();
    assert_eq!(updated["user"]["username"], "Zoe\u{308}");
}
