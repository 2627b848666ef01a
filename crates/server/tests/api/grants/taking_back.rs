//! Cancelling, revoking, stacked roles, and undo commands.

use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::stocked;
use super::{DAY, MONTH, actions, buy, give, grant, month_of_vip, product, role_end, send, states};
use crate::support::{Client, TestApp, server_with_console};

async fn revoke(admin: &Client, id: i64) -> Value {
    let path = format!("/api/grants/{id}/revoke");
    admin.post(&path, json!({})).await.ok()["grant"].take()
}

fn vip_with_undo(server: i64) -> Value {
    json!([
        month_of_vip(),
        {
            "kind": "rcon", "server_ids": [server], "command": "addvip {grant_id}",
            "undo_command": "removevip {grant_id}",
        },
        { "kind": "rcon", "server_ids": [server], "command": "say hello" },
    ])
}

#[service_test(stocked())]
async fn cancelling_ends_what_is_pending_and_nothing_else(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, vip_with_undo(server)).await;
    give(&admin, vip).await;
    let cancelled = admin.post("/api/grants/1/cancel", json!({})).await.ok();
    let expected = ("cancelled", vec!["done", "cancelled", "cancelled"]);
    assert_eq!(states(&cancelled["grant"]), expected);
    send(&app).await;
    assert!(console.commands().is_empty());
    let again = admin.post("/api/grants/1/cancel", json!({})).await.ok();
    assert_eq!(again["grant"], cancelled["grant"]);
    assert_ne!(role_end(&admin).await, Value::Null);
}

#[service_test(stocked())]
async fn revoking_undoes_what_was_done(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, vip_with_undo(server)).await;
    give(&admin, vip).await;
    send(&app).await;
    let revoked = revoke(&admin, 1).await;
    assert_eq!(
        states(&revoked),
        ("revoked", vec!["undone", "pending", "kept"])
    );
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("revoked", vec!["undone", "undone", "kept"])
    );
    assert_eq!(console.commands(), ["addvip 1", "say hello", "removevip 1"]);
    assert_eq!(
        admin.get("/api/users/1/roles").await.ok(),
        json!({ "roles": [] })
    );
    let again = revoke(&admin, 1).await;
    assert_eq!(states(&again).0, "revoked");
    send(&app).await;
    assert_eq!(console.commands().len(), 3);
    let expected = [
        "grants.create",
        "grants.done",
        "grants.revoke",
        "grants.revoke",
    ];
    assert_eq!(actions(&admin).await, expected);
}

#[service_test(stocked())]
async fn role_time_adds_up_and_revoking_takes_back_only_the_unused_part(
    app: TestApp,
    admin: Client,
) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    for _ in 0..3 {
        buy(&admin, vip).await;
    }
    assert_eq!(role_end(&admin).await, "2026-05-30T12:00:00Z");
    app.advance(10 * DAY);
    // 20 of its 30 days are left.
    revoke(&admin, 1).await;
    assert_eq!(role_end(&admin).await, "2026-05-10T12:00:00Z");
    // The second one's period began when the first was revoked.
    app.advance(10 * DAY);
    revoke(&admin, 2).await;
    assert_eq!(role_end(&admin).await, "2026-04-20T12:00:00Z");
    revoke(&admin, 3).await;
    assert_eq!(
        admin.get("/api/users/1/roles").await.ok(),
        json!({ "roles": [] })
    );
}

#[service_test(stocked())]
async fn a_role_without_an_end_falls_back_to_what_it_was_before(admin: Client) {
    let for_ever = product(&admin, json!([{ "kind": "role", "role_id": 1 }])).await;
    let timed = product(&admin, json!([month_of_vip()])).await;
    give(&admin, timed).await;
    give(&admin, for_ever).await;
    give(&admin, for_ever).await;
    assert_eq!(role_end(&admin).await, Value::Null);
    revoke(&admin, 2).await;
    let held = admin.get("/api/users/1/roles").await.ok();
    assert_eq!(
        held["roles"][0]["expires_at"],
        Value::Null,
        "another grant gives it"
    );
    revoke(&admin, 3).await;
    assert_eq!(role_end(&admin).await, "2026-03-31T12:00:00Z");
    revoke(&admin, 1).await;
    assert_eq!(
        admin.get("/api/users/1/roles").await.ok(),
        json!({ "roles": [] })
    );

    admin.put("/api/users/1/roles/1", json!({})).await.created();
    give(&admin, for_ever).await;
    revoke(&admin, 4).await;
    let held = admin.get("/api/users/1/roles").await.ok();
    assert_eq!(held["roles"][0]["id"], 1, "it was given for ever by hand");
}

