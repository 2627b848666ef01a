//! Unusual text: lone surrogates and NUL characters.

use reqwest::Method;
use serde_json::json;

use crate::support::{Client, TestApp, new_user};

#[service_test]
async fn a_lone_surrogate_gives_422_and_a_pair_is_kept(admin: Client) {
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

/// They would break the lines of a log, or change a terminal.
#[service_test]
async fn a_control_character_gives_422_in_every_name_and_title(admin: Client) {
    let fault = "must not contain control characters";
    for text in ["a\u{1}", "\u{1b}[31mred", "two\nlines", "a\u{85}"] {
        for (path, field) in [
            ("/api/roles", "name"),
            ("/api/api-keys", "name"),
            ("/api/servers", "name"),
            ("/api/payment-gateways", "name"),
            ("/api/webhooks", "name"),
            ("/api/cms-pages", "title"),
            ("/api/cms-pages", "meta_title"),
            ("/api/navbar-items", "title"),
            ("/api/social-networks", "title"),
        ] {
            let answer = admin.post(path, json!({ field: text })).await;
            let errors = &answer.error(422, "validation_failed")["errors"];
            assert_eq!(errors[field], json!([fault]), "{path} {field}");
        }
        let answer = admin.post("/api/users", new_user(text)).await;
        answer.error(422, "validation_failed");
    }
    // Other text may have several lines.
    let body = json!({ "name": "Guard", "description": "two\nlines" });
    admin.post("/api/roles", body).await.created();
}

/// PostgreSQL cannot store it, so it is refused on both engines.
#[service_test]
async fn a_nul_character_gives_422_in_every_text_field(admin: Client) {
    let fault = "must not contain the NUL character";
    admin.create_role("Guard").await;
    let body = json!({ "name": "a\0", "description": "\0", "color": "#00000\0" });
    let faults = [("name", fault), ("description", fault), ("color", fault)];
    let answer = admin.post("/api/roles", body.clone()).await;
    answer.invalid(&faults);
    let answer = admin.put("/api/roles/1", body.clone()).await;
    answer.invalid(&faults);
    let answer = admin.post("/api/api-keys", body.clone()).await;
    answer.invalid(&[("name", fault)]);
    let answer = admin.put("/api/api-keys/1", body).await;
    answer.invalid(&[("name", fault)]);

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
        let answer = admin.get(&format!("{list}?other=%00&%00=1&%ff=%fe")).await;
        answer.ok();
    }
}

#[service_test]
async fn usernames_and_promo_codes_are_nfc_and_without_hidden_characters_422(app: TestApp) {
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
        let answer = admin.post("/api/users", user).await;
        answer.invalid(&[("username", fault)]);
        let promo = json!({ "code": text, "type": "amount", "value": 1 });
        let answer = admin.post("/api/promo-codes", promo).await;
        answer.invalid(&[("code", fault)]);
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
    let answer = admin.post("/api/promo-codes", promo(decomposed)).await;
    let made = answer.created();
    assert_eq!(made["promo_code"]["code"], composed);
    let taken = [("code", "has already been taken")];
    let answer = admin.post("/api/promo-codes", promo(composed)).await;
    answer.invalid(&taken);
}

#[service_test]
async fn an_email_address_is_not_normalised_and_is_a_login_as_it_was_typed(app: TestApp) {
    let mut user = new_user("zoe");
    user["email"] = json!("zoe\u{308}@example.com");
    let made = app.admin().post("/api/users", user).await.created();
    assert_eq!(made["user"]["email"], "zoe\u{308}@example.com");
    app.sign_in("Zoe\u{308}@example.com").await;
}
