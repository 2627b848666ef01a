//! Verified profiles and bans.

use serde_json::{Value, json};

use crate::support::providers::{OTHER_STEAM_ID, STEAM_ID, nonce};
use crate::support::{Client, TestApp};

async fn ban(admin: &Client, body: Value) -> Value {
    admin.post("/api/bans", body).await.created()["ban"].clone()
}

/// Whether the player is banned, and the user whom the check names.
async fn check(admin: &Client, steam_id: &str) -> (bool, Value) {
    let path = format!("/api/bans/check?steam_id64={steam_id}&include=user");
    let answer = admin.get(&path).await.ok();
    (answer["banned"] == true, answer["user"]["id"].clone())
}

/// Links another profile to a user who has one.
async fn link(app: &TestApp, made: &Value, steam_id: &str) {
    let token = made["session_token"].as_str().expect("a token");
    let begun = app.begin_link("steam", token).await;
    let query = begun.steam_answer(steam_id, &nonce("link")).query();
    app.finish_sign_in("steam", &begun, &query).await.ok();
}

#[service_test]
async fn a_ban_by_user_covers_profiles_verified_before_and_after_it(app: TestApp, admin: Client) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let user = made["user"]["id"].clone();
    // Without the link, only the verified profile is left.
    let links = admin
        .get(&format!("/api/users/{user}/social-networks"))
        .await
        .ok();
    let link_id = &links["social_networks"][0]["id"];
    admin
        .delete(&format!("/api/users/{user}/social-networks/{link_id}"))
        .await
        .ok();
    let issued = ban(
        &admin,
        json!({ "kind": "ban", "user_id": user, "reason": "x" }),
    )
    .await;
    assert_eq!(issued["steam_id64"], STEAM_ID);
    assert!(check(&admin, STEAM_ID).await.0);
    assert!(!check(&admin, OTHER_STEAM_ID).await.0);
    link(&app, &made, OTHER_STEAM_ID).await;
    assert!(check(&admin, OTHER_STEAM_ID).await.0);

    // Lifting all bans of the player by that profile lifts this one.
    let body = json!({ "steam_id64": OTHER_STEAM_ID, "reason": "Appealed" });
    let lifted = admin.post("/api/bans/lift", body).await.ok();
    assert_eq!(lifted["bans"].as_array().map(Vec::len), Some(1));
    assert!(!check(&admin, OTHER_STEAM_ID).await.0);
    assert!(!check(&admin, STEAM_ID).await.0);
}

#[service_test]
async fn a_ban_by_user_covers_a_profile_only_as_long_as_it_is_linked(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    ban(
        &admin,
        json!({ "kind": "ban", "user_id": anna, "reason": "x" }),
    )
    .await;
    let token = app.sign_in("anna").await;
    link(&app, &json!({ "session_token": token }), STEAM_ID).await;
    assert!(check(&admin, STEAM_ID).await.0);
    admin
        .delete(&format!("/api/users/{anna}/identities/1"))
        .await
        .ok();
    assert!(!check(&admin, STEAM_ID).await.0);
}

#[service_test]
async fn the_limit_of_a_ban_to_servers_and_its_end_hold_for_verified_profiles(
    app: TestApp,
    admin: Client,
) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let user = made["user"]["id"].clone();
    let body = json!({ "name": "A", "ip": "203.0.113.7", "port": 27015, "game": "cs2", "rcon_password": "x" });
    let server = admin.post("/api/servers", body).await.created()["server"]["id"].clone();
    let body = json!({
        "kind": "ban", "user_id": user, "steam_id64": OTHER_STEAM_ID, "server_ids": [server],
        "reason": "x", "seconds": 60,
    });
    ban(&admin, body).await;
    let at = async |server: i64| {
        let path = format!("/api/bans/check?steam_id64={STEAM_ID}&server_id={server}");
        admin.get(&path).await.ok()["banned"] == true
    };
    let server = server.as_i64().expect("an id");
    assert!(at(server).await);
    assert!(!at(server + 1).await);
    app.advance(60);
    assert!(!at(server).await);
}

#[service_test]
async fn include_user_finds_by_verified_profile_before_social_link(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    app.link(anna, 1, STEAM_ID).await;
    assert_eq!(check(&admin, STEAM_ID).await.1, anna);
    let made = app.steam_sign_in(STEAM_ID).await;
    assert_eq!(check(&admin, STEAM_ID).await.1, made["user"]["id"]);
}

#[service_test]
async fn a_ban_of_the_verified_profile_of_an_operator_needs_their_permissions_403(
    app: TestApp,
    admin: Client,
) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let user = made["user"]["id"].clone();
    let links = admin
        .get(&format!("/api/users/{user}/social-networks"))
        .await
        .ok();
    let link_id = &links["social_networks"][0]["id"];
    admin
        .delete(&format!("/api/users/{user}/social-networks/{link_id}"))
        .await
        .ok();
    let body = json!({ "permission_ids": [3] });
    admin
        .put(&format!("/api/operators/{user}"), body)
        .await
        .created();
    let caller = app.actor(&["admin.bans"]).await;
    let body = json!({ "kind": "ban", "steam_id64": STEAM_ID, "reason": "x" });
    caller
        .post("/api/bans", body)
        .await
        .error(403, "privilege_escalation");
}
