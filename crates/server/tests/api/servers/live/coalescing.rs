//! Queries on demand.

use std::time::Duration;

use serde_json::json;

use super::{add, query, start, start_with_timeout};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, TestApp, at_once, count};

#[service_test(start())]
async fn concurrent_queries_share_one_answer(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    game.has_players(0);
    let id = add(&admin, &game).await;
    let ask = |caller: Client| async move {
        caller.post_empty(&format!("/api/servers/{id}/query")).await
    };
    let ask_50_while_held = async || {
        let asking = at_once((0..50).map(|_| ask(admin.clone())));
        let releasing = async {
            // Longer than it takes to send all requests, also on a busy machine.
            tokio::time::sleep(Duration::from_secs(5)).await;
            game.release();
        };
        tokio::join!(asking, releasing).0
    };
    game.hold();
    let polling = {
        let app = app.app.clone();
        tokio::spawn(async move { game_servers::servers::live::poller::once(&app.servers).await })
    };
    crate::support::eventually("the server is queried", async || game.received() > 0).await;
    let answers = ask_50_while_held().await;
    assert_eq!(count(&answers, 200), 50);
    assert!(
        answers
            .iter()
            .all(|answer| answer.ok()["live"]["reachable"] == true)
    );
    polling.await.expect("it ends").expect("a round");
    assert_eq!(game.received(), 1);

    game.hold();
    let answers = ask_50_while_held().await;
    assert_eq!(count(&answers, 200), 50);
    assert_eq!(game.received(), 2);

    // Sequential queries are not shared.
    query(&admin, id).await;
    query(&admin, id).await;
    assert_eq!(game.received(), 4);
}

#[service_test(start_with_timeout(Duration::from_secs(5)))]
async fn a_silent_server_does_not_delay_queries_of_others(admin: Client) {
    let silent = GameServer::start(Behaviour::Silent).await;
    let game = GameServer::start(Behaviour::Plain).await;
    let (slow, fast) = (add(&admin, &silent).await, add(&admin, &game).await);
    let waiting = {
        let admin = admin.clone();
        tokio::spawn(async move { query(&admin, slow).await })
    };
    crate::support::eventually("the server is queried", async || silent.received() > 0).await;
    assert_eq!(query(&admin, fast).await["reachable"], true);
    assert!(!waiting.is_finished());
    assert_eq!(waiting.await.expect("an answer")["error"], "timeout");
}

#[service_test(start())]
async fn a_refused_query_sends_nothing_403_and_none_leaves_an_audit_entry(app: TestApp) {
    let game = GameServer::start(Behaviour::Plain).await;
    let id = add(&app.admin(), &game).await;
    let path = format!("/api/servers/{id}/query");
    let reader = app.actor(&["admin.servers.read"]).await;
    reader.post_empty(&path).await.forbidden("admin.servers");
    assert_eq!(game.received(), 0);
    let writer = app.actor(&["admin.servers"]).await;
    let before = app.admin().get("/api/audit-log").await;
    writer.post_empty(&path).await.ok();
    // A body is ignored.
    writer.post(&path, json!("what?")).await.ok();
    let after = app.admin().get("/api/audit-log").await;
    assert_eq!(
        before.header("x-total-count"),
        after.header("x-total-count")
    );
}
