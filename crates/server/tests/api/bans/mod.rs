//! Bans and mutes of players on game servers.

mod check;
mod commands;
mod escalation;
mod feed;
mod input;
mod list;
mod plans;
mod users;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, at_once, count};

const DAY: i64 = 86_400;
const STEAM_ID: &str = "76561197969249708";
const OTHER_STEAM_ID: &str = "76561197960265729";

/// A ban of a SteamID, with further fields.
fn ban_of(steam_id: &str, more: Value) -> Value {
    let mut body = json!({ "kind": "ban", "steam_id64": steam_id, "reason": "Cheating" });
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

async fn issue(client: &Client, body: Value) -> Value {
    client.post("/api/bans", body).await.created()["ban"].take()
}

async fn read(client: &Client, ban: &Value) -> Value {
    let path = format!("/api/bans/{}", ban["id"]);
    client.get(&path).await.ok()["ban"].take()
}

async fn lift(client: &Client, ban: &Value) -> Value {
    let path = format!("/api/bans/{}/lift", ban["id"]);
    let body = json!({ "reason": "Appealed" });
    client.post(&path, body).await.ok()["ban"].take()
}

/// The ids of the bans that a check of `query` finds, and whether one of them is a ban.
async fn check(client: &Client, query: &str) -> (bool, Vec<i64>) {
    let answer = client.get(&format!("/api/bans/check?{query}")).await.ok();
    let bans = answer["bans"].as_array().expect("a list").iter();
    let ids = bans.map(|ban| ban["id"].as_i64().expect("an id"));
    (answer["banned"].as_bool().expect("a flag"), ids.collect())
}

#[service_test]
async fn a_ban_is_issued_changed_and_lifted(app: TestApp, admin: Client) {
    let body = ban_of(
        "STEAM_0:0:4491990",
        json!({
            "player_name": "Gordon", "note": "Seen by Anna", "seconds": DAY,
            "evidence": ["https://example.org/demo"],
        }),
    );
    let made = admin.post("/api/bans", body).await.created();
    assert_eq!(made["message"], "Ban created.");
    let ban = &made["ban"];
    let now = app.core().clock.now();
    let expected = json!({
        "id": 1, "kind": "ban", "steam_id64": STEAM_ID, "ip_range": null, "user_id": null,
        "player_name": "Gordon", "server_ids": [], "reason": "Cheating", "note": "Seen by Anna",
        "evidence": ["https://example.org/demo"], "created_at": now.to_string(),
        "expires_at": kernel::types::Timestamp::from_unix(now.unix() + DAY).to_string(),
        "state": "active", "issued_by": { "kind": "key", "id": 1, "name": "admin" },
        "lifted_by": null, "lifted_at": null, "lift_reason": null, "source": null,
    });
    assert_eq!(ban, &expected);

    let path = "/api/bans/1";
    let changes = json!({ "reason": "Aimbot", "expires_at": null, "evidence": [] });
    let changed = admin.put(path, changes).await.ok()["ban"].take();
    assert_eq!(changed["reason"], "Aimbot");
    assert_eq!(changed["expires_at"], Value::Null);
    assert_eq!(changed["note"], "Seen by Anna");
    assert_eq!(admin.put(path, json!({})).await.ok()["ban"], changed);

    let lifted = lift(&admin, ban).await;
    assert_eq!(lifted["state"], "lifted");
    assert_eq!(lifted["lift_reason"], "Appealed");
    assert_eq!(lifted["lifted_by"]["name"], "admin");
    let again = json!({ "reason": "Another reason" });
    let again = admin.post("/api/bans/1/lift", again).await.ok()["ban"].take();
    assert_eq!(again, lifted, "it stays as it was lifted first");
    let refused = admin.put(path, json!({ "reason": "x" })).await;
    refused.error(409, "ban_not_active");
    let refused = admin.post_empty("/api/bans/1/kick").await;
    refused.error(409, "ban_not_active");
}

#[service_test]
async fn an_expired_ban_is_neither_changed_lifted_nor_kicked(app: TestApp, admin: Client) {
    let ban = issue(&admin, ban_of(STEAM_ID, json!({ "seconds": 60 }))).await;
    app.advance(59);
    assert_eq!(read(&admin, &ban).await["state"], "active");
    app.advance(1);
    assert_eq!(read(&admin, &ban).await["state"], "expired");
    let refused = admin.put("/api/bans/1", json!({ "reason": "x" })).await;
    refused.error(409, "ban_not_active");
    let refused = admin
        .post("/api/bans/1/lift", json!({ "reason": "x" }))
        .await;
    refused.error(409, "ban_not_active");
    let refused = admin.post_empty("/api/bans/1/kick").await;
    refused.error(409, "ban_not_active");
}

#[service_test]
async fn all_active_bans_of_a_player_are_lifted_with_an_entry_for_each(
    app: TestApp,
    admin: Client,
) {
    for kind in ["ban", "mute"] {
        issue(&admin, ban_of(STEAM_ID, json!({ "kind": kind }))).await;
    }
    issue(&admin, ban_of(STEAM_ID, json!({ "seconds": 5 }))).await;
    let other = issue(&admin, ban_of(OTHER_STEAM_ID, json!({}))).await;
    app.advance(5);
    let body = json!({ "steam_id64": "[U:1:8983980]", "reason": "Amnesty" });
    let lifted = admin.post("/api/bans/lift", body.clone()).await.ok();
    let ids: Vec<_> = lifted["bans"].as_array().expect("a list").iter().collect();
    assert_eq!(ids.len(), 2, "the third has expired: {lifted}");
    assert_eq!(lifted["bans"][0]["state"], "lifted");
    assert_eq!(read(&admin, &other).await["state"], "active");
    let again = admin.post("/api/bans/lift", body).await.ok();
    assert_eq!(again["bans"], json!([]));
    let log = admin.get("/api/audit-log?action=bans.lift").await.ok();
    assert_eq!(log["audit_log"].as_array().map(Vec::len), Some(2));
    let log = admin.get("/api/audit-log?action=bans.lift_all").await.ok();
    assert_eq!(log["audit_log"][1]["after"], json!({ "ids": [1, 2] }));

    for body in [
        json!({ "reason": "x" }),
        json!({ "reason": "x", "steam_id64": STEAM_ID, "user_id": 1 }),
    ] {
        let refused = admin.post("/api/bans/lift", body).await;
        refused.error(422, "validation_failed");
    }
}

#[service_test]
async fn a_ban_lifted_by_many_at_once_is_lifted_once(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let elsewhere = second.holder(app.admin_key());
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    let attempt = |number: usize| {
        let client = [&admin, &elsewhere][number % 2].clone();
        let body = json!({ "reason": format!("Reason {number}") });
        async move { client.post("/api/bans/1/lift", body).await }
    };
    let answers = at_once((0..20).map(attempt)).await;
    assert_eq!(count(&answers, 200), 20);
    let mut reasons: Vec<Value> = Vec::new();
    for answer in answers {
        reasons.push(answer.ok()["ban"]["lift_reason"].clone());
    }
    reasons.dedup();
    assert_eq!(reasons.len(), 1, "all see the first: {reasons:?}");
}
