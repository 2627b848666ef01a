//! Commands: how often they run, in which order, and what follows a failure.

use std::time::Duration;

use game_servers::servers::live::poller;
use payments::grants::{gauges, sender};
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::{actions, buy, give, grant, link, month_of_vip, product, send, states, stocked};
use crate::backups::restore;
use crate::support::game_server::{self, GameServer};
use crate::support::payments::user;
use crate::support::{Client, TestApp, eventually, server_with_console};

fn command(server: i64, command: &str) -> Value {
    json!({ "kind": "rcon", "server_ids": [server], "command": command })
}

#[service_test(stocked())]
async fn commands_are_rendered_sent_in_order_and_audited(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let steps = json!([
        month_of_vip(),
        command(
            server,
            "echo {username} {steam_id64} {days} {expires_unix} {invoice_id}"
        ),
        command(server, "vip \"{steam_id2}\" {grant_id} {server_id} {{x}}"),
    ]);
    let vip = product(&admin, steps).await;
    buy(&admin, vip).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("pending", vec!["done", "pending", "pending"])
    );
    send(&app).await;
    let expected = [
        "echo anna 76561197960265729 30 1774958400 1",
        "vip \"STEAM_1:1:0\" 1 1 {x}",
    ];
    assert_eq!(console.commands(), expected);
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("done", vec!["done", "done", "done"]));
    assert_eq!(given["steps"][1]["attempts"], 1);
    assert_eq!(
        given["steps"][1]["reply"],
        "anna 76561197960265729 30 1774958400 1"
    );
    assert_eq!(given["steps"][1]["next_attempt_at"], Value::Null);
    let log = admin
        .get("/api/audit-log?action=servers.rcon&sort=id")
        .await
        .ok();
    let first = &log["audit_log"][0];
    assert_eq!(first["after"]["command"], expected[0]);
    assert_eq!(
        (&first["key_id"], &first["key_name"]),
        (&Value::Null, &json!("system"))
    );
    send(&app).await;
    assert_eq!(console.commands().len(), 2);
    assert_eq!(actions(&admin).await, ["grants.create", "grants.done"]);
}

#[service_test(stocked())]
async fn what_surely_did_not_run_is_retried_for_7_days_and_then_fails(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::ClosesAtOnce).await;
    let vip = product(&admin, json!([command(server, "status")])).await;
    give(&admin, vip).await;
    for (attempts, delay) in (1..).zip([10, 30, 60, 300, 600, 600]) {
        send(&app).await;
        let step = grant(&admin, 1).await["steps"][0].take();
        assert_eq!(
            (&step["state"], &step["attempts"]),
            (&json!("pending"), &json!(attempts))
        );
        assert!(
            step["error"]
                .as_str()
                .expect("text")
                .starts_with("The game server closed")
        );
        app.advance(delay - 1);
        send(&app).await;
        assert_eq!(grant(&admin, 1).await["steps"][0]["attempts"], attempts);
        app.advance(1);
    }
    app.advance(7 * super::DAY);
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("attention", vec!["failed"])
    );
    assert_eq!(actions(&admin).await, ["grants.create", "grants.attention"]);
    assert!(console.commands().is_empty());
}

#[service_test(stocked())]
async fn a_server_that_answers_a_query_gets_its_commands_at_once(app: TestApp, admin: Client) {
    let running = GameServer::start(game_server::Behaviour::Tidy).await;
    let made = admin.post("/api/servers", running.body()).await.created();
    let server = made["server"]["id"].as_i64().expect("an id");
    let vip = product(&admin, json!([command(server, "status")])).await;
    give(&admin, vip).await;
    let attempts = async || grant(&admin, 1).await["steps"][0]["attempts"].clone();
    send(&app).await;
    send(&app).await;
    assert_eq!(attempts().await, 1);
    poller::once(&app.app.servers).await.expect("queried");
    send(&app).await;
    assert_eq!(attempts().await, 2);
    // Only once: it may be the console that does not work.
    for delay in [30, 60] {
        app.advance(delay);
        send(&app).await;
    }
    assert_eq!(attempts().await, 4);
    app.advance(60);
    poller::once(&app.app.servers).await.expect("queried");
    send(&app).await;
    assert_eq!(attempts().await, 4);
    // A change may have mended it.
    let password = json!({ "rcon_password": "changed" });
    let path = format!("/api/servers/{server}");
    admin.put(&path, password).await.ok();
    send(&app).await;
    assert_eq!(attempts().await, 5);
}

