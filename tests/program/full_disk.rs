//! The service on a real file system that fills up: a small one in memory, in a mount namespace of
//! its own.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{ADMIN_KEY, Home, Program};

/// Whether this machine allows a mount namespace. Some containers do not.
fn can_mount() -> bool {
    let tried = Command::new("unshare").args(["-rm", "true"]).status();
    tried.is_ok_and(|status| status.success())
}

/// A file in the namespace of the program.
fn file_of(program: &Program, home: &Home, name: &str) -> PathBuf {
    let root = format!("/proc/{}/root", program.id());
    let data = home.data();
    let data = data.strip_prefix("/").expect("an absolute path");
    PathBuf::from(root).join(data).join(name)
}

/// Leaves room for `left` bytes.
fn fill(path: &PathBuf, left: u64) {
    let mut file = File::create(path).expect("a file");
    let block = [0; 1 << 16];
    while file.write_all(&block).is_ok() {}
    let length = file.metadata().expect("a length").len();
    file.set_len(length - left).expect("a shorter file");
}

#[tokio::test]
async fn the_program_on_a_full_disk_gives_503_and_keeps_acknowledged_writes() {
    let home = Home::new().await;
    if home.on_postgres() || !can_mount() {
        return;
    }
    std::fs::create_dir(home.data()).expect("a folder");
    let program = home
        .steward(&["--log-level", "error"])
        .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
        .on_small_disk(&home.data(), "48m")
        .serve()
        .await;
    let filler = file_of(&program, &home, "filler");
    fill(&filler, 300_000);

    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let admin = program.admin();
        writers.spawn(async move {
            let (mut acknowledged, mut refused) = (Vec::new(), 0);
            for n in 0..60 {
                let description = "x".repeat(200);
                let body = json!({ "name": format!("{writer}-{n}"), "description": description });
                let answer = admin.post("/api/roles", body).await;
                match answer.status {
                    201 => acknowledged.push(answer.created()["role"]["id"].clone()),
                    503 => {
                        refused += 1;
                        let code = answer.expect(503)["code"].clone();
                        assert!(code == "unavailable" || code == "busy", "{code}");
                    }
                    other => panic!("{other}"),
                }
            }
            (acknowledged, refused)
        });
    }
    let ended = writers.join_all().await;
    let refused: i32 = ended.iter().map(|(_, refused)| refused).sum();
    assert!(refused > 0, "the disk was not full");
    let acknowledged = ended.iter().flat_map(|(acknowledged, _)| acknowledged);
    let mut acknowledged: BTreeSet<i64> = acknowledged.filter_map(|id| id.as_i64()).collect();
    let listed = async || {
        let roles = program.admin().get("/api/roles").await.ok();
        let roles = roles["roles"].as_array().expect("a list").clone();
        let ids = roles.iter().filter_map(|role| role["id"].as_i64());
        ids.collect::<BTreeSet<i64>>()
    };
    assert_eq!(listed().await, acknowledged);

    std::fs::remove_file(&filler).expect("removed");
    let admin = program.admin();
    let end = Instant::now() + Duration::from_secs(60);
    let made = loop {
        let body = json!({ "name": "Last" });
        let answer = admin.post("/api/roles", body).await;
        if answer.status == 201 {
            break answer.created();
        }
        assert!(Instant::now() < end, "writes fail although there is room");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    acknowledged.extend(made["role"]["id"].as_i64());
    assert_eq!(listed().await, acknowledged);
    assert_eq!(program.anonymous().get("/readyz").await.status, 200);
    program.stop().await.ok();
}
