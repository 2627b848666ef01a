use super::start;
use crate::support::{TestApp, assert_fields};

#[service_test(start())]
async fn supported_games_are_listed(app: TestApp) {
    let reader = app.actor(&["admin.servers.read"]).await;
    let listed = reader.get("/api/games").await;
    let body = listed.ok();
    assert_fields(&body, &["games"]);
    let games = body["games"].as_array().expect("a list");
    assert_eq!(listed.header("x-total-count"), games.len().to_string());
    assert!(games.len() > 90);
    for game in games {
        let fields = [
            "id",
            "name",
            "protocol",
            "default_query_port",
            "steam_app_ids",
            "aliases",
        ];
        assert_fields(game, &fields);
    }
    let find = |id: &str| games.iter().find(|game| game["id"] == id).expect("a game");
    assert_eq!(
        find("counterstrike2")["aliases"],
        serde_json::json!(["cs2"])
    );
    assert_eq!(
        find("counterstrike2")["steam_app_ids"],
        serde_json::json!([730])
    );
    assert_eq!(find("q3a")["protocol"], "quake3");
    assert_eq!(find("minecraft")["default_query_port"], 25565);
    // Every id is accepted as the game of a server.
    for id in games.iter().map(|game| &game["id"]) {
        let body = serde_json::json!({
            "name": "x", "ip": "127.0.0.9", "port": 1, "game": id, "rcon_password": "x",
        });
        super::create(&app.admin(), body).await;
    }
}
