//! The schedule of the poller, and how changes of a server affect it.

use std::time::Duration;

use serde_json::{Value, json};

use super::{add, empty_stats, live, poll_once, query, start, start_with_timeout, stats};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, TestApp, at_once, count};

/// Packets of one query: info and players.
const PACKETS: usize = 3;

#[service_test(start())]
async fn live_status_appears_and_follows_the_server(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let id = add(&admin, &game).await;
    assert_eq!(stats(&admin, id).await, empty_stats());
    let unknown = live(&admin, id).await;
    assert_eq!(unknown["checked_at"], Value::Null);
    assert_eq!(
        (&unknown["reachable"], &unknown["error"]),
        (&json!(false), &Value::Null)
    );

    let before = admin.get(&format!("/api/servers/{id}")).await;
    let answer = admin.get("/api/audit-log").await;
    let entries = answer.header("x-total-count").to_owned();
    poll_once(&app).await;
    let shown = json!({ "players_online": 3, "max_players": 12, "map": "de_dust2" });
    assert_eq!(stats(&admin, id).await, shown);
    let after = admin.get(&format!("/api/servers/{id}")).await;
    assert_eq!(after.header("etag"), before.header("etag"));
    let answer = admin.get("/api/audit-log").await;
    let entries_after = answer.header("x-total-count").to_owned();
    assert_eq!(entries_after, entries);

    // Not before it is due.
    game.has_players(1);
    app.advance(20);
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await, shown);
    app.advance(14);
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 1);
    assert_eq!(live(&admin, id).await["checked_at"], "2026-03-01T12:00:34Z");

    // When it stops answering, its live status is empty.
    drop(game);
    app.advance(34);
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await, empty_stats());
    assert_eq!(live(&admin, id).await["reachable"], false);
}

/// The seconds from now on in which the server is polled.
async fn seconds_with_a_poll(app: &TestApp, game: &GameServer, seconds: usize) -> Vec<usize> {
    let mut asked = Vec::new();
    let mut before = game.received();
    for second in 1..=seconds {
        app.advance(1);
        poll_once(app).await;
        if game.received() > before {
            asked.push(second);
            before = game.received();
        }
    }
    asked
}

#[service_test(start_with_timeout(Duration::from_millis(1500)))]
async fn a_silent_server_is_polled_with_backoff(app: TestApp) {
    let game = GameServer::start(Behaviour::Silent).await;
    let id = add(&app.admin(), &game).await;
    poll_once(&app).await;
    assert_eq!(game.received(), 1);
    let asked = seconds_with_a_poll(&app, &game, 30 * 50).await;
    let mut last = 0;
    for (turn, second) in asked.iter().enumerate() {
        let gap = (second - last) as f64 / 30.0;
        let usual = [1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0][turn];
        assert!(
            (usual * 0.85..=usual * 1.15).contains(&gap),
            "{turn}: {gap} of {asked:?}"
        );
        last = *second;
    }
    assert!(asked.len() >= 6, "{asked:?}");

    // A change of the server resets the backoff.
    let path = format!("/api/servers/{id}");
    app.admin().put(&path, json!({ "game": "csgo" })).await.ok();
    let before = game.received();
    poll_once(&app).await;
    assert_eq!(game.received(), before + 1);
    assert_eq!(seconds_with_a_poll(&app, &game, 34).await.len(), 1);
}

#[service_test(start_with_timeout(Duration::from_secs(3)))]
async fn an_answer_to_a_query_on_demand_ends_the_backoff(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Silent).await;
    let body = game.body();
    let address = game.address;
    let id = super::create(&admin, body).await;
    for _ in 0..6 {
        poll_once(&app).await;
        app.advance(400);
    }
    poll_once(&app).await;
    drop(game);
    let mut back = None;
    crate::support::eventually("the port is free", async || {
        back = GameServer::start_on(address, Behaviour::Plain).await;
        back.is_some()
    })
    .await;
    let game = back.expect("it is back");
    app.advance(1);
    poll_once(&app).await;
    assert_eq!(game.received(), 0, "it is not due");
    assert_eq!(query(&admin, id).await["reachable"], true);
    let asked = game.received();
    app.advance(34);
    poll_once(&app).await;
    assert_eq!(game.received(), asked + PACKETS);
}

#[service_test(start())]
async fn a_query_on_demand_does_not_delay_the_next_poll(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let id = add(&admin, &game).await;
    poll_once(&app).await;
    for _ in 0..3 {
        app.advance(10);
        query(&admin, id).await;
    }
    app.advance(4);
    let before = game.received();
    poll_once(&app).await;
    assert_eq!(game.received(), before + PACKETS);
}

