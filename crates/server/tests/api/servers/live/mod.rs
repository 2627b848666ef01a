//! The live status of game servers.

mod coalescing;
mod concurrency;
mod disabled;
mod games;
mod gauges;
mod instances;
mod openarena;
mod polling;
mod protocols;
mod server_behaviours;

use std::time::Duration;

use game_servers::servers::live::Settings;
use serde_json::{Value, json};

use crate::support::game_server::GameServer;
use crate::support::{Client, TestApp, assert_fields};

const FIELDS: [&str; 10] = [
    "reachable",
    "checked_at",
    "latency_ms",
    "players_online",
    "max_players",
    "map",
    "name",
    "version",
    "players",
    "error",
];

pub(super) async fn start() -> TestApp {
    TestApp::start().await
}

/// For tests with a silent server, which wait for it this long.
async fn start_with_timeout(timeout: Duration) -> TestApp {
    TestApp::start_with_live_settings(Settings {
        timeout,
        ..Settings::default()
    })
    .await
}

async fn create(admin: &Client, body: Value) -> i64 {
    let made = admin.post("/api/servers", body).await.created();
    made["server"]["id"].as_i64().expect("an id")
}

pub(super) async fn add(admin: &Client, game: &GameServer) -> i64 {
    create(admin, game.body()).await
}

async fn live(admin: &Client, id: i64) -> Value {
    let shown = admin.get(&format!("/api/servers/{id}/live")).await.ok();
    assert_fields(&shown, &["live"]);
    assert_fields(&shown["live"], &FIELDS);
    shown["live"].clone()
}

async fn query(admin: &Client, id: i64) -> Value {
    let path = format!("/api/servers/{id}/query");
    let asked = admin.post_empty(&path).await.ok();
    assert_fields(&asked, &["live"]);
    assert_fields(&asked["live"], &FIELDS);
    asked["live"].clone()
}

async fn stats(admin: &Client, id: i64) -> Value {
    let server = admin.get(&format!("/api/servers/{id}")).await.ok();
    server["server"]["stats"].clone()
}

/// One complete round of the poller.
pub(super) async fn poll_once(app: &TestApp) {
    game_servers::servers::live::poller::once(&app.app.servers)
        .await
        .expect("a round");
}

fn empty_stats() -> Value {
    json!({ "players_online": 0, "max_players": 0, "map": "" })
}
