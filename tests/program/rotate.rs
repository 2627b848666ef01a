//! `steward secret rotate`, and being cut short in the middle of it.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Home, Program};

const ROTATE: [&str; 2] = ["secret", "rotate"];
const WRONG: &str =
    "The secret key file does not match this database. Restore the file it was created with.";

fn new_file(home: &Home) -> PathBuf {
    home.data().join("secret.key.new")
}

fn key(home: &Home) -> String {
    std::fs::read_to_string(home.secret_key_file()).expect("a key file")
}

/// Adds a server, or gives the stored reply again, which only the right key opens. A second server
/// would have another id.
async fn add_server(program: &Program) -> Value {
    let body = json!({
        "name": "Dust", "ip": "192.0.2.7", "port": 27015, "game": "cs2",
        "rcon_password": "hunter2",
    });
    let caller = program.admin().with("Idempotency-Key", "dust");
    caller.post("/api/servers", body).await.created()
}

/// An installation that has something to encrypt, and the reply that shows whether it is kept.
async fn furnished() -> (Home, Value) {
    let home = Home::new().await;
    let service = home.start().await;
    let made = add_server(&service).await;
    service.stop().await.ok();
    (home, made)
}

/// That the service starts and can read what it has stored.
async fn is_whole(home: &Home, made: &Value) {
    let service = home.start().await;
    assert_eq!(add_server(&service).await, *made);
    service.stop().await.ok();
    assert!(!new_file(home).exists(), "nothing is left over");
}

#[tokio::test]
async fn a_new_key_takes_the_place_of_the_old() {
    let (home, made) = furnished().await;
    let old = key(&home);
    let ended = home.run(&ROTATE).await;
    let said = ended.ok();
    assert!(said.contains("Restart every instance"), "{said}");
    assert!(!said.contains(key(&home).trim()), "{said}");
    assert_ne!(key(&home), old);
    assert_eq!(key(&home).trim().len(), 64);
    let mode = home.secret_key_file().metadata().expect("a file").mode();
    assert_eq!(mode & 0o777, 0o600);
    is_whole(&home, &made).await;

    let service = home.start().await;
    let admin = service.admin();
    let log = admin.get("/api/audit-log?resource=secret_key").await.ok();
    assert_eq!(log["audit_log"][0]["action"], "secret_key.rotate");
    assert_eq!(log["audit_log"].as_array().map(Vec::len), Some(1));
    service.stop().await.ok();

    std::fs::write(home.secret_key_file(), old).expect("written");
    home.run(&[]).await.failed(WRONG);
}

#[tokio::test]
async fn a_running_service_goes_on_without_storing_secrets() {
    let (home, made) = furnished().await;
    let service = home.start().await;
    home.run(&ROTATE).await.ok();
    let admin = service.admin();
    admin.get("/api/servers/1").await.ok();
    let body = json!({ "rcon_password": "hunter3" });
    admin.put("/api/servers/1", body).await.expect(503);
    service.stop().await.ok();
    is_whole(&home, &made).await;
}

#[tokio::test]
async fn cut_short_before_the_database_is_changed_the_old_key_stays() {
    let (home, made) = furnished().await;
    let old = key(&home);
    for left in ["", "0f0f", &"0f".repeat(32)] {
        std::fs::write(new_file(&home), left).expect("written");
        let service = home.start().await;
        assert_eq!(add_server(&service).await, made);
        service.stop().await.ok();
        assert_eq!(key(&home), old);
    }
    home.run(&ROTATE).await.ok();
    assert_ne!(key(&home), old);
    assert_ne!(key(&home).trim(), "0f".repeat(32));
    is_whole(&home, &made).await;
}

#[tokio::test]
async fn cut_short_after_the_database_is_changed_the_next_start_ends_it() {
    for command in [&[][..], &["key", "list"], &ROTATE] {
        let (home, made) = furnished().await;
        let old = key(&home);
        home.run(&ROTATE).await.ok();
        let new = key(&home);
        std::fs::rename(home.secret_key_file(), new_file(&home)).expect("moved");
        std::fs::write(home.secret_key_file(), &old).expect("written");

        let ended = home.run(&["check"]).await;
        let said = ended.ok();
        assert!(
            said.contains("put in its place at the next start"),
            "{said}"
        );
        assert!(new_file(&home).exists(), "checking changes nothing");

        match command {
            [] => is_whole(&home, &made).await,
            command => drop(home.run(command).await.ok().to_owned()),
        }
        let is_new = key(&home) == new;
        assert_eq!(is_new, command != ROTATE, "{command:?}");
        assert_ne!(key(&home), old);
        is_whole(&home, &made).await;
    }
}

#[tokio::test]
async fn a_new_key_that_does_not_fit_either_is_no_way_in() {
    let (home, _) = furnished().await;
    let (wrong, other) = ("0f".repeat(32), "1f".repeat(32));
    std::fs::write(home.secret_key_file(), &wrong).expect("written");
    std::fs::write(new_file(&home), &other).expect("written");
    for command in [&[][..], &["key", "list"], &ROTATE] {
        home.run(command).await.failed(WRONG);
    }
    assert_eq!(key(&home), wrong);
    let left = std::fs::read_to_string(new_file(&home)).expect("still there");
    assert_eq!(left, other);
}

#[tokio::test]
async fn killed_at_any_moment_it_leaves_an_installation_that_starts() {
    let (home, made) = furnished().await;
    for milliseconds in [0, 4, 8, 12, 16, 24, 32, 48] {
        let rotating = home.steward(&ROTATE).spawn();
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        rotating.kill();
        let service = home.start().await;
        assert_eq!(add_server(&service).await, made);
        service.stop().await.ok();
    }
    home.run(&ROTATE).await.ok();
    is_whole(&home, &made).await;
}

#[tokio::test]
async fn of_two_changes_at_once_none_loses_the_key() {
    let (home, made) = furnished().await;
    let (one, other) = tokio::join!(home.run(&ROTATE), home.run(&ROTATE));
    assert!(
        [one.code, other.code].contains(&Some(0)),
        "{one:?} {other:?}"
    );
    is_whole(&home, &made).await;
}

#[tokio::test]
async fn a_link_to_the_key_stays_a_link() {
    let (home, made) = furnished().await;
    let elsewhere = home.folder().join("elsewhere.key");
    std::fs::rename(home.secret_key_file(), &elsewhere).expect("moved");
    symlink(&elsewhere, home.secret_key_file()).expect("a link");
    let old = key(&home);
    home.run(&ROTATE).await.ok();
    assert!(home.secret_key_file().is_symlink());
    assert_ne!(key(&home), old);
    is_whole(&home, &made).await;
}
