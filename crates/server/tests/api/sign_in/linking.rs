//! Linking a profile to the user of a session.

use serde_json::json;

use super::{body_with, identities, sessions, states, users};
use crate::support::providers::{DISCORD_ID, OTHER_STEAM_ID, RETURN_TO, STEAM_ID, nonce};
use crate::support::{Client, TestApp, assert_fields};

#[service_test]
async fn a_profile_is_linked_to_the_user_of_a_session(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    let token = app.sign_in("anna").await;
    let begun = app.begin_link("steam", &token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let before = sessions(&app).await;
    let answer = app.finish_sign_in("steam", &begun, &query).await;
    let linked = answer.ok();
    assert_fields(&linked, &["message", "user"]);
    assert_eq!(linked["user"]["id"], anna);
    let single = admin.get(&format!("/api/users/{anna}")).await;
    let tag = single
        .header("etag")
        .split_once('.')
        .map_or(String::new(), |(tag, _)| tag.to_owned());
    assert!(answer.header("etag").starts_with(&tag), "{tag}");
    assert_eq!((sessions(&app).await, users(&app).await), (before, 1));
    let identity = &identities(&app, anna).await[0];
    assert_eq!(
        (&identity["subject"], &identity["last_used_at"]),
        (&json!(STEAM_ID), &json!(null))
    );
    let entries = admin
        .get("/api/audit-log?action=users.link_identity")
        .await
        .ok();
    let entry = &entries["audit_log"][0];
    assert_eq!(entry["resource_id"], anna);
    let expected = json!({ "identities.1.provider": "steam", "identities.1.subject": STEAM_ID });
    assert_eq!(entry["after"], expected);

    let signed_in = app.steam_sign_in(STEAM_ID).await;
    assert_eq!(
        (&signed_in["created"], &signed_in["user"]["id"]),
        (&json!(false), &json!(anna))
    );
}

#[service_test]
async fn linking_ones_own_profile_again_is_200_and_changes_nothing(app: TestApp) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let token = made["session_token"].as_str().expect("a token");
    let id = made["user"]["id"].as_i64().expect("an id");
    let before = identities(&app, id).await;
    let begun = app.begin_link("steam", token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("again")).query();
    let answer = app.finish_sign_in("steam", &begun, &query).await;
    assert_eq!(answer.ok()["user"]["id"], id);
    assert_eq!(identities(&app, id).await, before);
}

#[service_test]
async fn an_answer_links_once(app: TestApp) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    let begun = app.begin_link("steam", &token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    app.finish_sign_in("steam", &begun, &query).await.ok();
    let other = begun.steam_answer(OTHER_STEAM_ID, &nonce("b")).query();
    for query in [query, other] {
        let refused = app.finish_sign_in("steam", &begun, &query).await;
        refused.error(422, "sign_in_failed");
    }
    // Its nonce is used up, too.
    let begun = app.begin_link("steam", &token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let refused = app.finish_sign_in("steam", &begun, &query).await;
    refused.error(422, "sign_in_failed");
}

#[service_test]
async fn a_profile_of_another_user_gives_409_identity_taken(app: TestApp) {
    app.steam_sign_in(STEAM_ID).await;
    let anna = app.user("anna").await;
    let token = app.sign_in("anna").await;
    let begun = app.begin_link("steam", &token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let refused = app.finish_sign_in("steam", &begun, &query).await;
    refused.error(409, "identity_taken");
    assert_eq!(identities(&app, anna).await.len(), 0);
    // Nothing was used up.
    let other = begun.steam_answer(OTHER_STEAM_ID, &nonce("a")).query();
    app.finish_sign_in("steam", &begun, &other).await.ok();
    assert_eq!(identities(&app, anna).await.len(), 1);
}

#[service_test]
async fn a_user_may_have_profiles_of_both_providers(app: TestApp) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let token = made["session_token"].as_str().expect("a token");
    let begun = app.begin_link("discord", token).await;
    app.finish_sign_in("discord", &begun, &begun.discord_answer())
        .await
        .ok();
    let id = made["user"]["id"].as_i64().expect("an id");
    let subjects: Vec<_> = identities(&app, id)
        .await
        .into_iter()
        .map(|one| one["subject"].clone())
        .collect();
    assert_eq!(subjects, [STEAM_ID, DISCORD_ID]);
}

#[service_test]
async fn a_session_token_that_is_not_valid_gives_422(app: TestApp, admin: Client) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    let body = |token: &str| json!({ "return_to": RETURN_TO, "session_token": token });
    let refused = admin
        .post("/api/sign-in/steam/start", body("sts_unknown"))
        .await;
    refused.error(422, "session_invalid");
    admin.post_empty("/api/users/1/block").await.ok();
    let refused = admin.post("/api/sign-in/steam/start", body(&token)).await;
    refused.error(403, "user_blocked");
    assert_eq!(states(&app).await, 0);
}

/// Who has stolen a session cannot keep the access after the password was changed.
#[service_test]
async fn a_sign_in_ends_with_the_session_that_it_would_link_to(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    let token = app.sign_in("anna").await;
    let begun = app.begin_link("steam", &token).await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let body = json!({ "password": "another password" });
    admin.put(&format!("/api/users/{anna}"), body).await.ok();
    let refused = app.finish_sign_in("steam", &begun, &query).await;
    refused.error(422, "sign_in_failed");
    assert_eq!(
        (identities(&app, anna).await.len(), users(&app).await),
        (0, 1)
    );
}

#[service_test]
async fn a_user_who_was_blocked_meanwhile_gets_403(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    let token = app.sign_in("anna").await;
    let begun = app.begin_link("steam", &token).await;
    admin
        .post_empty(&format!("/api/users/{anna}/block"))
        .await
        .ok();
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let refused = app.finish_sign_in("steam", &begun, &query).await;
    refused.error(403, "user_blocked");
    assert_eq!(identities(&app, anna).await.len(), 0);
}

#[service_test]
async fn a_user_has_at_most_50_profiles_409(app: TestApp) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    let first = 76_561_197_960_265_800_u64;
    let client = app.admin();
    for i in 0..51_u64 {
        // Each from its own network, because of the limit.
        let body = json!({
            "return_to": RETURN_TO, "session_token": token, "client_ip": format!("192.0.2.{i}"),
        });
        let begun = crate::support::providers::begin(&client, "steam", body).await;
        let answer = begun.steam_answer(&(first + i).to_string(), &nonce(&format!("n{i}")));
        let body = body_with(&begun, &answer.query(), json!({}));
        let answer = client.post("/api/sign-in/steam/finish", body).await;
        match i {
            50 => drop(answer.error(409, "too_many_identities")),
            _ => drop(answer.ok()),
        }
    }
}
