//! Polling by several instances on one database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game_servers::servers::live::{Settings, poller};
use kernel::Limits;

use super::{add, poll_once, start, stats};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{TestApp, eventually, open_with_live_settings};

/// Packets of one query: info, challenge and players.
const PACKETS: usize = 3;

#[service_test(start())]
async fn instances_do_not_query_a_server_twice_in_a_round(app: TestApp) {
    let second = app.second_instance().await;
    let mut games = Vec::new();
    for _ in 0..40 {
        let game = GameServer::start(Behaviour::Plain).await;
        add(&app.admin(), &game).await;
        games.push(game);
    }
    for number in 1..=5 {
        let rounds: Vec<_> = [&app.app, &second.app, &app.app, &second.app]
            .into_iter()
            .map(|app| {
                let app = app.clone();
                tokio::spawn(async move { poller::once(&app.servers).await })
            })
            .collect();
        for round in rounds {
            round.await.expect("no panic").expect("a round");
        }
        let asked: Vec<usize> = games.iter().map(GameServer::received).collect();
        assert_eq!(asked, vec![number * PACKETS; 40]);
        app.advance(34);
        second.app.kernel.core.clock.advance(34);
    }
}

#[service_test]
async fn another_instance_takes_over_from_a_dead_one() {
    let app = Arc::new(start().await);
    let game = GameServer::start(Behaviour::Plain).await;
    // The first instance still waits for the answer when it dies.
    game.hold();
    let id = add(&app.admin(), &game).await;
    let (kill, killed) = tokio::sync::oneshot::channel();
    let shared = Arc::clone(&app);
    let first = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let patient = Settings {
            timeout: Duration::from_secs(10),
            ..Settings::default()
        };
        let opening = open_with_live_settings(&shared.scratch, Limits::default(), patient);
        let app = runtime.block_on(opening);
        runtime.spawn(async move { poller::once(&app.servers).await });
        runtime.block_on(killed).expect("a sign");
        runtime.shutdown_background();
    });
    eventually("the first instance queries", async || game.received() > 0).await;
    kill.send(()).expect("it is still there");
    first.join().expect("it is dead");
    game.release();
    eventually("the game server answers", async || game.answers().await).await;

    let asked = game.received();
    poll_once(&app).await;
    app.advance(29);
    poll_once(&app).await;
    assert_eq!(game.received(), asked, "it is still held");
    assert_eq!(stats(&app.admin(), id).await, super::empty_stats());
    app.advance(2);
    poll_once(&app).await;
    assert_eq!(game.received(), asked + PACKETS);
    assert_eq!(stats(&app.admin(), id).await["players_online"], 3);
}

#[service_test(start())]
async fn the_poller_runs_in_the_background(app: TestApp) {
    let game = GameServer::start(Behaviour::Plain).await;
    let polling = tokio::spawn(poller::run(app.app.servers.clone()));
    let id = add(&app.admin(), &game).await;
    for players in [4, 2] {
        game.has_players(players);
        let mut advanced: Option<Instant> = None;
        eventually("the live status follows", async || {
            // Again and again: a poll may have begun before the players changed.
            if advanced.is_none_or(|at| at.elapsed() > Duration::from_secs(2)) {
                advanced = Some(Instant::now());
                app.advance(34);
            }
            stats(&app.admin(), id).await["players_online"] == players
        })
        .await;
    }
    let metrics = app.anonymous().get("/metrics").await.text;
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
