//! The schedule: who is asked when, and what a change does to it.

use serde_json::{Value, json};

use super::{add, live, nothing, query, round, start, stats};
use crate::support::game_server::{GameServer, Manner};
use crate::support::{TestApp, at_once, count};

/// Info and players.
const PACKETS: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn figures_appear_and_follow_the_server() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let id = add(&admin, &game).await;
    assert_eq!(stats(&admin, id).await, nothing());
    let unknown = live(&admin, id).await;
    assert_eq!(unknown["checked_at"], Value::Null);
    assert_eq!(
        (&unknown["reachable"], &unknown["error"]),
        (&json!(false), &Value::Null)
    );

    let before = admin.get(&format!("/api/servers/{id}")).await;
    let entries = admin
        .get("/api/audit-log")
        .await
        .header("x-total-count")
        .to_owned();
    round(&app).await;
    let shown = json!({ "players_online": 3, "max_players": 12, "map": "de_dust2" });
    assert_eq!(stats(&admin, id).await, shown);
    let after = admin.get(&format!("/api/servers/{id}")).await;
    assert_eq!(after.header("etag"), before.header("etag"));
    let entries_after = admin
        .get("/api/audit-log")
        .await
        .header("x-total-count")
        .to_owned();
    assert_eq!(entries_after, entries);

    // Not before its time.
    game.has_players(1);
    app.pass(20);
    round(&app).await;
    assert_eq!(stats(&admin, id).await, shown);
    app.pass(14);
    round(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 1);
    assert_eq!(live(&admin, id).await["checked_at"], "2026-03-01T12:00:34Z");

    // When it stops answering, nothing is known any more.
    drop(game);
    app.pass(34);
    round(&app).await;
    assert_eq!(stats(&admin, id).await, nothing());
    assert_eq!(live(&admin, id).await["reachable"], false);
}

/// In which of these seconds from now on the server is asked.
async fn asked_at(app: &TestApp, game: &GameServer, seconds: usize) -> Vec<usize> {
    let mut asked = Vec::new();
    let mut before = game.received();
    for second in 1..=seconds {
        app.pass(1);
        round(app).await;
        if game.received() > before {
            asked.push(second);
            before = game.received();
        }
    }
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_silent_is_asked_ever_more_rarely() {
    let app = start().await;
    let game = GameServer::start(Manner::Silent).await;
    let id = add(&app.admin(), &game).await;
    round(&app).await;
    assert_eq!(game.received(), 1);
    let asked = asked_at(&app, &game, 30 * 50).await;
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

    // A change of the server begins anew.
    let path = format!("/api/servers/{id}");
    app.admin().put(&path, json!({ "game": "csgo" })).await.ok();
    let before = game.received();
    round(&app).await;
    assert_eq!(game.received(), before + 1);
    assert_eq!(asked_at(&app, &game, 34).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_answers_when_somebody_asks_is_asked_as_usual_again() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Silent).await;
    let body = game.body();
    let address = game.address;
    let id = super::create(&admin, body).await;
    for _ in 0..6 {
        round(&app).await;
        app.pass(400);
    }
    round(&app).await;
    drop(game);
    let mut back = None;
    crate::support::eventually("the port is free", async || {
        back = GameServer::start_on(address, Manner::Plain).await;
        back.is_some()
    })
    .await;
    let game = back.expect("it is back");
    app.pass(1);
    round(&app).await;
    assert_eq!(game.received(), 0, "it is not its turn");
    assert_eq!(query(&admin, id).await["reachable"], true);
    let asked = game.received();
    app.pass(34);
    round(&app).await;
    assert_eq!(game.received(), asked + PACKETS);
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_in_between_does_not_put_off_the_regular_question() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let id = add(&admin, &game).await;
    round(&app).await;
    for _ in 0..3 {
        app.pass(10);
        query(&admin, id).await;
    }
    app.pass(4);
    let before = game.received();
    round(&app).await;
    assert_eq!(game.received(), before + PACKETS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_address_holds_at_once() {
    let app = start().await;
    let admin = app.admin();
    let old = GameServer::start(Manner::Plain).await;
    let new = GameServer::start(Manner::Plain).await;
    new.has_players(7);
    let id = add(&admin, &old).await;
    round(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 3);

    let path = format!("/api/servers/{id}");
    let body = json!({ "port": new.address.port() });
    admin.put(&path, body).await.ok();
    // What the old one said is not about this server any more.
    assert_eq!(stats(&admin, id).await, nothing());
    let asked = old.received();
    round(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 7);
    assert_eq!(old.received(), asked);

    // A new name changes nothing of this.
    admin.put(&path, json!({ "name": "Other" })).await.ok();
    assert_eq!(stats(&admin, id).await["players_online"], 7);
    let asked = new.received();
    round(&app).await;
    assert_eq!(new.received(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_to_the_old_address_is_dropped() {
    let app = start().await;
    let admin = app.admin();
    let old = GameServer::start(Manner::Plain).await;
    let new = GameServer::start(Manner::Plain).await;
    new.has_players(7);
    old.thinks_for(std::time::Duration::from_millis(150));
    let id = add(&admin, &old).await;

    let asking = {
        let admin = admin.clone();
        tokio::spawn(async move { query(&admin, id).await })
    };
    let polling = {
        let app = app.app.clone();
        tokio::spawn(async move { server::servers::live::poller::once(&app).await })
    };
    crate::support::eventually("the old one is asked", async || old.received() > 0).await;
    let path = format!("/api/servers/{id}");
    let body = json!({ "port": new.address.port() });
    admin.put(&path, body).await.ok();
    // Whoever asked gets an answer about the server as it is.
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

#[tokio::test(flavor = "multi_thread")]
async fn another_port_can_be_asked() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let silent = GameServer::start(Manner::Silent).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn servers_change_and_go_while_they_are_asked() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(add(&admin, &game).await);
    }
    let change = |admin: crate::support::Client, id: i64| async move {
        let path = format!("/api/servers/{id}");
        match id % 4 {
            0 => admin.delete(&path).await,
            1 => admin.act(&format!("{path}/toggle")).await,
            2 => admin.put(&path, json!({ "game": "csgo" })).await,
            _ => admin.act(&format!("{path}/query")).await,
        }
    };
    for _ in 0..3 {
        let rounds: Vec<_> = (0..3)
            .map(|_| {
                let app = app.app.clone();
                tokio::spawn(async move { server::servers::live::poller::once(&app).await })
            })
            .collect();
        let answers = at_once(ids.iter().map(|id| change(admin.clone(), *id))).await;
        let fine = count(&answers, 200) + count(&answers, 404);
        assert_eq!(fine, answers.len(), "{answers:?}");
        for round in rounds {
            round.await.expect("no panic").expect("a round");
        }
        app.pass(34);
    }
    round(&app).await;
    for id in ids.iter().filter(|id| *id % 4 != 0) {
        let shown = live(&admin, *id).await;
        assert_eq!(shown["reachable"], shown["error"].is_null(), "{shown}");
        // Toggled three times, a quarter is switched off.
        assert_eq!(shown["error"] == "disabled", id % 4 == 1, "{shown}");
    }
}
