//! `steward import bans`: from dumps of SourceBans, CS2-SimpleAdmin and IksAdmin.

mod hostile;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Ended, Home, Program};

const SOURCEBANS: &str = include_str!("dumps/sourcebans.sql");
const SIMPLEADMIN: &str = include_str!("dumps/simpleadmin.sql");
const IKS: &str = include_str!("dumps/iks.sql");

/// Imports a dump of this text.
async fn import(home: &Home, dump: &str, args: &[&str]) -> Ended {
    home.write("dump.sql", dump);
    home.run(&[&["import", "bans", "dump.sql"], args].concat())
        .await
}

/// All bans by their ids in the program that they are from.
async fn bans(service: &Program) -> BTreeMap<String, Value> {
    let list = service.admin().get("/api/bans?per_page=100").await.ok();
    let bans = list["bans"].as_array().expect("a list").iter();
    let bans = bans.map(|ban| {
        let source = ban["source"]["id"].as_str().expect("a source");
        (source.to_owned(), ban.clone())
    });
    bans.collect()
}

/// Asserts that a ban has these values.
#[track_caller]
fn assert_has(bans: &BTreeMap<String, Value>, id: &str, expected: Value) {
    let ban = bans.get(id).unwrap_or_else(|| panic!("no {id}"));
    for (field, value) in expected.as_object().expect("fields") {
        assert_eq!(&ban[field], value, "{field} of {id}");
    }
}

/// The report that `--report report.json` has written.
fn report(home: &Home) -> Value {
    let path = home.folder().join("report.json");
    let mode = std::fs::metadata(&path).expect("a report").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).expect("a report");
    std::fs::remove_file(&path).expect("removed");
    serde_json::from_str(&text).expect("JSON")
}

/// The lines of a report, as `table id reason`.
fn rows(report: &Value) -> Vec<String> {
    let rows = report["rows"].as_array().expect("a list").iter();
    let rows = rows.map(|row| {
        let (table, reason) = (row["table"].as_str(), row["reason"].as_str());
        let (table, reason) = (table.expect("a table"), reason.expect("a reason"));
        format!("{table} {} {reason}", row["id"])
    });
    rows.collect()
}

async fn imports(service: &Program) -> Vec<Value> {
    let admin = service.admin();
    let log = admin.get("/api/audit-log?action=bans.import").await.ok();
    log["audit_log"].as_array().expect("a list").clone()
}

async fn create_server(service: &Program, name: &str) -> String {
    let body = json!({ "name": name, "ip": "203.0.113.7", "port": 27015, "game": "cs2",
                       "rcon_password": "not used", "enabled": false });
    let made = service.admin().post("/api/servers", body).await.created();
    made["server"]["id"].as_i64().expect("an id").to_string()
}

const ETERNAL: Value = Value::Null;

