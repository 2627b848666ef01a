//! Disabled servers and networks that are not allowed never get a packet.

use game_servers::servers::Networks;
use game_servers::servers::live::Settings;
use kernel::secret::SecretKey;
use serde_json::{Value, json};
use server::app::App;
use server::routes::{PublicPaths, router};

use super::{add, empty_stats, live, poll_once, query, start, stats};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, TestApp, listen, live_settings};

#[service_test(start())]
async fn a_disabled_server_is_never_contacted(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let mut body = game.body();
    body["enabled"] = json!(false);
    let id = super::create(&admin, body).await;
    poll_once(&app).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["error"], "disabled");
    assert_eq!(asked["checked_at"], Value::Null);
    assert_eq!(live(&admin, id).await, asked);
    assert_eq!(stats(&admin, id).await, empty_stats());
    assert_eq!(game.received(), 0);

    let toggle = format!("/api/servers/{id}/toggle");
    admin.post_empty(&toggle).await.ok();
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await["players_online"], 3);

    admin.post_empty(&toggle).await.ok();
    assert_eq!(stats(&admin, id).await, empty_stats());
    assert_eq!(live(&admin, id).await["error"], "disabled");
    let before = game.received();
    app.advance(3600);
    poll_once(&app).await;
    query(&admin, id).await;
    assert_eq!(game.received(), before);
}

#[service_test]
async fn nothing_is_sent_when_querying_is_disabled() {
    let app = TestApp::start_with_live_settings(Settings {
        enabled: false,
        ..live_settings()
    })
    .await;
    let admin = app.admin();
    let game = GameServer::start(Behaviour::Plain).await;
    let id = add(&admin, &game).await;
    // It ends at once, because there is nothing to do.
    game_servers::servers::live::poller::run(app.app.servers.clone()).await;
    assert_eq!(query(&admin, id).await["error"], "disabled");
    assert_eq!(live(&admin, id).await["error"], "disabled");
    assert_eq!(stats(&admin, id).await, empty_stats());
    assert_eq!(game.received(), 0);
}

#[service_test]
async fn only_servers_in_allowed_networks_are_queried() {
    let networks = ["127.0.0.2", "2001:db8::/32"].map(|some| some.parse().expect("a network"));
    let app = TestApp::start_with_live_settings(Settings {
        networks: Networks::Named(networks.into_iter().collect()),
        ..live_settings()
    })
    .await;
    let admin = app.admin();
    let inside = GameServer::start_at([127, 0, 0, 2].into(), Behaviour::Plain).await;
    let outside = GameServer::start(Behaviour::Plain).await;
    let (inner, outer) = (add(&admin, &inside).await, add(&admin, &outside).await);
    let mut disguised = outside.body();
    disguised["ip"] = json!("::ffff:127.0.0.1");
    let disguised = super::create(&admin, disguised).await;
    poll_once(&app).await;
    assert_eq!(live(&admin, inner).await["reachable"], true);
    for id in [outer, disguised] {
        assert_eq!(live(&admin, id).await["error"], "forbidden");
        assert_eq!(query(&admin, id).await["error"], "forbidden");
        assert_eq!(stats(&admin, id).await, empty_stats());
    }
    assert_eq!(outside.received(), 0);
}

#[service_test(start())]
async fn without_server_networks_loopback_and_link_local_addresses_are_not_contacted(app: TestApp) {
    let admin = app.admin();
    // The support code names 127.0.0.0/8, so this instance is started here.
    let open = App::start(
        app.scratch.open().await,
        app.core().clock.clone(),
        SecretKey::new(&[7; 32]),
        server::app::Settings {
            live: live_settings(),
            ..Default::default()
        },
    );
    let open = open.await.expect("the service starts");
    let address = listen(&open, router(&open, PublicPaths::ALL)).await;
    let open = Client::new(&address, Some(app.admin_key()));
    let game = GameServer::start(Behaviour::Plain).await;
    for ip in [
        "127.0.0.1",
        "::ffff:127.0.0.1",
        "::1",
        "169.254.169.254",
        "fe80::1",
        "fd00:ec2::254",
    ] {
        let mut body = game.body();
        body["ip"] = json!(ip);
        let id = super::create(&admin, body).await;
        assert_eq!(query(&open, id).await["error"], "forbidden", "{ip}");
        let path = format!("/api/servers/{id}/rcon");
        let answer = open.post(&path, json!({ "command": "status" })).await;
        answer.error(422, "server_forbidden");
    }
    assert_eq!(game.received(), 0);
}

#[service_test(start())]
async fn a_server_on_ipv6_is_queried(admin: Client) {
    let Some(game) =
        GameServer::start_on("[::1]:0".parse().expect("an address"), Behaviour::Plain).await
    else {
        // Some machines have no IPv6.
        return;
    };
    let id = add(&admin, &game).await;
    assert_eq!(query(&admin, id).await["players_online"], 3);
}
