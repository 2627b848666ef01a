//! What is switched off, or not allowed, never gets a packet.

use serde_json::{Value, json};
use server::servers::live::Settings;

use super::{add, live, nothing, query, round, settings, start, stats};
use crate::support::TestApp;
use crate::support::game_server::{GameServer, Manner};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_switched_off_is_left_alone() {
    let app = start().await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let mut body = game.body();
    body["enabled"] = json!(false);
    let id = super::create(&admin, body).await;
    round(&app).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["error"], "disabled");
    assert_eq!(asked["checked_at"], Value::Null);
    assert_eq!(live(&admin, id).await, asked);
    assert_eq!(stats(&admin, id).await, nothing());
    assert_eq!(game.received(), 0);

    let toggle = format!("/api/servers/{id}/toggle");
    admin.act(&toggle).await.ok();
    round(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 3);

    admin.act(&toggle).await.ok();
    assert_eq!(stats(&admin, id).await, nothing());
    assert_eq!(live(&admin, id).await["error"], "disabled");
    let before = game.received();
    app.pass(3600);
    round(&app).await;
    query(&admin, id).await;
    assert_eq!(game.received(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_when_asking_is_switched_off() {
    let app = TestApp::watching(Settings {
        enabled: false,
        ..settings()
    })
    .await;
    let admin = app.admin();
    let game = GameServer::start(Manner::Plain).await;
    let id = add(&admin, &game).await;
    // It ends at once, since there is nothing to do.
    server::servers::live::poller::run(app.app.clone()).await;
    assert_eq!(query(&admin, id).await["error"], "disabled");
    assert_eq!(live(&admin, id).await["error"], "disabled");
    assert_eq!(stats(&admin, id).await, nothing());
    assert_eq!(game.received(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_servers_in_allowed_networks_are_asked() {
    let networks = ["127.0.0.2", "2001:db8::/32"].map(|some| some.parse().expect("a network"));
    let app = TestApp::watching(Settings {
        networks: Some(networks.into_iter().collect()),
        ..settings()
    })
    .await;
    let admin = app.admin();
    let inside = GameServer::start_at([127, 0, 0, 2].into(), Manner::Plain).await;
    let outside = GameServer::start(Manner::Plain).await;
    let (inner, outer) = (add(&admin, &inside).await, add(&admin, &outside).await);
    let mut disguised = outside.body();
    disguised["ip"] = json!("::ffff:127.0.0.1");
    let disguised = super::create(&admin, disguised).await;
    round(&app).await;
    assert_eq!(live(&admin, inner).await["reachable"], true);
    for id in [outer, disguised] {
        assert_eq!(live(&admin, id).await["error"], "forbidden");
        assert_eq!(query(&admin, id).await["error"], "forbidden");
        assert_eq!(stats(&admin, id).await, nothing());
    }
    assert_eq!(outside.received(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_be_on_ipv6() {
    let app = start().await;
    let admin = app.admin();
    let Some(game) =
        GameServer::start_on("[::1]:0".parse().expect("an address"), Manner::Plain).await
    else {
        // There are machines without.
        return;
    };
    let id = add(&admin, &game).await;
    assert_eq!(query(&admin, id).await["players_online"], 3);
}
