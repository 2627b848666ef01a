//! Commands for the consoles of servers: kicks, mutes, and their end.

use moderation::bans::commands::sender;
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::{DAY, STEAM_ID, ban_of, issue, lift, read};
use crate::support::{Client, TestApp, server_with_console};

async fn set_commands(admin: &Client, server: i64) {
    let body = json!({
        "kick_command": "kickid \"{steam_id3}\" {ban_id}",
        "mute_command": "mute {steam_id64} {seconds}",
        "unmute_command": "unmute {steam_id64}",
    });
    let path = format!("/api/servers/{server}/commands");
    admin.put(&path, body).await.ok();
}

async fn send(app: &TestApp) {
    sender::once(&app.app.ban_commands).await.expect("sent");
}

async fn kicks(admin: &Client, ban: &Value) -> Value {
    read(admin, ban).await["kicks"].take()
}

#[service_test]
async fn commands_of_a_server_are_set_and_shown(app: TestApp, admin: Client) {
    let (_server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let path = format!("/api/servers/{id}/commands");
    let empty = json!({ "kick_command": null, "mute_command": null, "unmute_command": null });
    assert_eq!(admin.get(&path).await.ok()["commands"], empty);
    let changes = json!({ "kick_command": "kick {steam_id64}" });
    let changed = admin.put(&path, changes).await.ok();
    assert_eq!(changed["commands"]["kick_command"], "kick {steam_id64}");
    assert_eq!(changed["commands"]["mute_command"], Value::Null);
    for command in [
        "kick {username}",
        "kick {steam_id2}",
        "x\ny",
        "kick {",
        "",
        &"x".repeat(201),
    ] {
        let refused = admin.put(&path, json!({ "kick_command": command })).await;
        refused.error(422, "validation_failed");
    }
    admin.put(&path, json!({ "kick_command": null })).await.ok();
    assert_eq!(admin.get(&path).await.ok()["commands"], empty);
    let reader = app.actor(&["admin.servers.read"]).await;
    reader.get(&path).await.error(403, "missing_permission");
}

#[service_test]
async fn a_ban_kicks_the_player_from_the_servers_in_its_scope(app: TestApp, admin: Client) {
    let (one, first) = server_with_console(&admin, Behaviour::Valve).await;
    let (other, second) = server_with_console(&admin, Behaviour::Valve).await;
    for server in [first, second] {
        set_commands(&admin, server).await;
    }
    let ban = issue(&admin, ban_of(STEAM_ID, json!({ "server_ids": [first] }))).await;
    let expected = json!([{ "server_id": first, "state": "pending", "error": null }]);
    assert_eq!(kicks(&admin, &ban).await, expected);
    send(&app).await;
    let expected = json!([{ "server_id": first, "state": "sent", "error": null }]);
    assert_eq!(kicks(&admin, &ban).await, expected);
    assert_eq!(one.commands(), ["kickid \"[U:1:8983980]\" 1"]);
    assert!(other.commands().is_empty());
    let log = admin.get("/api/audit-log?action=servers.rcon").await.ok();
    assert_eq!(log["audit_log"][0]["key_name"], "system");

    let again = admin.post_empty("/api/bans/1/kick").await;
    assert_eq!(again.status, 202);
    send(&app).await;
    assert_eq!(one.commands().len(), 2);
}

#[service_test]
async fn a_mute_runs_the_commands_of_mutes(app: TestApp, admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    set_commands(&admin, id).await;
    let mute = issue(
        &admin,
        ban_of(STEAM_ID, json!({ "kind": "gag", "seconds": DAY })),
    )
    .await;
    send(&app).await;
    assert_eq!(server.commands(), [format!("mute {STEAM_ID} {DAY}")]);
    assert_eq!(kicks(&admin, &mute).await, json!([]));
    lift(&admin, &mute).await;
    send(&app).await;
    assert_eq!(server.commands()[1], format!("unmute {STEAM_ID}"));
    let mutes = read(&admin, &mute).await["mutes"].take();
    let expected = json!([
        { "server_id": id, "command": "mute", "state": "sent", "error": null },
        { "server_id": id, "command": "unmute", "state": "sent", "error": null },
    ]);
    assert_eq!(mutes, expected);
}

#[service_test]
async fn nobody_is_kicked_without_a_steam_id_a_command_or_a_reachable_server(
    app: TestApp,
    admin: Client,
) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    set_commands(&admin, id).await;
    let address = json!({ "kind": "ban", "ip_range": "192.0.2.7", "reason": "x", "seconds": 60 });
    issue(&admin, address).await;
    issue(&admin, ban_of(STEAM_ID, json!({ "kick": false }))).await;
    admin
        .post_empty(&format!("/api/servers/{id}/toggle"))
        .await
        .ok();
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    send(&app).await;
    assert!(server.commands().is_empty());
    for ban in 1..=4 {
        assert_eq!(
            kicks(&admin, &json!({ "id": ban })).await,
            json!([]),
            "{ban}"
        );
    }
}

#[service_test]
async fn a_server_that_is_down_is_tried_for_60_seconds(app: TestApp, admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    set_commands(&admin, id).await;
    server.stop().await;
    let ban = issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    for _ in 0..12 {
        send(&app).await;
        let kick = &kicks(&admin, &ban).await[0];
        assert_eq!(kick["state"], "pending", "{kick}");
        assert!(kick["error"].is_string(), "{kick}");
        app.advance(5);
    }
    send(&app).await;
    assert_eq!(kicks(&admin, &ban).await[0]["state"], "failed");
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test]
async fn a_ban_that_was_lifted_in_the_meantime_kicks_nobody(app: TestApp, admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    set_commands(&admin, id).await;
    let ban = issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    lift(&admin, &ban).await;
    send(&app).await;
    assert!(server.commands().is_empty());
    let kick = &kicks(&admin, &ban).await[0];
    assert_eq!(kick["state"], "failed");
    assert_eq!(kick["error"], "The ban has ended.");
}

#[service_test]
async fn two_instances_send_a_kick_once(app: TestApp, admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    set_commands(&admin, id).await;
    let second = app.second_instance().await;
    for number in 0..10 {
        issue(
            &admin,
            ban_of(
                &(76_561_197_960_265_729_u64 + number).to_string(),
                json!({}),
            ),
        )
        .await;
    }
    let (one, other) = tokio::join!(
        sender::once(&app.app.ban_commands),
        sender::once(&second.app.ban_commands),
    );
    one.expect("sent");
    other.expect("sent");
    assert_eq!(server.commands().len(), 10);
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}