#[tokio::test]
async fn bans_of_sourcebans_follow_its_table_while_the_service_runs() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["--from", "sourcebans", "--report", "report.json"];
    let ended = import(&home, SOURCEBANS, &args).await;
    assert!(
        ended.ok().contains("sb_bans 8: left out: the SteamID"),
        "{ended:?}"
    );
    assert!(!ended.stdout.contains("secret-hash"), "{ended:?}");

    let found = bans(&service).await;
    assert_eq!(found.len(), 12);
    assert_has(
        &found,
        "bans:1",
        json!({
            "kind": "ban", "steam_id64": "76561197969249708", "ip_range": null, "user_id": null,
            "player_name": "O'Neil 🔥", "server_ids": [], "reason": "Cheating", "note": "",
            "created_at": "2023-11-14T22:13:20Z", "expires_at": ETERNAL, "state": "active",
            "issued_by": { "kind": "system", "id": null, "name": "gordon" },
            "lifted_by": null, "source": { "system": "sourcebans", "id": "bans:1" },
        }),
    );
    assert_has(
        &found,
        "bans:2",
        json!({ "steam_id64": "76561197969249709", "expires_at": "2096-10-02T07:06:40Z" }),
    );
    let expired = json!({ "state": "expired", "lifted_at": null, "expires_at": "2023-11-14T23:16:40Z",
                          "issued_by": { "kind": "system", "id": null, "name": "CONSOLE" } });
    assert_has(&found, "bans:3", expired);
    assert_has(
        &found,
        "bans:4",
        json!({ "state": "lifted", "lifted_at": "2023-11-16T02:00:00Z", "lift_reason": "Appealed",
                "lifted_by": { "kind": "system", "id": null, "name": "alyx" } }),
    );
    assert_has(
        &found,
        "bans:5",
        json!({ "state": "lifted", "lifted_at": "2023-11-14T22:20:00Z",
                "issued_by": { "kind": "system", "id": null, "name": "admin 77" } }),
    );
    assert_has(
        &found,
        "bans:6",
        json!({ "steam_id64": null, "ip_range": "198.51.100.6", "state": "active" }),
    );
    assert_ne!(
        found["bans:6"]["expires_at"], ETERNAL,
        "an address moves on"
    );
    assert_has(
        &found,
        "bans:7",
        json!({ "expires_at": "2096-10-02T07:06:40Z" }),
    );
    assert_has(&found, "bans:11", json!({ "reason": "No reason given." }));
    assert_has(&found, "bans:12", json!({ "state": "expired" }));
    for (id, kind, state) in [
        ("comms:1", "mute", "active"),
        ("comms:2", "gag", "active"),
        ("comms:3", "mute", "expired"),
    ] {
        let expected = json!({ "kind": kind, "state": state, "steam_id64": "76561197969249708" });
        assert_has(&found, id, expected);
    }

    let report = report(&home);
    assert_eq!(
        report["tables"],
        json!({
            "sb_bans": { "read": 12, "added": 9, "already_there": 0, "left_out": 3, "changed": 4 },
            "sb_comms": { "read": 4, "added": 3, "already_there": 0, "left_out": 1, "changed": 0 },
        })
    );
    assert_eq!(
        rows(&report),
        [
            "sb_bans 8 left out: the SteamID is invalid",
            "sb_bans 9 left out: the address is invalid",
            "sb_bans 10 left out: the type is unknown",
            "sb_comms 4 left out: the type is unknown",
            "sb_bans 5 changed: the time of removal is missing or impossible, so it is that of creation",
            "sb_bans 6 changed: a ban by address must end, so it ends a year after the import",
            "sb_bans 11 changed: the time of creation is missing or impossible, so it is now",
            "sb_bans 11 changed: there is no reason, so it says that none was given",
            "sb_bans 12 changed: it had expired before its end, so it ends now",
        ]
    );

    let entries = imports(&service).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0]["resource_id"], 0);
    let text = entries[0].to_string();
    assert!(
        text.contains("sourcebans") && text.contains("\"added\":9"),
        "{text}"
    );
}

#[tokio::test]
async fn an_imported_ban_by_address_is_found_by_a_check() {
    let home = Home::new().await;
    let service = home.start().await;
    import(&home, SOURCEBANS, &["--from", "sourcebans"])
        .await
        .ok();
    for (ip, banned) in [("198.51.100.7", true), ("198.51.100.1", false)] {
        let check = format!("/api/bans/check?ip={ip}");
        let check = service.admin().get(&check).await.ok();
        assert_eq!(check["banned"], banned, "{ip}");
    }
}

#[tokio::test]
async fn a_second_import_adds_only_what_is_new_and_leaves_the_rest_as_it_is() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["--from", "sourcebans", "--report", "report.json"];
    import(&home, SOURCEBANS, &args).await.ok();
    report(&home);
    let id = bans(&service).await["bans:1"]["id"].clone();
    let lift = format!("/api/bans/{id}/lift");
    let reason = json!({ "reason": "Forgiven" });
    service.admin().post(&lift, reason).await.ok();
    let before = bans(&service).await;
    let feed = service.admin().get("/api/bans/feed").await;
    let first = feed.text.lines().next().expect("a line");
    let first: Value = serde_json::from_str(first).expect("JSON");
    let cursor = first["cursor"].as_str().expect("a cursor");
    let changes = format!("/api/bans/feed?after={cursor}");

    let again = import(&home, SOURCEBANS, &args).await;
    assert!(again.ok().contains("There was nothing to add"), "{again:?}");
    assert_eq!(bans(&service).await, before);
    let counts = report(&home)["tables"]["sb_bans"].clone();
    let expected =
        json!({ "read": 12, "added": 0, "already_there": 9, "left_out": 3, "changed": 0 });
    assert_eq!(counts, expected);
    assert_eq!(imports(&service).await.len(), 1);
    service.admin().get(&changes).await.ok();

    let more = SOURCEBANS.replace(
        "(1,'198.51.100.1',",
        "(13,NULL,'STEAM_0:0:77','Lamarr',1700000000,0,0,'New',1,'',3,NULL,NULL,NULL,NULL,0,NULL),\n\
         (1,'198.51.100.1',",
    );
    import(&home, &more, &["--from", "sourcebans"]).await.ok();
    let after = bans(&service).await;
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.contains_key("bans:13"));
    assert!(before.iter().all(|(id, ban)| after[id] == *ban));
    assert_eq!(imports(&service).await.len(), 2);
    service.admin().get(&changes).await.expect(409);
}

