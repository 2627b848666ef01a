//! Unlinking a profile.

use serde_json::json;

use super::identities;
use crate::support::providers::STEAM_ID;
use crate::support::{Client, TestApp};

#[service_test]
async fn unlinking_ends_the_sessions_begun_with_the_profile(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    let by_password = app.sign_in("anna").await;
    let steam = app.begin_link("steam", &by_password).await;
    let query = steam
        .steam_answer(STEAM_ID, "2026-03-01T12:00:00Zlink")
        .query();
    app.finish_sign_in("steam", &steam, &query).await.ok();
    let discord = app.begin_link("discord", &by_password).await;
    app.finish_sign_in("discord", &discord, &discord.discord_answer())
        .await
        .ok();
    let token =
        |made: &serde_json::Value| made["session_token"].as_str().expect("a token").to_owned();
    let by_steam = token(&app.steam_sign_in(STEAM_ID).await);
    let begun = app.begin_sign_in("discord").await;
    let finished = app
        .finish_sign_in("discord", &begun, &begun.discord_answer())
        .await;
    let by_discord = token(&finished.created());

    let identity = identities(&app, anna).await[0].clone();
    let path = format!("/api/users/{anna}/identities/{}", identity["id"]);
    let unlinked = admin.delete(&path).await;
    unlinked.ok();
    app.verify(&by_steam).await.error(422, "session_invalid");
    app.verify(&by_discord).await.ok();
    app.verify(&by_password).await.ok();
    assert_eq!(identities(&app, anna).await.len(), 1);
    let entries = admin
        .get("/api/audit-log?action=users.unlink_identity")
        .await
        .ok();
    let expected = json!({ "identities.1.provider": "steam", "identities.1.subject": STEAM_ID });
    assert_eq!(entries["audit_log"][0]["before"], expected);
    admin.delete(&path).await.not_found();

    // The profile is free: it belongs to nobody now.
    let made = app.steam_sign_in(STEAM_ID).await;
    assert_eq!(made["created"], true);
    // That of another user is 404.
    let other = identities(&app, made["user"]["id"].as_i64().expect("an id")).await[0].clone();
    let path = format!("/api/users/{anna}/identities/{}", other["id"]);
    admin.delete(&path).await.not_found();
}

#[service_test]
async fn the_last_way_to_sign_in_stays_409(app: TestApp, admin: Client) {
    let made = app.steam_sign_in(STEAM_ID).await;
    let user = made["user"]["id"].as_i64().expect("an id");
    let token = made["session_token"].as_str().expect("a token");
    let first = identities(&app, user).await[0]["id"].clone();
    let path = format!("/api/users/{user}/identities/{first}");
    admin.delete(&path).await.error(409, "last_sign_in_method");
    app.verify(token).await.ok();
    assert_eq!(identities(&app, user).await.len(), 1);

    // Another profile is enough, and so is a password.
    let begun = app.begin_link("discord", token).await;
    app.finish_sign_in("discord", &begun, &begun.discord_answer())
        .await
        .ok();
    admin.delete(&path).await.ok();
    let second = identities(&app, user).await[0]["id"].clone();
    let path = format!("/api/users/{user}/identities/{second}");
    admin.delete(&path).await.error(409, "last_sign_in_method");
    let body = json!({ "password": "battery staple" });
    admin.put(&format!("/api/users/{user}"), body).await.ok();
    admin.delete(&path).await.ok();
}
