//! Signing in with Steam and Discord, with providers of the tests on loopback.
//!
//! docs/testing.md names the test of each condition.

mod bans;
mod discord;
mod hostile;
mod limits;
mod linking;
mod races;
mod secrecy;
mod state;
mod steam;
mod unlinking;

use serde_json::{Value, json};

use crate::support::providers::{
    self, DISCORD_ID, Fake, OTHER_STEAM_ID, RETURN_TO, STEAM_ID, nonce,
};
use crate::support::{Answer, Client, TestApp, assert_fields, new_user};

/// A service and its providers.
pub async fn start() -> (Fake, TestApp) {
    let fake = Fake::start().await;
    let app = TestApp::start_with_providers(&fake).await;
    (fake, app)
}

/// The body that finishes a sign-in, with further fields.
pub fn body_with(begun: &providers::Begun, query: &str, further: Value) -> Value {
    let mut body = providers::finish_body(begun, query);
    for (name, value) in further.as_object().expect("fields") {
        body[name] = value.clone();
    }
    body
}

/// Finishes to sign in with Steam, with further fields in the body.
pub async fn finish_with(app: &TestApp, steam_id: &str, text: &str, further: Value) -> Answer {
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(steam_id, &nonce(text)).query();
    let body = body_with(&begun, &query, further);
    app.admin().post("/api/sign-in/steam/finish", body).await
}

pub async fn users(app: &TestApp) -> i64 {
    app.number("SELECT COUNT(*) FROM users").await
}

pub async fn sessions(app: &TestApp) -> i64 {
    app.number("SELECT COUNT(*) FROM user_sessions").await
}

pub async fn states(app: &TestApp) -> i64 {
    app.number("SELECT COUNT(*) FROM sign_in_states").await
}

pub async fn identities(app: &TestApp, user_id: i64) -> Vec<Value> {
    let path = format!("/api/users/{user_id}/identities");
    let list = app.admin().get(&path).await.ok();
    list["identities"].as_array().expect("a list").clone()
}

/// The actions in the audit log since an entry, in order.
pub async fn actions(app: &TestApp) -> Vec<String> {
    let log = app.admin().get("/api/audit-log?sort=id&per_page=100").await;
    let log = log.ok();
    let entries = log["audit_log"].as_array().expect("a list").iter();
    let action = |entry: &Value| entry["action"].as_str().expect("an action").to_owned();
    entries.map(action).collect()
}

#[service_test]
async fn a_new_profile_becomes_a_user_and_then_signs_in(app: TestApp) {
    let before = actions(&app).await.len();
    let made = app.steam_sign_in(STEAM_ID).await;
    assert_fields(
        &made,
        &["message", "session_token", "device", "user", "created"],
    );
    assert_fields(
        &made["user"],
        &["id", "username", "email", "created_at", "status"],
    );
    assert_eq!(made["created"], true);
    let id = made["user"]["id"].as_i64().expect("an id");
    assert_eq!(made["user"]["username"], format!("player-{id}"));
    let address = format!("user-{id}@no-email.invalid");
    assert_eq!(made["user"]["email"], address.as_str());
    assert_eq!(made["user"]["status"], "active");
    let token = made["session_token"].as_str().expect("a token");
    assert_eq!(app.verify(token).await.ok()["user"]["id"], id);
    assert_eq!(
        actions(&app).await[before..],
        [
            "users.create",
            "users.link_identity",
            "users.add_social_network",
            "sessions.create"
        ]
    );
    let expected = json!({
        "id": 1, "provider": "steam", "subject": STEAM_ID,
        "linked_at": "2026-03-01T12:00:00Z", "last_used_at": "2026-03-01T12:00:00Z",
    });
    assert_eq!(identities(&app, id).await, [expected]);

    app.advance(60);
    let again = app.steam_sign_in(STEAM_ID).await;
    assert_eq!(
        (&again["created"], &again["user"]["id"]),
        (&json!(false), &json!(id))
    );
    assert_ne!(again["session_token"], made["session_token"]);
    assert_eq!(users(&app).await, 1);
    let identity = &identities(&app, id).await[0];
    assert_eq!(identity["linked_at"], "2026-03-01T12:00:00Z");
    assert_eq!(identity["last_used_at"], "2026-03-01T12:01:00Z");
    let entry = app.admin().get("/api/audit-log?per_page=1").await.ok();
    let entry = &entry["audit_log"][0];
    assert_eq!(entry["action"], "sessions.create");
    assert_eq!(entry["after"]["provider"], "steam");
    assert_eq!(entry["after"]["user_id"], id);
}

#[service_test]
async fn nobody_is_found_by_a_social_link_a_name_or_an_address(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    app.link(anna, 1, STEAM_ID).await;
    app.link(anna, 2, DISCORD_ID).await;
    // The name that a new user gets, and the address.
    for name in ["player-3", "gordon"] {
        admin.post("/api/users", new_user(name)).await.created();
    }
    let mut squatter = new_user("squatter");
    squatter["email"] = json!("user-5@no-email.invalid");
    admin.post("/api/users", squatter).await.created();
    let made = app.steam_sign_in(STEAM_ID).await;
    assert_eq!(
        (&made["created"], &made["user"]["id"]),
        (&json!(true), &json!(5))
    );
    let email = made["user"]["email"].as_str().expect("an address");
    assert!(
        email.starts_with("user-5-") && email.ends_with("@no-email.invalid"),
        "{email}"
    );

    let begun = app.begin_sign_in("discord").await;
    let finished = app
        .finish_sign_in("discord", &begun, &begun.discord_answer())
        .await;
    assert_eq!(finished.created()["created"], true);
    assert_eq!(identities(&app, anna).await.len(), 0);
}