#[service_test(stocked())]
async fn a_stop_waits_for_the_command_under_way(app: TestApp, admin: Client) {
    let (_console, server) = server_with_console(&admin, Behaviour::SilentAfterLogin).await;
    let vip = product(
        &admin,
        json!([command(server, "status"), command(server, "status")]),
    )
    .await;
    give(&admin, vip).await;
    let running = tokio::spawn(sender::run(app.app.grants.clone()));
    eventually("the first is being sent", async || {
        states(&grant(&admin, 1).await).1 == ["sending", "pending"]
    })
    .await;
    app.app.grants.stop.stop();
    running.await.expect("it ends");
    assert_eq!(states(&grant(&admin, 1).await).1, ["uncertain", "pending"]);
}

#[service_test(stocked())]
async fn a_disabled_server_and_a_missing_password_delay_the_command(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, json!([command(server, "status")])).await;
    give(&admin, vip).await;
    let path = format!("/api/servers/{server}");
    admin.put(&path, json!({ "enabled": false })).await.ok();
    send(&app).await;
    let step = grant(&admin, 1).await["steps"][0].take();
    assert_eq!(step["error"], "The server is disabled. Enable it first.");
    admin.put(&path, json!({ "enabled": true })).await.ok();
    app.advance(10);
    send(&app).await;
    assert_eq!(states(&grant(&admin, 1).await), ("done", vec!["done"]));
    assert_eq!(console.commands(), ["status"]);
}

#[service_test(stocked())]
async fn a_lost_connection_makes_the_step_uncertain_and_delays_no_other(
    app: TestApp,
    admin: Client,
) {
    let (console, server) = server_with_console(&admin, Behaviour::ClosesMidAnswer).await;
    let steps = json!([command(server, "fill 9000"), command(server, "fill 9000")]);
    let vip = product(&admin, steps).await;
    give(&admin, vip).await;
    send(&app).await;
    let given = grant(&admin, 1).await;
    assert_eq!(
        states(&given),
        ("attention", vec!["uncertain", "uncertain"])
    );
    assert_eq!(console.commands().len(), 2);
    app.advance(super::DAY);
    send(&app).await;
    assert_eq!(console.commands().len(), 2);

    let path = format!("/api/grants/1/steps/{}/resolve", given["steps"][0]["id"]);
    admin
        .post(&path, json!({}))
        .await
        .invalid(&[("note", "is required")]);
    let note = json!({ "note": "The player has it." });
    let resolved = admin.post(&path, note.clone()).await.ok();
    assert_eq!(
        states(&resolved["grant"]),
        ("attention", vec!["done", "uncertain"])
    );
    admin
        .post(&path, note)
        .await
        .error(409, "step_not_retryable");
    let path = format!("/api/grants/1/steps/{}/retry", given["steps"][1]["id"]);
    let retried = admin.post(&path, json!({})).await.ok();
    assert_eq!(
        states(&retried["grant"]),
        ("pending", vec!["done", "pending"])
    );
    admin
        .post(&path, json!({}))
        .await
        .error(409, "step_not_retryable");
    admin
        .post("/api/grants/1/steps/99/retry", json!({}))
        .await
        .not_found();
    send(&app).await;
    assert_eq!(console.commands().len(), 3);
}

