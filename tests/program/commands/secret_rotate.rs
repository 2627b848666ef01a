//! `steward secret rotate`, complete and interrupted.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Home, Program};

const ROTATE: [&str; 2] = ["secret", "rotate"];
const WRONG: &str = "The secret key file does not match this database. Restore the file it was \
                     created with. If that file is lost, `steward secret reset` says what can be \
                     done.";

fn new_file(home: &Home) -> PathBuf {
    home.data().join("secret.key.new")
}

fn key(home: &Home) -> String {
    std::fs::read_to_string(home.secret_key_file()).expect("a key file")
}

/// Adds a server, or replays the stored reply, which only the right key decrypts. A second server
/// would have another id.
async fn add_server(program: &Program) -> Value {
    let body = json!({
        "name": "Dust", "ip": "192.0.2.7", "port": 27015, "game": "cs2",
        "rcon_password": "hunter2",
    });
    let caller = program.admin().with("Idempotency-Key", "dust");
    caller.post("/api/servers", body).await.created()
}

/// An installation with encrypted data, and the reply that shows whether it is still readable.
async fn installation_with_secrets() -> (Home, Value) {
    let home = Home::new().await;
    let service = home.start().await;
    let made = add_server(&service).await;
    service.stop().await.ok();
    (home, made)
}

/// Asserts that the service starts and can decrypt what it has stored.
async fn assert_readable(home: &Home, made: &Value) {
    let service = home.start().await;
    assert_eq!(add_server(&service).await, *made);
    service.stop().await.ok();
    assert!(!new_file(home).exists(), "nothing is left over");
}

#[tokio::test]
async fn rotation_replaces_the_secret_key() {
    let (home, made) = installation_with_secrets().await;
    let old = key(&home);
    let ended = home.run(&ROTATE).await;
    let output = ended.ok();
    assert!(
        output.contains("Copy it to every other machine"),
        "{output}"
    );
    assert!(!output.contains(key(&home).trim()), "{output}");
    assert_ne!(key(&home), old);
    assert_eq!(key(&home).trim().len(), 64);
    let mode = home.secret_key_file().metadata().expect("a file").mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_readable(&home, &made).await;

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
async fn a_running_service_uses_the_new_key_after_a_rotation() {
    let (home, made) = installation_with_secrets().await;
    let mut service = home.start().await;
    for password in ["hunter3", "hunter4"] {
        home.run(&ROTATE).await.ok();
        // A stored reply is decrypted, a new password and a new reply are encrypted.
        assert_eq!(add_server(&service).await, made);
        let caller = service.admin().with("Idempotency-Key", password);
        let body = json!({ "rcon_password": password });
        caller.put("/api/servers/1", body).await.ok();
    }
    let words = "the secret key was changed; using the new one";
    service.logged(|line| line["message"] == words).await;
    service.stop().await.ok();
    assert_readable(&home, &made).await;
}

#[tokio::test]
async fn an_instance_with_another_key_file_gives_503_until_the_new_file_is_copied() {
    let (home, made) = installation_with_secrets().await;
    let copy = home.folder().join("copied.key");
    std::fs::copy(home.secret_key_file(), &copy).expect("copied");
    let service = home.start_with(&["--secret-key-file", "copied.key"]).await;
    home.run(&ROTATE).await.ok();
    let admin = service.admin();
    admin.get("/api/servers/1").await.ok();
    let body = json!({ "rcon_password": "hunter3" });
    admin.put("/api/servers/1", body.clone()).await.expect(503);
    admin.put("/api/servers/1", body.clone()).await.expect(503);
    std::fs::copy(home.secret_key_file(), &copy).expect("copied");
    admin.put("/api/servers/1", body).await.ok();
    service.stop().await.ok();
    assert_readable(&home, &made).await;
}

#[tokio::test]
async fn interrupted_before_the_commit_the_old_key_stays() {
    let (home, made) = installation_with_secrets().await;
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
    assert_readable(&home, &made).await;
}

#[tokio::test]
async fn interrupted_after_the_commit_the_next_start_finishes() {
    for command in [&[][..], &["key", "list"], &ROTATE] {
        let (home, made) = installation_with_secrets().await;
        let old = key(&home);
        home.run(&ROTATE).await.ok();
        let new = key(&home);
        std::fs::rename(home.secret_key_file(), new_file(&home)).expect("moved");
        std::fs::write(home.secret_key_file(), &old).expect("written");

        let ended = home.run(&["check"]).await;
        let output = ended.ok();
        assert!(
            output.contains("the next start replaces it by the new one"),
            "{output}"
        );
        assert!(new_file(&home).exists(), "checking changes nothing");

        match command {
            [] => assert_readable(&home, &made).await,
            command => drop(home.run(command).await.ok().to_owned()),
        }
        let is_new = key(&home) == new;
        assert_eq!(is_new, command != ROTATE, "{command:?}");
        assert_ne!(key(&home), old);
        assert_readable(&home, &made).await;
    }
}

#[tokio::test]
async fn two_wrong_key_files_are_refused() {
    let (home, _) = installation_with_secrets().await;
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
async fn a_rotation_killed_at_any_time_leaves_a_working_installation() {
    let (home, made) = installation_with_secrets().await;
    for milliseconds in [0, 4, 8, 12, 16, 24, 32, 48] {
        let rotating = home.steward(&ROTATE).spawn();
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        rotating.kill();
        let service = home.start().await;
        assert_eq!(add_server(&service).await, made);
        service.stop().await.ok();
    }
    home.run(&ROTATE).await.ok();
    assert_readable(&home, &made).await;
}

#[tokio::test]
async fn two_concurrent_rotations_do_not_lose_the_key() {
    let (home, made) = installation_with_secrets().await;
    let (one, other) = tokio::join!(home.run(&ROTATE), home.run(&ROTATE));
    assert!(
        [one.code, other.code].contains(&Some(0)),
        "{one:?} {other:?}"
    );
    assert_readable(&home, &made).await;
}

#[tokio::test]
async fn a_symbolic_link_to_the_key_stays_a_link() {
    let (home, made) = installation_with_secrets().await;
    let elsewhere = home.folder().join("elsewhere.key");
    std::fs::rename(home.secret_key_file(), &elsewhere).expect("moved");
    symlink(&elsewhere, home.secret_key_file()).expect("a link");
    let old = key(&home);
    home.run(&ROTATE).await.ok();
    assert!(home.secret_key_file().is_symlink());
    assert_ne!(key(&home), old);
    assert_readable(&home, &made).await;
}
