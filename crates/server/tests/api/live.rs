//! What game servers say of themselves.

mod crowd;
mod games;
mod history;
mod instances;
mod languages;
mod manners;
mod openarena;
mod polling;
mod sharing;
mod switches;

use std::time::Duration;

use serde_json::{Value, json};
use server::servers::live::Settings;

use crate::support::game_server::GameServer;
use crate::support::{Client, TestApp, has_fields};

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

/// Impatient, so that silence does not take long.
fn settings() -> Settings {
    Settings {
        timeout: Duration::from_millis(600),
        ..Settings::default()
    }
}

async fn start() -> TestApp {
    TestApp::watching(settings()).await
}

async fn create(admin: &Client, body: Value) -> i64 {
    let made = admin.post("/api/servers", body).await.created();
    made["server"]["id"].as_i64().expect("an id")
}

async fn add(admin: &Client, game: &GameServer) -> i64 {
    create(admin, game.body()).await
}

async fn live(admin: &Client, id: i64) -> Value {
    let shown = admin.get(&format!("/api/servers/{id}/live")).await.ok();
    has_fields(&shown, &["live"]);
    has_fields(&shown["live"], &FIELDS);
    shown["live"].clone()
}

async fn query(admin: &Client, id: i64) -> Value {
    let asked = admin.act(&format!("/api/servers/{id}/query")).await.ok();
    has_fields(&asked, &["live"]);
    has_fields(&asked["live"], &FIELDS);
    asked["live"].clone()
}

async fn stats(admin: &Client, id: i64) -> Value {
    let server = admin.get(&format!("/api/servers/{id}")).await.ok();
    server["server"]["stats"].clone()
}

/// One round of the poller, to its end.
async fn round(app: &TestApp) {
    server::servers::live::poller::once(&app.app)
        .await
        .expect("a round");
}

fn nothing() -> Value {
    json!({ "players_online": 0, "max_players": 0, "map": "" })
}
