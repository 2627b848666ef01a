//! Several instances on one database.

use std::sync::Arc;
use std::time::Duration;

use kernel::Limits;
use server::servers::live::{Settings, poller};

use super::{add, round, settings, start, stats};
use crate::support::game_server::{GameServer, Manner};
use crate::support::{TestApp, eventually, open_watching};

/// Info, the number to send back, and players.
const PACKETS: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_twice_in_a_round() {
    let app = start().await;
    let second = app.second_instance().await;
    let mut games = Vec::new();
    for _ in 0..40 {
        let game = GameServer::start(Manner::Plain).await;
        add(&app.admin(), &game).await;
        games.push(game);
    }
    for number in 1..=5 {
        let rounds: Vec<_> = [&app.app, &second.app, &app.app, &second.app]
            .into_iter()
            .map(|app| {
                let app = app.clone();
                tokio::spawn(async move { poller::once(&app).await })
            })
            .collect();
        for round in rounds {
            round.await.expect("no panic").expect("a round");
        }
        let asked: Vec<usize> = games.iter().map(GameServer::received).collect();
        assert_eq!(asked, vec![number * PACKETS; 40]);
        app.pass(34);
        second.app.clock.advance(34);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_instance_leaves_behind_another_takes_over() {
    let app = Arc::new(start().await);
    let game = GameServer::start(Manner::Plain).await;
    // So that the first instance is still waiting for its answer when it dies.
    game.thinks_for(Duration::from_secs(1));
    let id = add(&app.admin(), &game).await;
    let (kill, killed) = tokio::sync::oneshot::channel();
    let shared = Arc::clone(&app);
    let first = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let patient = Settings {
            timeout: Duration::from_secs(10),
            ..settings()
        };
        let opening = open_watching(&shared.scratch, Limits::default(), patient);
        let app = runtime.block_on(opening);
        runtime.spawn(async move { poller::once(&app).await });
        runtime.block_on(killed).expect("a sign");
        runtime.shutdown_background();
    });
    eventually("the first one asks", async || game.received() > 0).await;
    kill.send(()).expect("it is still there");
    first.join().expect("it is dead");
    game.thinks_for(Duration::ZERO);
    eventually("the game is awake", async || game.answers().await).await;

    let asked = game.received();
    round(&app).await;
    app.pass(29);
    round(&app).await;
    assert_eq!(game.received(), asked, "it is still held");
    assert_eq!(stats(&app.admin(), id).await, super::nothing());
    app.pass(2);
    round(&app).await;
    assert_eq!(game.received(), asked + PACKETS);
    assert_eq!(stats(&app.admin(), id).await["players_online"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_poller_goes_on_by_itself() {
    let app = TestApp::watching(settings()).await;
    let game = GameServer::start(Manner::Plain).await;
    let polling = tokio::spawn(poller::run(app.app.clone()));
    let id = add(&app.admin(), &game).await;
    for players in [4, 2] {
        game.has_players(players);
        app.pass(34);
        eventually("the figures follow", async || {
            stats(&app.admin(), id).await["players_online"] == players
        })
        .await;
    }
    let metrics = app.stranger().get("/metrics").await.text;
    for name in [
        "steward_server_queries_total{outcome=\"answered\"}",
        "steward_server_query_seconds_count",
        "steward_server_query_lag_seconds",
        "steward_servers_watched",
        "steward_servers_reachable",
    ] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
    polling.abort();
}