#[service_test(stocked())]
async fn what_is_given_by_hand_after_a_shorter_end_is_not_taken_back(app: TestApp, admin: Client) {
    let timed = product(&admin, json!([month_of_vip()])).await;
    let for_ever = product(&admin, json!([{ "kind": "role", "role_id": 1 }])).await;
    let role = "/api/users/1/roles/1";
    let in_days = |days: i64| {
        let end = app.core().clock.now().unix() + days * DAY;
        kernel::types::Timestamp::from_unix(end).to_string()
    };
    let in_10_days = json!({ "expires_at": in_days(10) });
    let more = json!({ "seconds": 5 * DAY });
    give(&admin, timed).await;
    admin.put(role, in_10_days.clone()).await.ok();
    admin.post(&format!("{role}/extend"), more).await.ok();
    revoke(&admin, 1).await;
    assert_eq!(role_end(&admin).await, in_days(5));

    give(&admin, for_ever).await;
    admin.put(role, in_10_days).await.ok();
    admin.put(role, json!({})).await.ok();
    revoke(&admin, 2).await;
    let held = admin.get("/api/users/1/roles").await.ok();
    assert_eq!(held["roles"][0]["id"], 1, "it was given for ever by hand");
    assert_eq!(held["roles"][0]["expires_at"], Value::Null);
}

#[service_test(stocked())]
async fn the_end_of_the_role_undoes_the_last_grant_of_the_product(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, vip_with_undo(server)).await;
    give(&admin, vip).await;
    give(&admin, vip).await;
    send(&app).await;
    app.advance(2 * MONTH);
    accounts::users::end_expired_roles(app.core())
        .await
        .expect("ended");
    send(&app).await;
    let expected = [
        "addvip 1",
        "say hello",
        "addvip 2",
        "say hello",
        "removevip 2",
    ];
    assert_eq!(console.commands(), expected);
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("done", vec!["done", "done", "done"])
    );
    assert_eq!(
        states(&grant(&admin, 2).await),
        ("done", vec!["done", "undone", "kept"])
    );
}

#[service_test(stocked())]
async fn removing_the_role_by_hand_or_deleting_it_undoes_too(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, vip_with_undo(server)).await;
    give(&admin, vip).await;
    send(&app).await;
    admin.delete("/api/users/1/roles/1").await.ok();
    send(&app).await;
    assert_eq!(
        console.commands().last().map(String::as_str),
        Some("removevip 1")
    );
    give(&admin, vip).await;
    send(&app).await;
    admin.delete("/api/roles/1").await.ok();
    send(&app).await;
    assert_eq!(
        console.commands().last().map(String::as_str),
        Some("removevip 2")
    );
}

#[service_test(stocked())]
async fn a_command_that_ran_while_its_grant_was_revoked_is_undone(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let step = json!({
        "kind": "rcon", "server_ids": [server], "command": "addvip 1", "undo_command": "removevip 1",
    });
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    let sending = "UPDATE grant_steps SET state = 'sending', repeatable = TRUE";
    app.core()
        .db
        .run_sql(sending)
        .await
        .expect("a step being sent");
    let revoked = revoke(&admin, 1).await;
    assert_eq!(states(&revoked), ("revoked", vec!["sending"]));
    send(&app).await;
    assert_eq!(console.commands(), ["addvip 1", "removevip 1"]);
    assert_eq!(states(&grant(&admin, 1).await), ("revoked", vec!["undone"]));
}

#[service_test(stocked())]
async fn a_command_that_may_have_run_while_its_grant_was_revoked_is_undone(
    app: TestApp,
    admin: Client,
) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let step = json!({
        "kind": "rcon", "server_ids": [server], "command": "addvip 1", "undo_command": "removevip 1",
    });
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    let sending = "UPDATE grant_steps SET state = 'sending'";
    let db = &app.core().db;
    db.run_sql(sending).await.expect("an instance that died");
    revoke(&admin, 1).await;
    send(&app).await;
    assert_eq!(console.commands(), ["removevip 1"]);
    assert_eq!(states(&grant(&admin, 1).await), ("revoked", vec!["undone"]));
}

#[service_test(stocked())]
async fn revoking_the_last_grant_of_a_product_does_not_undo_the_earlier_ones(
    app: TestApp,
    admin: Client,
) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, vip_with_undo(server)).await;
    give(&admin, vip).await;
    give(&admin, vip).await;
    send(&app).await;
    // The first one's time is used up, so that the role ends with the second.
    app.advance(MONTH + 10 * DAY);
    revoke(&admin, 2).await;
    send(&app).await;
    let undone: Vec<String> = console.commands().split_off(4);
    assert_eq!(undone, ["removevip 2"]);
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("done", vec!["done", "done", "done"])
    );
    let held = admin.get("/api/users/1/roles").await.ok();
    assert_eq!(held, json!({ "roles": [] }));
}