#[tokio::test]
async fn a_dry_run_reports_the_same_and_changes_no_byte() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let before = home.file_bytes().await;
    let args = ["--from", "sourcebans", "--report", "report.json"];
    let dry = import(&home, SOURCEBANS, &[&args[..], &["--dry-run"]].concat()).await;
    assert!(
        dry.ok()
            .ends_with("This was a dry run: nothing was written.\n"),
        "{dry:?}"
    );
    let of_dry_run = report(&home);
    assert!(home.file_bytes().await == before, "the file is unchanged");
    let service = home.start().await;
    assert_eq!(bans(&service).await.len(), 0);
    assert_eq!(imports(&service).await.len(), 0);

    import(&home, SOURCEBANS, &args).await.ok();
    assert_eq!(report(&home), of_dry_run);
    assert_eq!(bans(&service).await.len(), 12);
}

#[tokio::test]
async fn bans_of_simpleadmin_follow_its_table() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["--from", "simpleadmin", "--report", "report.json"];
    import(&home, SIMPLEADMIN, &args).await.ok();
    let found = bans(&service).await;
    assert_eq!(found.len(), 9);
    assert_has(
        &found,
        "bans:1",
        json!({
            "kind": "ban", "steam_id64": "76561197969249708", "ip_range": "198.51.100.1",
            "player_name": "Eli", "server_ids": [], "reason": "Cheating", "state": "active",
            "created_at": "2023-11-14T22:13:20Z", "expires_at": ETERNAL,
            "issued_by": { "kind": "system", "id": null, "name": "gordon" },
            "source": { "system": "simpleadmin", "id": "bans:1" },
        }),
    );
    assert_has(
        &found,
        "bans:2",
        json!({ "steam_id64": null, "ip_range": "198.51.100.2" }),
    );
    assert_ne!(found["bans:2"]["expires_at"], ETERNAL);
    assert_has(
        &found,
        "bans:3",
        json!({ "state": "expired", "expires_at": "2023-11-14T23:13:20Z" }),
    );
    assert_has(
        &found,
        "bans:4",
        json!({ "ip_range": null, "state": "lifted", "lifted_at": "2023-11-16T02:00:00Z",
                "lift_reason": "Appealed",
                "lifted_by": { "kind": "system", "id": null, "name": "gordon" } }),
    );
    assert_has(
        &found,
        "bans:8",
        json!({ "state": "lifted", "lift_reason": "" }),
    );
    for (id, kind, state) in [
        ("mutes:1", "mute", "active"),
        ("mutes:2", "gag", "active"),
        ("mutes:3", "silence", "lifted"),
    ] {
        assert_has(&found, id, json!({ "kind": kind, "state": state }));
    }
    assert_eq!(
        rows(&report(&home)),
        [
            "sa_bans 5 left out: the SteamID is invalid",
            "sa_bans 6 left out: it has neither a SteamID nor an address",
            "sa_mutes 4 left out: the type is unknown",
            "sa_bans 2 changed: a ban by address must end, so it ends a year after the import",
            "sa_bans 4 changed: the address is invalid, so only the SteamID is banned",
            "sa_bans 7 changed: the time of creation is missing or impossible, so it is now",
            "sa_bans 8 changed: the time of removal is missing or impossible, so it is that of creation",
        ]
    );
}

#[tokio::test]
async fn with_scope_server_bans_hold_on_the_servers_that_are_named() {
    let home = Home::new().await;
    let service = home.start().await;
    let id = create_server(&service, "Dust").await;
    let named = format!("3={id}");
    let args = [
        "--from",
        "simpleadmin",
        "--scope",
        "server",
        "--server",
        &named,
    ];
    let ended = import(&home, SIMPLEADMIN, &args).await;
    for line in [
        "sa_bans 4: left out: --server does not name server 4",
        "sa_bans 7: left out: --server does not name server 9",
    ] {
        assert!(ended.ok().contains(line), "{ended:?}");
    }
    let found = bans(&service).await;
    let id: i64 = id.parse().expect("an id");
    assert_has(&found, "bans:1", json!({ "server_ids": [id] }));
    assert_has(&found, "bans:2", json!({ "server_ids": [] }));
    assert_has(&found, "mutes:1", json!({ "server_ids": [id] }));
}