#[service_test(stocked())]
async fn metrics_count_the_steps_that_are_not_finished(app: TestApp, admin: Client) {
    let (_console, server) = server_with_console(&admin, Behaviour::ClosesMidAnswer).await;
    let vip = product(&admin, json!([command(server, "fill 9000")])).await;
    give(&admin, vip).await;
    send(&app).await;
    give(&admin, vip).await;
    app.advance(90);
    gauges::update(app.core()).await.expect("counted");
    let metrics = app.anonymous().get("/metrics").await.text;
    for line in [
        "steward_grant_steps{state=\"pending\"} 1",
        "steward_grant_steps{state=\"uncertain\"} 1",
        "steward_grant_steps{state=\"failed\"} 0",
        "steward_grant_oldest_pending_seconds 90",
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line}");
    }
}

#[service_test(stocked())]
async fn a_repeatable_command_is_sent_again(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::ClosesMidAnswer).await;
    let mut step = command(server, "fill 9000");
    step["repeatable"] = json!(true);
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("pending", vec!["pending"])
    );
    app.advance(10);
    send(&app).await;
    assert_eq!(console.commands().len(), 2);
}

#[service_test(stocked())]
async fn a_command_of_a_dead_instance_is_uncertain_after_60_seconds(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, json!([command(server, "status")])).await;
    give(&admin, vip).await;
    let until = kernel::queue::now(app.core()) + 60_000;
    let sql = format!(
        "UPDATE queue SET next_attempt_at = {until}, leased_until = {until};
         UPDATE grant_steps SET state = 'sending', attempts = 1"
    );
    app.core().db.run_sql(&sql).await.expect("a dead instance");
    app.advance(59);
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("pending", vec!["sending"])
    );
    app.advance(1);
    send(&app).await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("attention", vec!["uncertain"])
    );
    assert!(console.commands().is_empty());
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test(stocked())]
async fn instances_share_the_commands_and_send_none_twice_and_20_a_second(
    app: TestApp,
    admin: Client,
) {
    let second = app.second_instance().await;
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let (other_console, other) = server_with_console(&admin, Behaviour::Valve).await;
    let each = |command: &str| json!({ "kind": "rcon", "server_ids": [server, other], "command": command });
    let vip = product(
        &admin,
        json!([each("first {grant_id}"), each("second {grant_id}")]),
    )
    .await;
    for _ in 0..5 {
        give(&admin, vip).await;
    }
    let begun = std::time::Instant::now();
    let running: Vec<_> = [&app.app, &second.app]
        .map(|app| tokio::spawn(sender::run(app.grants.clone())))
        .into();
    eventually("all are sent", async || {
        app.number("SELECT COUNT(*) FROM grant_steps WHERE state = 'done'")
            .await
            == 20
    })
    .await;
    assert!(
        begun.elapsed() >= Duration::from_millis(9 * 50),
        "10 commands in 0.45 s"
    );
    let expected: Vec<String> = (1..=5)
        .flat_map(|id| [format!("first {id}"), format!("second {id}")])
        .collect();
    assert_eq!(console.commands(), expected);
    assert_eq!(other_console.commands(), expected);
    for app in [&app.app, &second.app] {
        app.grants.stop.stop();
    }
    for run in running {
        run.await.expect("it ends");
    }
}

#[service_test(stocked())]
async fn a_missing_profile_fails_the_step_and_retrying_reads_the_links_again(
    app: TestApp,
    admin: Client,
) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let friend = user(&app, "bert").await;
    let vip = product(
        &admin,
        json!([command(server, "vip {steam_id64} {discord_id}")]),
    )
    .await;
    let body = json!({ "user_id": friend, "product_id": vip });
    let given = admin.post("/api/grants", body).await.created()["grant"].take();
    assert_eq!(states(&given), ("attention", vec!["failed"]));
    assert_eq!(
        given["steps"][0]["error"],
        "The user has linked no Steam profile."
    );
    link(
        &admin,
        friend,
        1,
        "https://steamcommunity.com/profiles/76561197960265730",
    )
    .await;
    let path = format!("/api/grants/1/steps/{}/retry", given["steps"][0]["id"]);
    let retried = admin.post(&path, json!({})).await.ok();
    let error = &retried["grant"]["steps"][0]["error"];
    assert_eq!(*error, "The user has linked no Discord profile.");
    link(&admin, friend, 2, "80351110224678912").await;
    admin.post(&path, json!({})).await.ok();
    send(&app).await;
    assert_eq!(
        console.commands(),
        ["vip 76561197960265730 80351110224678912"]
    );
}

