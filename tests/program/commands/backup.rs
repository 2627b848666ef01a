//! `steward backup`, `restore` and `copy`: all data to a file and back, and between engines.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;

use db::testing::Scratch;
use db::{Db, Options};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::{Home, Program, number, stored_roles};

const DEMO: &[&str] = &[
    "demo",
    "--users",
    "400",
    "--invoices",
    "900",
    "--until",
    "2026-03-01",
];

/// A second installation with the secret key file of the first.
async fn with_key_of(home: &Home) -> Home {
    let other = Home::new().await;
    std::fs::create_dir_all(other.data()).expect("a folder");
    std::fs::copy(home.secret_key_file(), other.secret_key_file()).expect("the key is copied");
    other
}

/// Everything in the API that has totals, sums, a search index or an order.
async fn everything(service: &Program) -> Vec<(&'static str, Value)> {
    let admin = service.admin();
    let mut found = Vec::new();
    for path in [
        "/api/users?per_page=100&page=4",
        "/api/users?status=blocked",
        "/api/users?role_id=2",
        "/api/users/search?q=example",
        "/api/users/17",
        "/api/roles",
        "/api/servers",
        "/api/cms-pages/3",
        "/api/navbar-items",
        "/api/currencies",
        "/api/payment-invoices?per_page=100",
        "/api/payment-invoices/stats?start_date=2024-01-01&end_date=2026-12-31",
        "/api/promo-codes",
    ] {
        found.push((path, admin.get(path).await.ok()));
    }
    for path in ["/api/users/export", "/api/payment-invoices/export"] {
        let answer = admin.get(&format!("{path}?format=ndjson")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        found.push((path, answer.text.into()));
    }
    found
}

async fn create_role(service: &Program, name: &str) -> i64 {
    let made = service
        .admin()
        .post("/api/roles", json!({ "name": name }))
        .await;
    made.created()["role"]["id"].as_i64().expect("an id")
}

#[tokio::test]
async fn a_restored_backup_shows_everything_as_it_was_and_reuses_no_id() {
    let home = Home::new().await;
    home.run(DEMO).await.ok();
    let service = home.start().await;
    let last = create_role(&service, "Last").await;
    let gone = service.admin().delete(&format!("/api/roles/{last}")).await;
    gone.ok();
    home.run(&["backup", "plain.db"]).await.ok();
    home.run(&["backup", "--compress", "small.zst"]).await.ok();
    let before = everything(&service).await;
    let size = |name: &str| home.folder().join(name).metadata().expect("a file").len();
    assert!(size("small.zst") < size("plain.db"));

    for name in ["plain.db", "small.zst"] {
        let file = home.folder().join(name);
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        if name == "plain.db" {
            // Bytes 18 and 19 are 2 if the file needs a write-ahead log, 1 if it does not.
            let bytes = std::fs::read(&file).expect("the backup");
            assert_eq!(bytes[18..20], [1, 1], "one plain file");
        }
        let other = with_key_of(&home).await;
        let restored = other
            .run(&["restore", file.to_str().expect("a path")])
            .await;
        assert!(restored.ok().contains("400  users\n"), "{restored:?}");
        other.run(&["check"]).await.ok();
        let service = other.start().await;
        for (before, after) in before.iter().zip(everything(&service).await) {
            assert_eq!(*before, after);
        }
        let next = create_role(&service, "Next").await;
        assert!(next > last, "role {next} was created after {last}");
    }
}

#[tokio::test]
async fn a_backup_can_be_served_as_it_is() {
    let home = Home::new().await;
    home.run(DEMO).await.ok();
    let service = home.start().await;
    let before = everything(&service).await;
    std::fs::create_dir_all(home.folder().join("copy")).expect("a folder");
    home.run(&["backup", "copy/steward.db"]).await.ok();
    std::fs::copy(
        home.secret_key_file(),
        home.folder().join("copy/secret.key"),
    )
    .expect("copied");
    let copy = home
        .bare(&[
            "--data-dir",
            "copy",
            "--listen",
            "127.0.0.1:0",
            "--server-query",
            "off",
        ])
        .env("STEWARD_ADMIN_KEY", crate::support::ADMIN_KEY)
        .serve()
        .await;
    for (before, after) in before.iter().zip(everything(&copy).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test]
async fn copy_moves_everything_to_the_other_engine_and_back() {
    let home = Home::new().await;
    home.run(DEMO).await.ok();
    let service = home.start().await;
    let before = everything(&service).await;
    service.stop().await;
    let other = with_key_of(&home).await;
    let file = format!("sqlite:{}", home.folder().join("between.db").display());
    let (from, to) = (home.database_url(), other.database_url());
    let ended = home.run(&["copy", "--from", &from, "--to", &file]).await;
    ended.ok();
    home.run(&["copy", "--from", &file, "--to", &to]).await.ok();
    let service = other.start().await;
    for (before, after) in before.iter().zip(everything(&service).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_taken_under_writes_has_every_write_acknowledged_before_it() {
    let home = Home::new().await;
    let service = home.start().await;
    let (stop, stopped) = watch::channel(false);
    let (acknowledged, names) = watch::channel(Vec::<String>::new());
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (admin, stopped) = (service.admin(), stopped.clone());
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                for i in 0.. {
                    if *stopped.borrow() {
                        break;
                    }
                    let name = format!("Role {writer}-{i}");
                    let made = admin.post("/api/roles", json!({ "name": name })).await;
                    made.created();
                    acknowledged.send_modify(|names| names.push(name));
                }
            })
        })
        .collect();
    for round in 0..5 {
        let so_far = names.borrow().len();
        let mut more = names.clone();
        let enough = more.wait_for(|names| names.len() >= so_far + 20).await;
        let before: Vec<String> = enough.expect("writers run").clone();
        let file = format!("backup-{round}.db");
        home.run(&["backup", &file]).await.ok();
        let found = stored_roles(&open_file(&home.folder().join(&file)).await).await;
        let found: BTreeSet<String> = found.into_values().collect();
        let missing: Vec<_> = before
            .iter()
            .filter(|name| !found.contains(*name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
    stop.send(true).expect("writers listen");
    for writer in writers {
        writer.await.expect("a writer");
    }
}

#[tokio::test]
async fn backup_does_not_replace_a_file_without_force() {
    let home = Home::new().await;
    home.start().await.stop().await;
    let file = home.write("kept.db", "precious");
    let refused = home.run(&["backup", "kept.db"]).await;
    refused.failed("kept.db exists; choose another name, or replace it with --force");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "precious");
    home.run(&["backup", "--force", "kept.db"]).await.ok();
    let left: Vec<_> = std::fs::read_dir(home.folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name.to_string_lossy().starts_with(".steward-backup"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A backup in its own folder, and the installation it was taken from.
async fn backup() -> (Home, String) {
    let home = Home::new().await;
    home.run(DEMO).await.ok();
    home.run(&["backup", "backup.db"]).await.ok();
    let file = home.folder().join("backup.db");
    let file = file.to_str().expect("a path").to_owned();
    (home, file)
}

#[tokio::test]
async fn restore_accepts_a_database_that_was_only_started_and_no_other() {
    let (home, file) = backup().await;
    let other = with_key_of(&home).await;
    let service = other.start().await;
    service.stop().await;
    other.run(&["restore", &file]).await.ok();
    let again = other.run(&["restore", &file]).await;
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(
        again.stderr.contains("the database is not empty"),
        "{again:?}"
    );
    assert!(again.stderr.contains("users (400)"), "{again:?}");
}

#[tokio::test]
async fn restore_prints_the_keys_and_operators_of_the_backup_and_can_deactivate_keys() {
    let (home, file) = backup().await;
    let key = ["key", "create", "--name", "Plugin", "--all"];
    home.run(&key).await.ok();
    home.run(&["backup", "--force", &file]).await.ok();
    let other = with_key_of(&home).await;
    let restored = other.run(&["restore", &file]).await;
    restored.ok();
    assert!(
        restored.stderr.contains("steward key revoke ID"),
        "{restored:?}"
    );
    let keys = other.run(&["key", "list"]).await;
    let operators = other.run(&["operator", "list"]).await;
    for list in [keys, operators] {
        assert!(restored.stdout.contains(&list.stdout), "{list:?}");
    }

    let other = with_key_of(&home).await;
    let args = ["restore", "--deactivate-keys", "--keep-sessions", &file];
    other.run(&args).await.ok();
    let keys = other.run(&["key", "list", "--json"]).await;
    let keys: Value = serde_json::from_str(&keys.stdout).expect("JSON");
    let keys = keys["api_keys"].as_array().expect("a list");
    assert!(!keys.is_empty());
    assert!(keys.iter().all(|key| key["active"] == false), "{keys:?}");
}

#[tokio::test]
async fn restore_needs_the_secret_key_of_the_backup() {
    let (home, file) = backup().await;
    let other = Home::new().await;
    let missing = other.run(&["restore", &file]).await;
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(
        missing.stderr.contains("--without-secret-key"),
        "{missing:?}"
    );
    other.start().await.stop().await;
    let wrong = other.run(&["restore", &file]).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("is not the one"), "{wrong:?}");
    let ended = other.run(&["restore", "--without-secret-key", &file]).await;
    ended.ok();
    std::fs::copy(home.secret_key_file(), other.secret_key_file()).expect("the key is copied");
    other.start().await.admin().get("/api/users/1").await.ok();
}

#[tokio::test]
async fn restore_refuses_a_file_that_is_not_a_backup() {
    let home = Home::new().await;
    home.start().await.stop().await;
    let damaged = {
        home.run(&["backup", "whole.db"]).await.ok();
        let mut bytes = std::fs::read(home.folder().join("whole.db")).expect("a file");
        bytes.truncate(bytes.len() / 2);
        std::fs::write(home.folder().join("half.db"), bytes).expect("written");
        "half.db"
    };
    home.write(
        "text.db",
        "this is not a database, but long enough to be mistaken for one",
    );
    home.write("empty.db", "");
    for file in [damaged, "text.db", "empty.db", "missing.db"] {
        let refused = home.run(&["restore", file]).await;
        assert_eq!(refused.code, Some(1), "{file}: {refused:?}");
        assert!(refused.stderr.contains(file), "{refused:?}");
    }
}

async fn open_file(path: &Path) -> Db {
    let url = format!("sqlite:{}", path.display());
    let db = Db::open(&url.parse().expect("valid"), &Options::default()).await;
    db.expect("the file opens")
}

#[tokio::test]
async fn restore_migrates_an_older_backup_and_refuses_a_newer_one() {
    let (home, file) = backup().await;
    let bytes = std::fs::read(&file).expect("a file");
    let next = with_key_of(&home).await;
    let restored = next.next_version(&["restore", &file]).end().await;
    restored.ok();
    let remark = "Migrated a copy of the backup from an older version.";
    assert!(restored.stderr.contains(remark), "{restored:?}");
    let unchanged = std::fs::read(&file).expect("a file") == bytes;
    assert!(unchanged, "the backup was changed");
    let db = next.database().await;
    let mut read = db.read().await.expect("a reader");
    let users = "SELECT COUNT(*) FROM users WHERE note IS NULL";
    let users = read.query_one(users, &[], |row| row.get::<i64>(0)).await;
    assert_eq!(users.expect("users"), 400);
    drop(read);

    next.next_version(&["backup", "newer.db"]).end().await.ok();
    let newer = next.folder().join("newer.db");
    let newer = newer.to_str().expect("a path");
    let refused = with_key_of(&home).await.run(&["restore", newer]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("newer version"), "{refused:?}");
}

#[tokio::test]
async fn restore_refuses_a_file_that_is_in_use() {
    let home = Home::new().await;
    home.start().await.stop().await;
    let db = open_file(&home.folder().join("open.db")).await;
    db.migrate(0).await.expect("migrated");
    let in_use = home.run(&["restore", "open.db"]).await;
    in_use.failed("open.db is in use: a part of it is in open.db-wal; take a backup of it instead");
}

#[tokio::test]
async fn a_killed_restore_or_copy_leaves_an_empty_or_a_complete_database() {
    let (home, file) = backup().await;
    let source = format!("sqlite:{file}");
    for is_copy in [false, true] {
        let fill = |target: &Home| match is_copy {
            false => target.steward(&["restore", &file]),
            true => target.steward(&["copy", "--from", &source, "--to", &target.database_url()]),
        };
        let whole = with_key_of(&home).await;
        let started = Instant::now();
        fill(&whole).end().await.ok();
        let took = started.elapsed();
        assert!(is_complete(&whole).await);
        let mut last = whole;
        for _ in 0..number("STEWARD_TEST_COMMAND_KILLS", 3) {
            let moment = took.mul_f64(random_part());
            println!("copy: {is_copy}, killed after {moment:?} of about {took:?}");
            let target = with_key_of(&home).await;
            let running = fill(&target).spawn();
            tokio::time::sleep(moment).await;
            running.kill();
            is_complete(&target).await;
            last = target;
        }
        if !is_complete(&last).await {
            fill(&last).end().await.ok();
            assert!(is_complete(&last).await);
        }
    }
}

/// Whether the database has everything; fails if it has only a part of it.
async fn is_complete(home: &Home) -> bool {
    let db = home.database().await;
    db.migrate(0).await.expect("the database is whole");
    let mut read = db.read().await.expect("a reader");
    let mut complete = Vec::new();
    for (table, all) in [("users", 400), ("payment_invoices", 900)] {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        let found = read.query_one(sql.leak(), &[], |row| row.get::<i64>(0));
        let found = found.await.expect("a count");
        assert!(found == all || found == 0, "{found} {table}");
        complete.push(found == all);
    }
    assert_eq!(complete[0], complete[1]);
    complete[0]
}

/// From 0 to 1.
fn random_part() -> f64 {
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0);
    (random % 1000) as f64 / 1000.0
}

#[tokio::test]
async fn copy_refuses_a_missing_or_unsupported_source() {
    let home = Home::new().await;
    let empty = Scratch::new().await;
    let missing = home
        .run(&["copy", "--from", "sqlite:missing.db", "--to", empty.url()])
        .await;
    missing.failed("sqlite:missing.db: there is no such file");
    let unfit = home
        .run(&["copy", "--from", "mysql://x", "--to", empty.url()])
        .await;
    unfit.misused(&["--from", "starts with sqlite: or postgres://"]);
}