#[service_test(start())]
async fn a_changed_address_is_used_at_once(app: TestApp, admin: Client) {
    let old = GameServer::start(Behaviour::Plain).await;
    let new = GameServer::start(Behaviour::Plain).await;
    new.has_players(7);
    let id = add(&admin, &old).await;
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 3);

    let path = format!("/api/servers/{id}");
    let body = json!({ "port": new.address.port() });
    admin.put(&path, body).await.ok();
    // The status of the old address is discarded.
    assert_eq!(stats(&admin, id).await, empty_stats());
    let asked = old.received();
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 7);
    assert_eq!(old.received(), asked);

    // A new name does not discard it.
    admin.put(&path, json!({ "name": "Other" })).await.ok();
    assert_eq!(stats(&admin, id).await["players_online"], 7);
    let asked = new.received();
    poll_once(&app).await;
    assert_eq!(new.received(), asked);
}

#[service_test(start())]
async fn an_answer_from_the_old_address_is_dropped(app: TestApp, admin: Client) {
    let old = GameServer::start(Behaviour::Plain).await;
    let new = GameServer::start(Behaviour::Plain).await;
    new.has_players(7);
    old.hold();
    let id = add(&admin, &old).await;

    let asking = {
        let admin = admin.clone();
        tokio::spawn(async move { query(&admin, id).await })
    };
    let polling = {
        let app = app.app.clone();
        tokio::spawn(async move { game_servers::servers::live::poller::once(&app.servers).await })
    };
    crate::support::eventually("the old address is queried", async || old.received() > 0).await;
    let path = format!("/api/servers/{id}");
    let body = json!({ "port": new.address.port() });
    admin.put(&path, body).await.ok();
    old.release();
    // The caller gets the status of the new address.
    assert_eq!(asking.await.expect("an answer")["players_online"], 7);
    polling.await.expect("it ends").expect("a round");
    assert_eq!(stats(&admin, id).await["players_online"], 7);
    let history = admin.get(&format!("{path}/history")).await.ok();
    let points = history["history"].as_array().expect("points");
    assert!(
        points.iter().all(|point| point["players_max"] != 3),
        "{history}"
    );
}

#[service_test(start_with_timeout(Duration::from_secs(5)))]
async fn query_port_can_differ_from_port(admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let silent = GameServer::start(Behaviour::Silent).await;
    let mut body = silent.body();
    body["query_port"] = json!(game.address.port());
    let id = super::create(&admin, body).await;
    assert_eq!(query(&admin, id).await["players_online"], 3);
    assert_eq!(silent.received(), 0);

    let path = format!("/api/servers/{id}");
    let plain = admin.get(&path).await.ok();
    assert!(plain["server"].get("query_port").is_none());
    let with_port = admin.get(&format!("{path}?include=query_port")).await;
    assert_eq!(with_port.ok()["server"]["query_port"], game.address.port());
    let tag = with_port.header("etag").to_owned();

    admin.put(&path, json!({ "query_port": null })).await.ok();
    let without = admin.get(&format!("{path}?include=query_port")).await;
    assert_eq!(without.ok()["server"]["query_port"], Value::Null);
    assert_ne!(without.header("etag"), tag);
    assert_eq!(query(&admin, id).await["error"], "timeout");
    assert_eq!(silent.received(), 1);

    for bad in [json!(0), json!(65536), json!("27015")] {
        let answer = admin.put(&path, json!({ "query_port": bad })).await;
        answer.invalid(&[("query_port", "must be an integer from 1 to 65535")]);
    }
    let answer = admin.get(&format!("{path}?include=rcon_password")).await;
    answer.invalid(&[("include", "must be query_port")]);
}

#[service_test(start())]
async fn servers_are_changed_and_deleted_while_they_are_polled(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(add(&admin, &game).await);
    }
    let change = |admin: Client, id: i64| async move {
        let path = format!("/api/servers/{id}");
        match id % 4 {
            0 => admin.delete(&path).await,
            1 => admin.post_empty(&format!("{path}/toggle")).await,
            2 => admin.put(&path, json!({ "game": "csgo" })).await,
            _ => admin.post_empty(&format!("{path}/query")).await,
        }
    };
    for _ in 0..3 {
        let rounds: Vec<_> = (0..3)
            .map(|_| {
                let app = app.app.clone();
                tokio::spawn(async move {
                    game_servers::servers::live::poller::once(&app.servers).await
                })
            })
            .collect();
        let answers = at_once(ids.iter().map(|id| change(admin.clone(), *id))).await;
        let fine = count(&answers, 200) + count(&answers, 404);
        assert_eq!(fine, answers.len(), "{answers:?}");
        for round in rounds {
            round.await.expect("no panic").expect("a round");
        }
        app.advance(34);
    }
    poll_once(&app).await;
    for id in ids.iter().filter(|id| *id % 4 != 0) {
        let shown = live(&admin, *id).await;
        assert_eq!(shown["reachable"], shown["error"].is_null(), "{shown}");
        // After three toggles, a quarter is disabled.
        assert_eq!(shown["error"] == "disabled", id % 4 == 1, "{shown}");
    }
}
