//! The list of bans, its filters, and the export.

use serde_json::{Value, json};

use super::{OTHER_STEAM_ID, STEAM_ID, ban_of, issue, lift};
use crate::support::walk::next;
use crate::support::{Client, TestApp};

async fn ids(client: &Client, query: &str) -> Vec<i64> {
    let list = client.get(&format!("/api/bans?{query}")).await.ok();
    let bans = list["bans"].as_array().expect("a list").iter();
    bans.map(|ban| ban["id"].as_i64().expect("an id")).collect()
}

async fn some_bans(app: &TestApp) {
    let admin = app.admin();
    let body = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 1, "game": "cs2", "rcon_password": "x",
    });
    admin.post("/api/servers", body).await.created();
    let user = app.user("anna").await;
    issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    issue(
        &admin,
        ban_of(STEAM_ID, json!({ "kind": "mute", "seconds": 60 })),
    )
    .await;
    let moderator = app.actor(&["admin.bans"]).await;
    let body = ban_of(
        OTHER_STEAM_ID,
        json!({ "ip_range": "192.0.2.0/24", "server_ids": [1] }),
    );
    issue(&moderator, body).await;
    app.advance(100);
    let fourth = issue(
        &admin,
        json!({ "kind": "gag", "user_id": user, "reason": "x" }),
    )
    .await;
    lift(&admin, &fourth).await;
}

#[service_test]
async fn the_list_is_newest_first_and_filters_combine(app: TestApp, admin: Client) {
    some_bans(&app).await;
    let key = admin.get("/api/bans/3").await.ok()["ban"]["issued_by"]["id"].clone();
    let now = app.core().clock.now().to_string();
    for (query, expected) in [
        ("", vec![4, 3, 2, 1]),
        ("kind=mute", vec![2]),
        ("state=active", vec![3, 1]),
        ("state=expired", vec![2]),
        ("state=lifted", vec![4]),
        ("steam_id64=STEAM_0:0:4491990", vec![2, 1]),
        ("ip=192.0.2.9", vec![3]),
        ("ip=192.0.3.9", vec![]),
        ("user_id=1", vec![4]),
        ("server_id=1", vec![4, 3, 2, 1]),
        ("server_id=2", vec![4, 2, 1]),
        (&format!("issued_by=key:{key}"), vec![3]),
        ("issued_by=operator:1", vec![]),
        (&format!("from={now}"), vec![4]),
        (
            &format!("to={now}&state=active&kind=ban&steam_id64={STEAM_ID}"),
            vec![1],
        ),
    ] {
        assert_eq!(ids(&admin, query).await, expected, "{query}");
        let counted = admin.get(&format!("/api/bans?{query}")).await;
        let total = counted.header("x-total-count");
        assert_eq!(total, expected.len().to_string(), "{query}");
    }
    for query in [
        "kind=kick",
        "state=x",
        "steam_id64=x",
        "ip=x",
        "issued_by=3",
        "issued_by=user:1",
        "from=2030-01-02&to=2030-01-01",
        "per_page=0",
    ] {
        let refused = admin.get(&format!("/api/bans?{query}")).await;
        refused.error(422, "validation_failed");
    }
}

#[service_test]
async fn pages_follow_each_other_by_cursor(app: TestApp, admin: Client) {
    some_bans(&app).await;
    let first = admin.get("/api/bans?per_page=3").await;
    let path = &next(&first).expect("a next page");
    let rest = admin.get(path).await.ok();
    assert_eq!(rest["bans"].as_array().map(Vec::len), Some(1));
    assert_eq!(rest["bans"][0]["id"], 1);
}

#[service_test]
async fn the_export_has_every_ban_and_leaves_an_entry(app: TestApp, admin: Client) {
    some_bans(&app).await;
    let lines = admin
        .get("/api/bans/export?format=ndjson&state=active")
        .await;
    let lines: Vec<Value> = lines
        .text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [3, 1]);
    assert_eq!(lines[1]["steam_id64"], STEAM_ID);
    let table = admin.get("/api/bans/export?format=csv").await;
    assert_eq!(table.text.lines().count(), 5);
    let log = admin.get("/api/audit-log?action=bans.export").await.ok();
    assert_eq!(log["audit_log"].as_array().map(Vec::len), Some(2));
}
