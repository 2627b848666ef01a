use rcon::testing::{Behaviour, Server};
use serde_json::json;

use super::Client;

/// A game server that accepts RCON, and its id.
pub async fn server_with_console(admin: &Client, behaviour: Behaviour) -> (Server, i64) {
    let server = Server::start("hunter2", behaviour).await.expect("a port");
    let body = json!({
        "name": "Game", "ip": "127.0.0.1", "port": server.address().port(), "game": "cs2",
        "rcon_password": "hunter2",
    });
    let made = admin.post("/api/servers", body).await.created();
    (server, made["server"]["id"].as_i64().expect("an id"))
}