#[service_test]
async fn a_name_that_is_taken_gets_a_hyphen_and_digits(app: TestApp) {
    app.user("anna").await;
    let made = finish_with(&app, STEAM_ID, "a", json!({ "username": "Anna" }))
        .await
        .created();
    let name = made["user"]["username"].as_str().expect("a name");
    let digits = name.strip_prefix("Anna-").expect(name);
    assert!(
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()),
        "{name}"
    );
    let long = "é".repeat(100);
    for (i, id) in [76_561_197_960_265_740_u64, 76_561_197_960_265_741]
        .into_iter()
        .enumerate()
    {
        let body = json!({ "username": long });
        let made = finish_with(&app, &id.to_string(), &format!("b{i}"), body)
            .await
            .created();
        let name = made["user"]["username"]
            .as_str()
            .expect("a name")
            .to_owned();
        assert_eq!((name == long, name.chars().count()), (i == 0, 100));
    }
    // Ignored for a known profile.
    let again = finish_with(&app, STEAM_ID, "c", json!({ "username": "Berta" }))
        .await
        .created();
    assert_eq!(again["user"]["username"], name);
}

#[service_test]
async fn without_create_an_unknown_profile_gives_422_unknown_identity(app: TestApp) {
    let unknown = finish_with(&app, STEAM_ID, "a", json!({ "create": false })).await;
    unknown.error(422, "unknown_identity");
    assert_eq!(users(&app).await, 0);
    app.steam_sign_in(STEAM_ID).await;
    finish_with(&app, STEAM_ID, "b", json!({ "create": false }))
        .await
        .created();
}

#[service_test]
async fn a_blocked_user_gets_403_with_the_terms(app: TestApp, admin: Client) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let id = &made["user"]["id"];
    let path = format!("/api/users/{id}/block");
    admin.post(&path, json!({ "reason": "Spam" })).await.ok();
    let (before, begun) = (sessions(&app).await, app.begin_sign_in("steam").await);
    let query = begun.steam_answer(STEAM_ID, &nonce("blocked")).query();
    let refused = app.finish_sign_in("steam", &begun, &query).await;
    assert_eq!(refused.error(403, "user_blocked")["reason"], "Spam");
    assert_eq!(sessions(&app).await, before);
    let entry = admin.get("/api/audit-log?per_page=1").await.ok()["audit_log"][0].clone();
    let expected =
        json!({ "user_id": id, "client_ip": null, "provider": "steam", "code": "user_blocked" });
    assert_eq!(
        (&entry["action"], &entry["after"]),
        (&json!("sessions.fail"), &expected)
    );

    // Nothing was used up.
    admin
        .post_empty(&format!("/api/users/{id}/unblock"))
        .await
        .ok();
    app.finish_sign_in("steam", &begun, &query).await.created();
}

#[service_test]
async fn the_social_link_is_added_if_the_user_has_none_of_the_network(app: TestApp, admin: Client) {
    let id = app.steam_sign_in(STEAM_ID).await["user"]["id"].clone();
    let path = format!("/api/users/{id}/social-networks");
    let links = admin.get(&path).await.ok();
    let link = &links["social_networks"][0];
    assert_eq!(
        (&link["network"], &link["profile_url"]),
        (&json!("steam"), &json!(STEAM_ID))
    );

    // A link that somebody typed stays.
    admin.delete(&format!("{path}/{}", link["id"])).await.ok();
    let body = json!({ "network_id": 1, "profile_url": OTHER_STEAM_ID });
    admin.post(&path, body).await.created();
    app.steam_sign_in(STEAM_ID).await;
    let links = admin.get(&path).await.ok();
    assert_eq!(links["social_networks"].as_array().map(Vec::len), Some(1));
    assert_eq!(links["social_networks"][0]["profile_url"], OTHER_STEAM_ID);
}

#[service_test]
async fn erasing_a_user_removes_the_profiles_and_masks_them_in_the_audit_log(
    app: TestApp,
    admin: Client,
) {
    let id = app.steam_sign_in(STEAM_ID).await["user"]["id"].clone();
    admin
        .post_empty(&format!("/api/users/{id}/erase"))
        .await
        .ok();
    assert_eq!(app.number("SELECT COUNT(*) FROM user_identities").await, 0);
    assert_eq!(sessions(&app).await, 0);
    let log = admin.get("/api/audit-log?per_page=100").await;
    assert!(!log.text.contains(STEAM_ID), "{}", log.text);
    // The profile is free again.
    assert_eq!(app.steam_sign_in(STEAM_ID).await["created"], true);
}

#[service_test]
async fn all_faults_of_a_request_are_in_one_422(admin: Client) {
    let body = json!({ "return_to": "", "session_token": 1, "client_ip": "here" });
    admin
        .post("/api/sign-in/steam/start", body)
        .await
        .invalid(&[
            ("return_to", "must be 1 to 2048 characters long"),
            ("session_token", "must be a string"),
            ("client_ip", "must be an IPv4 or IPv6 address"),
        ]);
    let body = json!({ "query": "", "username": " a", "create": 1 });
    admin
        .post("/api/sign-in/steam/finish", body)
        .await
        .invalid(&[
            ("query", "must be 1 to 8192 characters long"),
            ("browser_token", "is required"),
            ("device_name", "is required"),
            ("user_agent", "is required"),
            ("username", "must not begin or end with white space"),
            ("create", "must be true or false"),
        ]);
    let body = json!({ "return_to": format!("{RETURN_TO}/") });
    let refused = admin.post("/api/sign-in/steam/start", body).await;
    let text = "must be exactly one of the URLs that --sign-in-return-to names";
    refused.invalid(&[("return_to", text)]);
}
