//! Whether a player is banned.

use serde_json::{Value, json};

use super::{DAY, OTHER_STEAM_ID, STEAM_ID, ban_of, check, issue, lift};
use crate::support::{Client, TestApp};

#[service_test]
async fn a_check_is_exact_to_the_second(app: TestApp, admin: Client) {
    let query = format!("steam_id64={STEAM_ID}");
    assert_eq!(check(&admin, &query).await, (false, vec![]));
    issue(&admin, ban_of(STEAM_ID, json!({ "seconds": 60 }))).await;
    app.advance(59);
    assert_eq!(check(&admin, &query).await, (true, vec![1]));
    app.advance(1);
    assert_eq!(check(&admin, &query).await, (false, vec![]));
}

#[service_test]
async fn bans_overlap_and_the_player_is_free_when_none_is_active(admin: Client) {
    let query = format!("steam_id64={STEAM_ID}");
    let first = issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    let second = issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    assert_eq!(check(&admin, &query).await, (true, vec![2, 1]));
    lift(&admin, &first).await;
    assert_eq!(check(&admin, &query).await, (true, vec![2]));
    lift(&admin, &second).await;
    assert_eq!(check(&admin, &query).await, (false, vec![]));
}

#[service_test]
async fn mutes_are_listed_but_ban_nobody(admin: Client) {
    for (kind, id) in [("mute", 1), ("gag", 2), ("silence", 3)] {
        issue(&admin, ban_of(STEAM_ID, json!({ "kind": kind }))).await;
        let (banned, ids) = check(&admin, &format!("steam_id64={STEAM_ID}")).await;
        assert_eq!((banned, ids[0]), (false, id), "{kind}");
    }
}

#[service_test]
async fn every_spelling_of_a_steam_id_and_every_range_of_an_address_match(admin: Client) {
    let range = |range: &str| json!({ "kind": "ban", "ip_range": range, "reason": "Proxy", "seconds": DAY });
    issue(&admin, ban_of(STEAM_ID, json!({ "ip_range": "192.0.2.7" }))).await;
    issue(&admin, range("192.0.2.0/24")).await;
    issue(&admin, range("192.0.0.0/16")).await;
    issue(&admin, range("2001:db8::/32")).await;
    issue(&admin, range("::ffff:198.51.100.0/120")).await;
    for (query, ids) in [
        ("steam_id64=STEAM_1:0:4491990", vec![1]),
        ("steam_id64=%5BU:1:8983980%5D", vec![1]),
        ("ip=192.0.2.7", vec![3, 2, 1]),
        ("ip=::ffff:192.0.2.7", vec![3, 2, 1]),
        ("ip=192.0.2.8", vec![3, 2]),
        ("ip=192.0.3.1", vec![3]),
        ("ip=192.1.2.7", vec![]),
        ("ip=2001:db8:ffff::1", vec![4]),
        ("ip=2001:db9::1", vec![]),
        ("ip=198.51.100.200", vec![5]),
        // A ban that matches twice is there once.
        ("ip=192.0.2.7&steam_id64=76561197969249708", vec![3, 2, 1]),
    ] {
        assert_eq!(check(&admin, query).await.1, ids, "{query}");
    }
}

#[service_test]
async fn a_ban_holds_on_its_servers_and_not_on_all_when_they_are_deleted(admin: Client) {
    for port in [1001, 1002] {
        let body = json!({
            "name": "Game", "ip": "127.0.0.1", "port": port, "game": "cs2", "rcon_password": "x",
        });
        admin.post("/api/servers", body).await.created();
    }
    issue(&admin, ban_of(STEAM_ID, json!({ "server_ids": [1] }))).await;
    let on = async |query: &str| {
        let query = format!("steam_id64={STEAM_ID}{query}");
        check(&admin, &query).await.0
    };
    assert!(on("&server_id=1").await);
    assert!(!on("&server_id=2").await);
    assert!(on("").await, "without a server, any counts");
    admin.delete("/api/servers/1").await.ok();
    assert!(!on("&server_id=2").await);
    let ban = super::read(&admin, &json!({ "id": 1 })).await;
    assert_eq!(ban["server_ids"], json!([1]));
    // A server that was deleted may stay, but none can be added.
    let changes = json!({ "server_ids": [1, 2] });
    admin.put("/api/bans/1", changes).await.ok();
    let changes = json!({ "server_ids": [1, 3] });
    let refused = admin.put("/api/bans/1", changes).await;
    assert_eq!(
        refused.error(422, "validation_failed")["errors"]["server_ids.1"][0],
        "is not the id of a game server"
    );
    let global = json!({ "server_ids": [] });
    admin.put("/api/bans/1", global).await.ok();
    assert!(on("&server_id=77").await);
}

