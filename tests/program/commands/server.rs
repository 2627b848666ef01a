use db::testing::free_port;
use rcon::testing::{Behaviour, Server};
use serde_json::{Value, json};

use crate::support::Home;

#[tokio::test]
async fn server_rcon_runs_a_command() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let game = Server::start("hunter2", Behaviour::Valve)
        .await
        .expect("a port");
    let body = json!({
        "name": "Dust", "ip": "127.0.0.1", "port": game.address().port(),
        "game": "cs2", "rcon_password": "hunter2",
    });
    admin.post("/api/servers", body).await.expect(201);

    let listed = home.run(&["server", "list"]).await;
    let rows: Vec<&str> = listed.ok().lines().collect();
    assert_eq!(rows.len(), 2, "{listed:?}");
    let columns: Vec<&str> = rows[1].split_whitespace().collect();
    let address = game.address().to_string();
    assert_eq!(columns[0], "1");
    assert_eq!(columns[3..], [&address, "cs2", "Dust"]);

    let listed = home.run(&["server", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(listed.ok()).expect("JSON");
    let listed = &listed["servers"][0];
    let served = admin.get("/api/servers/1").await.ok()["server"].clone();
    for field in ["id", "name", "ip", "port", "enabled", "game", "stats"] {
        assert_eq!(listed[field], served[field], "{field}");
    }
    assert_eq!(listed["state"], columns[1]);

    let ended = home.run(&["server", "rcon", "1", "echo", "-a", "\u{1b}[2J b"]);
    assert_eq!(
        ended.await.code,
        Some(1),
        "an escape is not one line of text"
    );
    let ended = home.run(&["server", "rcon", "1", "echo", "-a", "b"]).await;
    assert_eq!(ended.ok(), "-a b\n");
    assert_eq!(game.commands(), ["echo -a b"]);
    let log = admin.get("/api/audit-log?action=servers.rcon").await.ok();
    assert_eq!(log["audit_log"][0]["key_name"], "command line");
    let expected = json!({ "command": "echo -a b" });
    assert_eq!(log["audit_log"][0]["after"], expected);

    game.stop().await;
    let ended = home.run(&["server", "rcon", "1", "status"]).await;
    ended.failed("The game server does not accept RCON connections on its port.");
    let ended = home.run(&["server", "rcon", "2", "status"]).await;
    ended.failed("There is no such server.");
    home.run(&["server", "rcon", "1"])
        .await
        .misused(&["<COMMAND>"]);
}

#[tokio::test]
async fn server_query_prints_the_live_status() {
    let home = Home::new().await;
    let service = home.start().await;
    let body = json!({
        "name": "Dust", "ip": "127.0.0.1", "port": free_port(), "game": "cs2", "rcon_password": "hunter2",
    });
    service.admin().post("/api/servers", body).await.expect(201);

    let ended = home.run(&["server", "query", "1"]).await;
    assert_eq!(ended.stdout, "state     refused\n", "{ended:?}");
    assert_eq!(ended.code, Some(1));
    let ended = home.run(&["server", "query", "2"]).await;
    ended.failed("There is no such server.");
    let ended = home
        .run(&["--server-query", "off", "server", "query", "1"])
        .await;
    assert_eq!(ended.stdout, "state     disabled\n", "{ended:?}");
    let sentence = "steward: the server was not queried, because --server-query is off\n";
    assert_eq!(ended.stderr, sentence);
    let ended = home
        .run(&["--server-networks", "192.0.2.0/24", "server", "query", "1"])
        .await;
    assert!(ended.stderr.contains("--server-networks does not allow"));
    let off = json!({ "enabled": false });
    service.admin().put("/api/servers/1", off).await.ok();
    let ended = home.run(&["server", "query", "1"]).await;
    let sentence = "steward: the server was not queried, because it is disabled\n";
    assert_eq!(ended.stderr, sentence);
}