#[service_test(stocked())]
async fn deleting_a_server_fails_what_was_pending_there(app: TestApp, admin: Client) {
    let (_console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let vip = product(&admin, json!([command(server, "status")])).await;
    give(&admin, vip).await;
    admin.delete(&format!("/api/servers/{server}")).await.ok();
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("attention", vec!["failed"]));
    assert_eq!(given["steps"][0]["error"], "The server was deleted.");
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test(stocked())]
async fn with_choose_server_a_step_runs_only_on_the_chosen_server(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let (other_console, other) = server_with_console(&admin, Behaviour::Valve).await;
    let step = json!({ "kind": "rcon", "server_ids": [server, other], "command": "status" });
    let more = json!({ "steps": [step], "choose_server": true });
    let vip = super::product_with(&admin, more).await;
    let body = json!({ "user_id": 1, "product_id": vip, "server_id": other });
    let given = admin.post("/api/grants", body).await.created()["grant"].take();
    assert_eq!(given["server_id"], other);
    assert_eq!(states(&given).1, ["pending"]);
    send(&app).await;
    assert_eq!(
        (console.commands().len(), other_console.commands().len()),
        (0, 1)
    );
    let filtered = admin
        .get(&format!("/api/grants?server_id={other}&state=done"))
        .await;
    assert_eq!(filtered.header("x-total-count"), "1");
}

#[service_test(stocked())]
async fn an_order_without_a_server_of_the_product_needs_attention(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let (_console, other) = server_with_console(&admin, Behaviour::Valve).await;
    let step = json!({ "kind": "rcon", "server_ids": [server, other], "command": "status" });
    let more = json!({ "steps": [step], "choose_server": true });
    let vip = super::product_with(&admin, more).await;
    let mut order = super::order_of(vip);
    order["server_id"] = json!(other);
    let paid = super::invoice(&admin, order).await["id"].clone();
    // Before it is paid, the product loses that server.
    let steps = json!({ "steps": [command(server, "status")] });
    admin.put(&format!("/api/products/{vip}"), steps).await.ok();
    super::pay(&admin, &paid).await.ok();
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("attention", vec!["failed"]));
    let error = &given["steps"][0]["error"];
    assert_eq!(*error, "The order names no server on which this step runs.");
    send(&app).await;
    assert!(console.commands().is_empty());
}

/// Since the backup was taken, a waiting command may have been sent.
#[service_test(stocked())]
async fn a_restore_sends_waiting_commands_only_if_they_may_run_twice(app: TestApp, admin: Client) {
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let mut repeatable = command(server, "say hello");
    repeatable["repeatable"] = json!(true);
    let vip = product(&admin, json!([command(server, "status"), repeatable])).await;
    give(&admin, vip).await;
    let restored = restore::restored(&app, restore::DEFAULT).await;
    let admin = restored.holder(app.admin_key());
    send(&restored).await;
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("attention", vec!["uncertain", "done"]));
    let error = given["steps"][0]["error"].as_str().expect("a reason");
    assert!(error.contains("restored from a backup"), "{error}");
    assert_eq!(console.commands(), ["say hello"]);
    // Moving to another database changes nothing.
    let moved = restore::restored(&app, platform::backups::Kept::UNCHANGED).await;
    let admin = moved.holder(app.admin_key());
    assert_eq!(states(&grant(&admin, 1).await).0, "pending");
}