#[service_test]
async fn the_etag_is_that_of_the_answer(app: TestApp, admin: Client) {
    issue(&admin, ban_of(STEAM_ID, json!({ "seconds": 60 }))).await;
    let path = format!("/api/bans/check?steam_id64={STEAM_ID}");
    let first = admin.get(&path).await;
    let tag = first.header("etag").to_owned();
    assert_eq!(first.header("cache-control"), "private, no-cache");
    let again = admin.with("If-None-Match", &tag).get(&path).await;
    assert_eq!(again.status, 304);
    app.advance(60);
    let later = admin.with("If-None-Match", &tag).get(&path).await;
    assert_eq!(later.ok()["banned"], false);
}

#[service_test]
async fn many_players_are_checked_in_the_order_asked(admin: Client) {
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    issue(&admin, ban_of(OTHER_STEAM_ID, json!({ "kind": "gag" }))).await;
    let body = json!({ "players": [
        { "steam_id64": OTHER_STEAM_ID }, { "ip": "192.0.2.1" }, { "steam_id64": STEAM_ID },
    ]});
    let answer = admin.post("/api/bans/check", body).await.ok();
    let banned = |i: usize| &answer["players"][i]["banned"];
    assert_eq!([banned(0), banned(1), banned(2)], [false, false, true]);
    assert_eq!(answer["players"][0]["bans"][0]["kind"], "gag");
    let log = admin.get("/api/audit-log?resource=bans").await.ok();
    assert_eq!(
        log["audit_log"].as_array().map(Vec::len),
        Some(2),
        "no entry of a check"
    );

    let many = |count: usize| json!({ "players": vec![json!({ "ip": "192.0.2.1" }); count] });
    admin.post("/api/bans/check", many(100)).await.ok();
    for (body, field) in [
        (many(101), "players"),
        (many(0), "players"),
        (json!({ "players": [{}] }), "players.0.steam_id64"),
        (json!({ "players": [{ "ip": "x" }] }), "players.0.ip"),
        (json!({ "players": [7] }), "players.0"),
    ] {
        let refused = admin.post("/api/bans/check", body).await;
        let errors = refused.error(422, "validation_failed");
        assert!(errors["errors"][field].is_array(), "{errors}");
    }
}

#[service_test]
async fn the_user_of_a_player_is_included_on_request(app: TestApp, admin: Client) {
    let id = app.user("anna").await;
    app.link(id, 1, STEAM_ID).await;
    let answer = admin
        .get(&format!(
            "/api/bans/check?include=user&steam_id64={STEAM_ID}"
        ))
        .await
        .ok();
    let expected = json!({ "id": id, "username": "anna", "roles": [], "block": null });
    assert_eq!(answer["user"], expected);
    let answer = admin
        .get(&format!(
            "/api/bans/check?include=user&steam_id64={OTHER_STEAM_ID}"
        ))
        .await
        .ok();
    assert_eq!(answer["user"], Value::Null);
    for query in [
        "",
        "ip=x",
        "steam_id64=7",
        "ip=192.0.2.1&include=roles",
        "server_id=1",
    ] {
        let refused = admin.get(&format!("/api/bans/check?{query}")).await;
        refused.error(422, "validation_failed");
    }
}

#[service_test]
async fn a_ban_is_found_behind_100_newer_mutes_and_bans_on_other_servers(admin: Client) {
    let body = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 1, "game": "cs2", "rcon_password": "x",
    });
    admin.post("/api/servers", body.clone()).await.created();
    admin.post("/api/servers", body).await.created();
    issue(&admin, ban_of(STEAM_ID, json!({ "server_ids": [1] }))).await;
    for more in [json!({ "kind": "mute" }), json!({ "server_ids": [2] })] {
        for _ in 0..101 {
            issue(&admin, ban_of(STEAM_ID, more.clone())).await;
        }
    }
    let (banned, ids) = check(&admin, &format!("steam_id64={STEAM_ID}&server_id=1")).await;
    assert!(banned);
    assert_eq!((ids.len(), ids.last()), (100, Some(&1)));
}
