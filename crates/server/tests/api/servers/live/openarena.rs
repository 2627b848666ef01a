//! A real game server: OpenArena.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use db::testing::free_port;
use serde_json::json;

use super::{create, poll_once, query, start_with_timeout, stats};

const PROGRAM: &str = "/usr/games/openarena-server";
const UNPRIVILEGED: u32 = 65534;

/// Killed when dropped.
struct OpenArena(Child);

impl Drop for OpenArena {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl OpenArena {
    /// On loopback, unannounced, as an unprivileged user, and with its own home folder.
    fn start(home: &Path, port: u16) -> Self {
        let home = home.join("openarena");
        std::fs::create_dir(&home).expect("a home");
        let mut command = Command::new(PROGRAM);
        let port = port.to_string();
        let settings = [
            ("dedicated", "1"),
            ("net_enabled", "1"),
            ("net_ip", "127.0.0.1"),
            ("net_port", &port),
            ("sv_maxclients", "12"),
            ("bot_minplayers", "3"),
        ];
        for (name, value) in settings {
            command.args(["+set", name, value]);
        }
        command.args(["+map", "oa_dm1"]);
        if std::os::unix::fs::chown(&home, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).is_ok() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command
            .env_clear()
            .env("HOME", &home)
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = command.spawn();
        Self(started.unwrap_or_else(|error| panic!("{PROGRAM}: {error}; run scripts/setup test")))
    }

    fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

#[service_test]
async fn a_real_openarena_server_is_understood() {
    // It answers nothing while it loads its map.
    let app = start_with_timeout(Duration::from_secs(5)).await;
    let admin = app.admin();
    let port = free_port();
    // The server runs as another user, who must be able to read the folder of the test.
    let home = app.scratch.folder();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(home, open).expect("the folder is ours");
    let mut openarena = OpenArena::start(home, port);
    let body = json!({
        "name": "Arena", "ip": "127.0.0.1", "port": port, "game": "openarena",
        "rcon_password": "hunter2",
    });
    let id = create(&admin, body).await;

    // It loads its map first, and the bots join one by one.
    let mut asked = json!(null);
    for _ in 0..600 {
        assert!(openarena.is_running(), "the server still runs");
        asked = query(&admin, id).await;
        if asked["players_online"].as_i64() >= Some(3) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(asked["reachable"], true, "{asked}");
    assert_eq!(asked["players_online"], 3, "{asked}");
    assert_eq!(asked["max_players"], 12);
    assert_eq!(asked["map"], "oa_dm1");
    assert_eq!(asked["name"], "noname");
    let version = asked["version"].as_str().unwrap_or_default();
    assert!(version.starts_with("ioq3 "), "{asked}");
    let players = asked["players"].as_array().expect("players");
    assert_eq!(players.len(), 3);
    for player in players {
        assert!(
            player["name"].as_str().is_some_and(|name| !name.is_empty()),
            "{player}"
        );
        assert!(player["score"].is_i64(), "{player}");
    }
    let shown = json!({ "players_online": 3, "max_players": 12, "map": "oa_dm1" });
    assert_eq!(stats(&admin, id).await, shown);

    // A busy server may let one query go unanswered.
    for _ in 0..5 {
        app.advance(60);
        poll_once(&app).await;
        if stats(&admin, id).await == shown {
            break;
        }
    }
    assert_eq!(stats(&admin, id).await, shown);
    drop(openarena);
    app.advance(60);
    poll_once(&app).await;
    assert_eq!(stats(&admin, id).await, super::empty_stats());
}