#[service_test(stocked())]
async fn the_end_of_the_role_cancels_what_is_pending_of_all_its_grants(
    app: TestApp,
    admin: Client,
) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let plugin = json!({ "kind": "plugin", "server_ids": [server], "payload": {} });
    let command = json!({ "kind": "rcon", "server_ids": [server], "command": "addvip" });
    let vip = product(&admin, json!([month_of_vip(), command, plugin])).await;
    for _ in 0..2 {
        give(&admin, vip).await;
    }
    admin.delete("/api/users/1/roles/1").await.ok();
    for id in 1..=2 {
        let expected = ("cancelled", vec!["done", "cancelled", "cancelled"]);
        assert_eq!(states(&grant(&admin, id).await), expected, "grant {id}");
    }
    send(&app).await;
    assert!(console.commands().is_empty());
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test(stocked())]
async fn revoking_takes_back_all_periods_of_one_product(admin: Client) {
    let bonus = json!({ "kind": "role", "role_id": 1, "seconds": 5 * DAY });
    let vip = product(&admin, json!([month_of_vip(), bonus])).await;
    give(&admin, vip).await;
    let revoked = revoke(&admin, 1).await;
    assert_eq!(states(&revoked), ("revoked", vec!["undone", "undone"]));
    let held = admin.get("/api/users/1/roles").await.ok();
    assert_eq!(held, json!({ "roles": [] }));
}

#[service_test(stocked())]
async fn what_was_done_on_a_deleted_server_is_kept(app: TestApp, admin: Client) {
    let (_console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let plugin = json!({ "kind": "plugin", "server_ids": [server], "payload": {} });
    let command = json!({
        "kind": "rcon", "server_ids": [server], "command": "addvip", "undo_command": "removevip",
    });
    let vip = product(&admin, json!([command, plugin])).await;
    give(&admin, vip).await;
    send(&app).await;
    let step = grant(&admin, 1).await["steps"][1]["id"].clone();
    let delivery = 2 * step.as_i64().expect("an id");
    let path = format!("/api/servers/{server}/deliveries/{delivery}/done");
    admin.post(&path, json!({})).await.ok();
    admin.delete(&format!("/api/servers/{server}")).await.ok();
    let revoked = revoke(&admin, 1).await;
    assert_eq!(states(&revoked), ("revoked", vec!["kept", "kept"]));
    assert_eq!(revoked["steps"][0]["error"], "The server was deleted.");
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test(stocked())]
async fn a_step_on_a_deleted_server_fails_again_when_it_is_retried(admin: Client) {
    let (_console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let plugin = json!({ "kind": "plugin", "server_ids": [server], "payload": {} });
    let item = product(&admin, json!([plugin])).await;
    let step = give(&admin, item).await["steps"][0]["id"].clone();
    admin.delete(&format!("/api/servers/{server}")).await.ok();
    let path = format!("/api/grants/1/steps/{step}/retry");
    let retried = admin.post(&path, json!({})).await.ok();
    assert_eq!(states(&retried["grant"]), ("attention", vec!["failed"]));
}

#[service_test(stocked())]
async fn an_undo_command_that_cannot_be_rendered_delays_no_other(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let command = json!({
        "kind": "rcon", "server_ids": [server], "command": "addvip {steam_id64}",
        "undo_command": "removevip {discord_id}",
    });
    let vip = product(&admin, json!([month_of_vip(), command])).await;
    give(&admin, vip).await;
    send(&app).await;
    let revoked = revoke(&admin, 1).await;
    assert_eq!(states(&revoked), ("attention", vec!["undone", "failed"]));
    let error = &revoked["steps"][1]["error"];
    assert_eq!(*error, "The user has linked no Discord profile.");
    give(&admin, vip).await;
    send(&app).await;
    assert_eq!(console.commands().len(), 2);
    // Retried with the profile, it is undone.
    super::link(&admin, 1, 2, "80351110224678912").await;
    let path = format!("/api/grants/1/steps/{}/retry", revoked["steps"][1]["id"]);
    admin.post(&path, json!({})).await.ok();
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("revoked", vec!["undone", "undone"])
    );
    assert_eq!(console.commands()[2], "removevip 80351110224678912");
}

#[service_test(stocked())]
async fn what_was_done_for_an_erased_user_is_kept_when_the_role_ends(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let command = json!({
        "kind": "rcon", "server_ids": [server], "command": "addvip {steam_id64}",
        "undo_command": "removevip {steam_id64}",
    });
    let vip = product(&admin, json!([month_of_vip(), command])).await;
    give(&admin, vip).await;
    send(&app).await;
    admin.post("/api/users/1/erase", json!({})).await.ok();
    app.advance(MONTH);
    accounts::users::end_expired_roles(app.core())
        .await
        .expect("ended");
    send(&app).await;
    assert_eq!(states(&grant(&admin, 1).await).1, ["done", "kept"]);
    assert_eq!(console.commands().len(), 1);
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}
