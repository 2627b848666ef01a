//! A ban of a player who is connected reaches the console of the game server at once.

use std::time::{Duration, Instant};

use rcon::testing::Behaviour;
use serde_json::{Value, json};

use crate::support::{Client, GameServer, Home, number, within};

/// For how many seconds a kick is retried.
const RETRIED: u64 = 60;

/// Adds a server that kicks the players who are banned.
async fn add(admin: &Client, server: &GameServer) -> i64 {
    let made = admin.post("/api/servers", server.body()).await.created();
    let id = made["server"]["id"].as_i64().expect("an id");
    let commands = json!({ "kick_command": "kick {steam_id64}" });
    let path = format!("/api/servers/{id}/commands");
    admin.put(&path, commands).await.ok();
    id
}

async fn ban(admin: &Client, steam_id: u64) -> i64 {
    let body = json!({
        "kind": "ban", "steam_id64": steam_id.to_string(), "reason": "Cheating", "seconds": 3600,
    });
    let made = admin.post("/api/bans", body).await.created();
    made["ban"]["id"].as_i64().expect("an id")
}

/// Waits until the kick of a ban on a server is as it should be.
async fn kick(admin: &Client, ban: i64, server: i64, wanted: impl Fn(&Value) -> bool) -> Value {
    let waiting = async {
        loop {
            let kicks = admin.get(&format!("/api/bans/{ban}")).await.ok()["ban"]["kicks"].take();
            let kicks = kicks.as_array().expect("a list");
            let kick = kicks.iter().find(|kick| kick["server_id"] == server);
            let kick = kick.expect("a kick");
            if wanted(kick) {
                return kick.clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within(waiting).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kick_reaches_the_console_within_a_second_of_the_reply_to_the_ban() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let up = GameServer::start(50).await;
    add(&admin, &up).await;
    // Others that are down delay nothing.
    let down = [GameServer::start(51).await, GameServer::start(52).await];
    for (server, behaviour) in down.iter().zip([Behaviour::Refuses, Behaviour::Silent]) {
        server.behave(behaviour);
        add(&admin, server).await;
    }
    // Longer on a busy machine. A server that is down would delay it by 5 seconds.
    let most = Duration::from_millis(number("STEWARD_TEST_KICK_DELAY", 4000));
    for i in 0..10 {
        let steam_id = 76_561_197_960_265_729 + i;
        ban(&admin, steam_id).await;
        let replied = Instant::now();
        within(up.wait_for_commands(i as usize + 1)).await;
        let elapsed = replied.elapsed();
        assert!(elapsed < most, "{elapsed:?}");
        assert_eq!(up.commands()[i as usize], format!("kick {steam_id}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kick_for_a_server_that_is_down_is_retried_for_60_seconds() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let (back, down) = (GameServer::start(53).await, GameServer::start(54).await);
    let (back_id, down_id) = (add(&admin, &back).await, add(&admin, &down).await);
    for server in [&back, &down] {
        server.behave(Behaviour::Refuses);
    }
    let ban = ban(&admin, 76_561_197_960_265_729).await;
    let begun = Instant::now();
    for server in [back_id, down_id] {
        let kick = kick(&admin, ban, server, |kick| kick["error"].is_string()).await;
        assert_eq!(kick["state"], "pending", "{kick}");
    }
    back.behave(Behaviour::Valve);
    kick(&admin, ban, back_id, |kick| kick["state"] == "sent").await;
    assert_eq!(back.commands(), ["kick 76561197960265729"]);

    // The rest of the time is skipped.
    let waited = number("STEWARD_TEST_KICK_SECONDS", 10).min(RETRIED);
    let skipped = (RETRIED - waited) * 1000;
    let sql = format!("UPDATE ban_commands SET queued_at = queued_at - {skipped}");
    let db = home.database().await;
    db.run_sql(&sql).await.expect("skipped");
    let failed = kick(&admin, ban, down_id, |kick| kick["state"] == "failed").await;
    let elapsed = begun.elapsed().as_secs();
    // The next attempt is 5 seconds after the last one.
    assert!((waited - 1..waited + 40).contains(&elapsed), "{elapsed} s");
    let error = failed["error"].as_str().expect("a reason");
    assert!(
        error.contains("does not accept RCON connections"),
        "{error}"
    );
    let mut read = db.read().await.expect("a reader");
    let sql = "SELECT COUNT(*) FROM queue WHERE kind = 'ban_commands'";
    let queued: i64 = read
        .query_one(sql, &[], |row| row.get(0))
        .await
        .expect("a number");
    assert_eq!(queued, 0);
    assert_eq!(down.commands(), Vec::<String>::new());
}
