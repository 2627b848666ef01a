//! The feed of bans, for plugins that keep a copy.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{OTHER_STEAM_ID, STEAM_ID, ban_of, issue, lift};
use crate::support::rng::Rng;
use crate::support::{Client, TestApp};

/// A copy of the active bans, as a plugin keeps it.
struct Copy {
    client: Client,
    bans: BTreeMap<i64, Value>,
    cursor: String,
}

impl Copy {
    async fn begin(client: Client) -> Self {
        let answer = client.get("/api/bans/feed").await;
        assert_eq!(answer.header("content-type"), "application/x-ndjson");
        let text = answer.text;
        let mut lines = text
            .lines()
            .map(|line| -> Value { serde_json::from_str(line).expect("JSON") });
        let first = lines.next().expect("a first line");
        let cursor = first["cursor"].as_str().expect("a cursor").to_owned();
        let bans = lines.map(|ban| (ban["id"].as_i64().expect("an id"), ban));
        Self {
            bans: bans.collect(),
            client,
            cursor,
        }
    }

    fn path(&self) -> String {
        format!("/api/bans/feed?after={}", self.cursor)
    }

    /// Reads all changes.
    async fn follow(&mut self) {
        loop {
            let answer = self.client.get(&self.path()).await.ok();
            for ban in answer["bans"].as_array().expect("a list") {
                let id = ban["id"].as_i64().expect("an id");
                match ban["state"].as_str() {
                    Some("active") => self.bans.insert(id, ban.clone()),
                    _ => self.bans.remove(&id),
                };
            }
            self.cursor = answer["cursor"].as_str().expect("a cursor").to_owned();
            if answer["more"] == false {
                return;
            }
        }
    }

    fn ids(&self) -> Vec<i64> {
        self.bans.keys().copied().collect()
    }
}

#[service_test]
async fn a_copy_follows_the_changes(app: TestApp, admin: Client) {
    let first = issue(&admin, ban_of(STEAM_ID, json!({ "note": "secret" }))).await;
    let mut copy = Copy::begin(admin.clone()).await;
    assert_eq!(copy.ids(), [1]);
    let line = &copy.bans[&1];
    for hidden in ["note", "evidence", "issued_by"] {
        assert!(line.get(hidden).is_none(), "{line}");
    }
    issue(&admin, ban_of(OTHER_STEAM_ID, json!({ "seconds": 60 }))).await;
    admin
        .put("/api/bans/1", json!({ "reason": "Aimbot" }))
        .await
        .ok();
    copy.follow().await;
    assert_eq!(copy.ids(), [1, 2]);
    assert_eq!(copy.bans[&1]["reason"], "Aimbot");
    lift(&admin, &first).await;
    copy.follow().await;
    assert_eq!(copy.ids(), [2]);
    // An expiry is no change.
    app.advance(60);
    let before = copy.cursor.clone();
    copy.follow().await;
    assert_eq!((copy.ids(), &copy.cursor), (vec![2], &before));
}

#[service_test]
async fn the_feed_of_a_server_has_the_bans_in_its_scope(admin: Client) {
    for port in [1, 2] {
        let body = json!({
            "name": "Game", "ip": "127.0.0.1", "port": port, "game": "cs2", "rcon_password": "x",
        });
        admin.post("/api/servers", body).await.created();
    }
    let cursor = Copy::begin(admin.clone()).await.cursor;
    for server_ids in [json!([]), json!([1]), json!([2])] {
        issue(
            &admin,
            ban_of(STEAM_ID, json!({ "server_ids": server_ids })),
        )
        .await;
    }
    let all = admin.get("/api/bans/feed?server_id=1").await.text;
    assert_eq!(all.lines().count(), 1 + 2);
    let path = format!("/api/bans/feed?server_id=1&after={cursor}");
    let changes = admin.get(&path).await.ok();
    let ids = |changes: &Value| changes["bans"].as_array().map(Vec::len);
    assert_eq!(ids(&changes), Some(3), "changes are not filtered");
    // A copy for this server learns that the ban has moved to another one.
    let cursor = Copy::begin(admin.clone()).await.cursor;
    admin
        .put("/api/bans/2", json!({ "server_ids": [2] }))
        .await
        .ok();
    let path = format!("/api/bans/feed?server_id=1&after={cursor}");
    let changes = admin.get(&path).await.ok();
    assert_eq!(changes["bans"][0]["server_ids"], json!([2]));
}

#[service_test]
async fn nothing_new_gives_304(admin: Client) {
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    let mut copy = Copy::begin(admin.clone()).await;
    copy.follow().await;
    let tag = admin.get(&copy.path()).await.header("etag").to_owned();
    admin.create_role("Guard").await;
    let again = admin.with("If-None-Match", &tag).get(&copy.path()).await;
    assert_eq!(again.status, 304, "other resources do not count");
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    let again = admin.with("If-None-Match", &tag).get(&copy.path()).await;
    assert_eq!(again.ok()["bans"][0]["id"], 2);
}

#[service_test]
async fn an_unknown_or_too_old_cursor_gives_409(app: TestApp, admin: Client) {
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    for after in ["9999999", "x", "-1", "9".repeat(20).as_str()] {
        let refused = admin.get(&format!("/api/bans/feed?after={after}")).await;
        refused.error(409, "cursor_expired");
    }
    let cursor = Copy::begin(admin.clone()).await.cursor;
    for _ in 0..3 {
        admin.create_role("Guard").await;
    }
    let delete = "DELETE FROM audit_log WHERE id < (SELECT MAX(id) FROM audit_log)";
    app.core().db.run_sql(delete).await.expect("deleted");
    let refused = admin.get(&format!("/api/bans/feed?after={cursor}")).await;
    refused.error(409, "cursor_expired");
}

#[service_test]
async fn a_copy_has_exactly_the_active_bans_while_many_write(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let elsewhere = second.holder(app.admin_key());
    let mut copy = Copy::begin(elsewhere.clone()).await;
    let has_ended = Arc::new(AtomicBool::new(false));
    let follower = {
        let has_ended = Arc::clone(&has_ended);
        tokio::spawn(async move {
            while !has_ended.load(Ordering::Relaxed) {
                copy.follow().await;
            }
            copy
        })
    };
    let writers = (0..64_u64).map(|number| {
        let client = if number % 2 == 0 {
            admin.clone()
        } else {
            elsewhere.clone()
        };
        async move {
            let mut rng = Rng::new(number);
            for _ in 0..4 {
                let steam_id = 76_561_197_960_265_729 + rng.below(20);
                let body = ban_of(&steam_id.to_string(), json!({}));
                let ban = issue(&client, body).await;
                match rng.below(3) {
                    0 => {
                        lift(&client, &ban).await;
                    }
                    1 => {
                        let path = format!("/api/bans/{}", ban["id"]);
                        // Another writer may have lifted it.
                        let answer = client.put(&path, json!({ "reason": "Changed" })).await;
                        assert!([200, 409].contains(&answer.status), "{answer:?}");
                    }
                    _ => {
                        let body = json!({ "steam_id64": steam_id.to_string(), "reason": "x" });
                        client.post("/api/bans/lift", body).await.ok();
                    }
                }
            }
        }
    });
    futures_util::future::join_all(writers).await;
    has_ended.store(true, Ordering::Relaxed);
    let mut copy = follower.await.expect("the follower ends");
    copy.follow().await;
    let fresh = Copy::begin(admin).await;
    assert_eq!(copy.bans, fresh.bans);
    assert!(!fresh.bans.is_empty());
}