#[tokio::test]
async fn bans_of_iks_follow_its_table_and_hold_on_their_servers() {
    let home = Home::new().await;
    let service = home.start().await;
    let id = create_server(&service, "Dust").await;
    let named = format!("3={id}");
    let args = [
        "--from",
        "iks",
        "--server",
        &named,
        "--report",
        "report.json",
    ];
    import(&home, IKS, &args).await.ok();
    let found = bans(&service).await;
    assert_eq!(found.len(), 7);
    let id: i64 = id.parse().expect("an id");
    assert_has(
        &found,
        "bans:1",
        json!({
            "kind": "ban", "steam_id64": "76561197969249708", "ip_range": null, "server_ids": [id],
            "reason": "Cheating", "state": "active", "created_at": "2023-11-14T22:13:20Z",
            "expires_at": ETERNAL,
            "issued_by": { "kind": "system", "id": null, "name": "gordon" },
            "source": { "system": "iks", "id": "bans:1" },
        }),
    );
    assert_has(
        &found,
        "bans:2",
        json!({ "steam_id64": null, "ip_range": "198.51.100.2", "server_ids": [],
                "expires_at": "2096-10-02T07:06:40Z" }),
    );
    assert_has(
        &found,
        "bans:3",
        json!({ "steam_id64": "76561197969249710", "ip_range": "198.51.100.3" }),
    );
    assert_has(
        &found,
        "bans:4",
        json!({ "state": "lifted", "lifted_at": "2023-11-16T02:00:00Z", "lift_reason": "Appealed",
                "lifted_by": { "kind": "system", "id": null, "name": "CONSOLE" } }),
    );
    for (id, kind, state) in [
        ("comms:1", "mute", "active"),
        ("comms:2", "gag", "active"),
        ("comms:3", "silence", "expired"),
    ] {
        assert_has(&found, id, json!({ "kind": kind, "state": state }));
    }
    assert_eq!(
        rows(&report(&home)),
        [
            "iks_bans 5 left out: it is deleted",
            "iks_bans 6 left out: --server does not name server 8",
            "iks_bans 7 left out: the SteamID is invalid",
            "iks_comms 4 left out: the type is unknown",
        ]
    );
    let args = ["--from", "iks", "--scope", "all"];
    import(&home, IKS, &args).await.ok();
    assert_has(&bans(&service).await, "bans:6", json!({ "server_ids": [] }));
}

#[tokio::test]
async fn programs_do_not_share_ids() {
    let home = Home::new().await;
    let service = home.start().await;
    for (dump, from) in [
        (SOURCEBANS, "sourcebans"),
        (SIMPLEADMIN, "simpleadmin"),
        (IKS, "iks"),
    ] {
        import(&home, dump, &["--from", from, "--scope", "all"])
            .await
            .ok();
    }
    let list = service.admin().get("/api/bans?per_page=100").await.ok();
    assert_eq!(list["bans"].as_array().map(Vec::len), Some(12 + 9 + 8));
}

#[tokio::test]
async fn thousands_of_bans_are_imported_in_batches() {
    let home = Home::new().await;
    let service = home.start().await;
    let mut rows = String::new();
    for id in 20..5_020 {
        let typed = if id % 7 == 0 { 1 } else { 0 };
        rows.push_str(&format!(
            "({id},'198.51.100.{}','STEAM_0:0:{id}','P{id}',1700000000,0,0,'Many',1,'',3,NULL,NULL,\
             NULL,NULL,{typed},NULL),\n",
            id % 200
        ));
    }
    let first = "(1,'198.51.100.1',";
    let dump = SOURCEBANS.replace(first, &format!("{rows}{first}"));
    let args = ["--from", "sourcebans", "--report", "report.json"];
    let ended = import(&home, &dump, &args).await;
    // One in seven is by address, without an end.
    let changed = (20..5_020).filter(|id| id % 7 == 0).count();
    let more = format!("and {} more", changed + 9 - 20);
    assert!(ended.ok().contains(&more), "{more}: {}", ended.stdout);
    let report = report(&home);
    assert_eq!(report["tables"]["sb_bans"]["added"], 5_009);
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(changed + 9));
    let feed = service.admin().get("/api/bans/feed").await;
    assert_eq!(feed.status, 200);
    // The cursor, then what is active: without those that have expired or are lifted.
    assert_eq!(feed.text.lines().count(), 1 + 5_000 + 5 + 2);
    let again = import(&home, &dump, &["--from", "sourcebans"]).await;
    assert!(again.ok().contains("There was nothing to add"), "{again:?}");
}
