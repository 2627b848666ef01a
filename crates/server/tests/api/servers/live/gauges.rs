//! The metrics of each game server.

use std::time::Duration;

use game_servers::servers::live::gauges;
use serde_json::json;

use super::{add, create, poll_once, start, start_with_timeout};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::payments::numbers;
use crate::support::{Client, TestApp};

/// The lines about single servers, as `/metrics` shows them after the next update.
async fn shown(app: &TestApp) -> Vec<String> {
    gauges::update(&app.app.servers).await.expect("gauges");
    let text = app.anonymous().get("/metrics").await.text;
    let lines = text.lines().filter(|line| line.contains("{server_id="));
    lines.map(str::to_owned).collect()
}

#[service_test(start_with_timeout(Duration::from_secs(5)))]
async fn each_server_that_is_queried_has_gauges_of_its_players(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let silent = GameServer::start(Behaviour::Silent).await;
    add(&admin, &game).await;
    let mut body = silent.body();
    body["name"] = json!("say \"hi\"\\");
    create(&admin, body).await;
    let mut body = game.body();
    body["enabled"] = json!(false);
    create(&admin, body).await;
    poll_once(&app).await;

    let name = game.body()["name"].as_str().expect("a name").to_owned();
    let first = format!("{{server_id=\"1\",server=\"{name}\"}}");
    let second = "{server_id=\"2\",server=\"say \\\"hi\\\"\\\\\"}";
    let max = admin.get("/api/servers/1/live").await.ok()["live"]["max_players"].clone();
    let expected = [
        format!("steward_server_reachable{first} 1"),
        format!("steward_server_reachable{second} 0"),
        format!("steward_server_players{first} 3"),
        format!("steward_server_max_players{first} {max}"),
    ];
    assert_eq!(shown(&app).await, expected);

    // A deleted server no longer has a gauge.
    admin.delete("/api/servers/1").await.ok();
    let expected = [format!("steward_server_reachable{second} 0")];
    assert_eq!(shown(&app).await, expected);
}

#[service_test(start())]
async fn at_most_1000_servers_have_gauges(app: TestApp) {
    let servers = numbers(&app, 1200);
    let sql = format!(
        "INSERT INTO servers (name, ip, port, game, enabled, rcon_password, created_at,
                              updated_at)
         SELECT 'Server ' || n, '192.0.2.1', n, 'cs2', TRUE, '', 0, 0 FROM {servers};
         INSERT INTO server_live (server_id, epoch, next_query_at, leased_until, failures,
                                  players_online, max_players, map, players)
         SELECT id, 1, 0, 0, 0, 0, 0, '', '[]' FROM servers"
    );
    app.core().db.run_sql(&sql).await.expect("servers");
    let lines = shown(&app).await;
    assert_eq!(lines.len(), 1000);
    assert!(
        lines[999].contains("{server_id=\"1000\","),
        "{}",
        lines[999]
    );
}
