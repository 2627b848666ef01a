//! The rules of the fields of a ban.

use serde_json::{Value, json};

use super::{DAY, STEAM_ID, ban_of};
use crate::support::{Client, TestApp};

#[service_test]
async fn all_faults_of_a_ban_are_in_one_422(admin: Client) {
    let body = json!({
        "kind": "kick", "steam_id64": "gordon", "ip_range": "10.0.0.0/8", "user_id": 7,
        "player_name": "x".repeat(101), "server_ids": [9], "reason": " ", "note": "x".repeat(2001),
        "evidence": ["ftp://x"], "seconds": 0, "kick": 1,
    });
    let refused = admin.post("/api/bans", body).await;
    let errors = refused.error(422, "validation_failed")["errors"].clone();
    for field in [
        "kind",
        "steam_id64",
        "ip_range",
        "user_id",
        "player_name",
        "server_ids.0",
        "reason",
        "note",
        "evidence.0",
        "seconds",
        "kick",
    ] {
        assert!(errors[field].is_array(), "{field}: {errors}");
    }
}

#[service_test]
async fn a_ban_needs_someone_to_ban(admin: Client) {
    let body = json!({ "kind": "ban", "reason": "Cheating" });
    let refused = admin.post("/api/bans", body).await;
    let faults = refused.error(422, "validation_failed")["faults"].clone();
    let expected = json!([{
        "field": "steam_id64", "code": "required_unless",
        "params": { "fields": ["ip_range", "user_id"] },
    }]);
    assert_eq!(faults, expected);
}

#[service_test]
async fn a_ban_of_an_address_alone_ends_within_a_year(app: TestApp, admin: Client) {
    let with = |more: Value| {
        let mut body = json!({ "kind": "ban", "ip_range": "192.0.2.7", "reason": "Proxy" });
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        body
    };
    for (more, field, sentence) in [
        (json!({}), "expires_at", "is required"),
        (
            json!({ "seconds": 367 * DAY }),
            "seconds",
            "must lead to a time within the next year",
        ),
    ] {
        let refused = admin.post("/api/bans", with(more)).await;
        refused.invalid(&[(field, sentence)]);
    }
    admin
        .post("/api/bans", with(json!({ "seconds": 365 * DAY })))
        .await
        .created();
    let refused = admin
        .put("/api/bans/1", json!({ "expires_at": null }))
        .await;
    refused.error(422, "validation_failed");
    // With a SteamID it need not end.
    admin
        .post("/api/bans", with(json!({ "steam_id64": STEAM_ID })))
        .await
        .created();
    admin
        .put("/api/bans/2", json!({ "reason": "x" }))
        .await
        .ok();
    let past = app.core().clock.now().to_string();
    let refused = admin
        .put("/api/bans/2", json!({ "expires_at": past }))
        .await;
    refused.error(422, "validation_failed");
}

#[service_test]
async fn an_end_is_given_once_and_is_in_the_future(app: TestApp, admin: Client) {
    let now = app.core().clock.now().to_string();
    for (more, field) in [
        (
            json!({ "seconds": 60, "expires_at": "2030-01-01T00:00:00Z" }),
            "seconds",
        ),
        (
            json!({ "seconds": 60, "expires_at": "2030-01-01T00:00:00Z" }),
            "expires_at",
        ),
        (json!({ "expires_at": now }), "expires_at"),
        (
            json!({ "expires_at": "9999-01-01T00:00:00Z" }),
            "expires_at",
        ),
        (json!({ "seconds": 315_360_001 }), "seconds"),
    ] {
        let refused = admin.post("/api/bans", ban_of(STEAM_ID, more)).await;
        let errors = refused.error(422, "validation_failed");
        assert!(errors["errors"][field].is_array(), "{errors}");
    }
    for (more, expected) in [
        (json!({ "expires_at": null, "seconds": null }), Value::Null),
        (json!({ "seconds": 315_360_000 }), Value::Null),
    ] {
        let is_endless = more["seconds"].is_null();
        let made = admin
            .post("/api/bans", ban_of(STEAM_ID, more))
            .await
            .created();
        let end = &made["ban"]["expires_at"];
        assert_eq!(*end == expected, is_endless, "{end}");
    }
}

#[service_test]
async fn absent_texts_read_back_as_empty_and_null_clears_them(admin: Client) {
    let body = ban_of(STEAM_ID, json!({ "note": "x", "player_name": "y" }));
    admin.post("/api/bans", body).await.created();
    let changes = json!({ "note": null, "player_name": null });
    let changed = admin.put("/api/bans/1", changes).await.ok();
    assert_eq!(changed["ban"]["note"], "");
    assert_eq!(changed["ban"]["player_name"], "");
    for changes in [json!({ "reason": null }), json!({ "evidence": null })] {
        admin
            .put("/api/bans/1", changes)
            .await
            .error(422, "validation_failed");
    }
    // Who is banned cannot be changed; the field is ignored.
    let changes = json!({ "steam_id64": "76561197960265729", "kind": "mute" });
    let kept = admin.put("/api/bans/1", changes).await.ok();
    assert_eq!(kept["ban"]["steam_id64"], STEAM_ID);
    assert_eq!(kept["ban"]["kind"], "ban");
}
