//! How servers answer, and how they fail to. What counts as an answer is not left to us: each
//! manner is first shown to python-a2s.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use server::servers::live::Settings;

use super::{add, live, nothing, query, start, stats};
use crate::support::TestApp;
use crate::support::game_server::{GameServer, Manner};

async fn ask_by_python(game: &GameServer) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/python/bin/python");
    let (ip, port) = (
        game.address.ip().to_string(),
        game.address.port().to_string(),
    );
    let script = root.join("tests/a2s/ask.py");
    let ask = move || Command::new(&python).arg(script).args([ip, port]).output();
    let ran = tokio::task::spawn_blocking(ask).await.expect("it ends");
    let ran = ran.unwrap_or_else(|error| panic!("{error}; run scripts/setup test"));
    let said = String::from_utf8_lossy(&ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn answer() -> Value {
    json!({
        "name": "Test[31m server", "map": "de_dust2", "version": "1.40.1",
        "players_online": 3, "max_players": 12,
        "players": [
            { "name": "Player 0", "score": -1, "seconds": 61 },
            { "name": "Player 1", "score": 2, "seconds": 61 },
            { "name": "Player 2", "score": 5, "seconds": 61 },
        ],
    })
}

/// What is the same in both clients' words.
fn common(live: &Value) -> Value {
    let mut common = json!({});
    for name in [
        "name",
        "map",
        "version",
        "players_online",
        "max_players",
        "players",
    ] {
        common[name] = live[name].clone();
    }
    common
}

async fn answers(manner: Manner) {
    let game = GameServer::start(manner).await;
    let mut expected = answer();
    // Ours drops control characters.
    expected["name"] = json!("Test\u{1b}[31m server");
    assert_eq!(ask_by_python(&game).await, expected, "{manner:?}");
    is_understood(&game).await;
}

async fn is_understood(game: &GameServer) {
    let app = start().await;
    let admin = app.admin();
    let id = add(&admin, game).await;
    let asked = query(&admin, id).await;
    assert_eq!(common(&asked), answer());
    assert_eq!(asked["reachable"], true);
    assert_eq!(asked["error"], Value::Null);
    assert_eq!(asked["checked_at"], "2026-03-01T12:00:00Z");
    assert!(
        asked["latency_ms"].as_i64().is_some_and(|ms| ms < 600),
        "{asked}"
    );
    assert_eq!(live(&admin, id).await, asked);
    let shown = json!({ "players_online": 3, "max_players": 12, "map": "de_dust2" });
    assert_eq!(stats(&admin, id).await, shown);
}

/// Fails with `error` here, and there as well where it is no answer by anybody's standard.
async fn fails(manner: Manner, error: &str, there: Option<&str>) {
    fails_within(super::settings().timeout, manner, error, there).await;
}

async fn fails_within(timeout: Duration, manner: Manner, error: &str, there: Option<&str>) {
    let game = GameServer::start(manner).await;
    let mut said = ask_by_python(&game).await;
    // A machine that is busy drops some packets of a long answer.
    for _ in 0..5 {
        if there.is_none() && said["error"] == "TimeoutError" {
            said = ask_by_python(&game).await;
        }
    }
    match there {
        Some(there) => assert_eq!(said, json!({ "error": there }), "{manner:?}"),
        None => assert_eq!(said["players_online"], 3, "{manner:?}: {said}"),
    }
    let app = TestApp::watching(Settings {
        timeout,
        ..super::settings()
    })
    .await;
    let admin = app.admin();
    let id = add(&admin, &game).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["error"], error, "{manner:?}");
    assert_eq!(asked["reachable"], false);
    assert_eq!(asked["latency_ms"], Value::Null);
    assert_eq!(asked["players"], json!([]));
    assert_eq!(live(&admin, id).await, asked);
    assert_eq!(stats(&admin, id).await, nothing());
    // What came before the failure is not shown either.
    assert_eq!(asked["players_online"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_answer() {
    answers(Manner::Plain).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_to_send_back_first() {
    answers(Manner::Challenge).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_small_packets() {
    answers(Manner::Split).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_answer() {
    answers(Manner::Compressed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn packets_that_overtake_each_other_or_come_twice() {
    // python-a2s takes the one that came twice for two.
    is_understood(&GameServer::start(Manner::SplitInDisorder).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_answer_in_small_packets() {
    // python-a2s expects each packet to be compressed by itself, Valve's page the whole answer.
    is_understood(&GameServer::start(Manner::SplitCompressed).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage() {
    fails(Manner::Garbage, "protocol", Some("BrokenMessageError")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_packet() {
    fails(Manner::Empty, "protocol", Some("BrokenMessageError")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_answer() {
    fails(Manner::Truncated, "protocol", Some("BufferExhaustedError")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence() {
    fails(Manner::Silent, "timeout", Some("TimeoutError")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_from_another_address() {
    // As an answer it is fine; only where it comes from is wrong.
    fails(Manner::WrongAddress, "timeout", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_a_mebibyte() {
    let patience = Duration::from_secs(8);
    fails_within(patience, Manner::Huge, "protocol", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_drips() {
    fails(Manner::Drip, "timeout", None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packet_that_claims_to_hold_gigabytes() {
    let game = GameServer::start(Manner::Bomb).await;
    let app = start().await;
    let id = add(&app.admin(), &game).await;
    assert_eq!(query(&app.admin(), id).await["error"], "protocol");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_to_send_back_for_ever() {
    let game = GameServer::start(Manner::EndlessChallenge).await;
    assert_eq!(ask_by_python(&game).await["error"], "BrokenMessageError");
    let before = game.received();
    let app = start().await;
    let id = add(&app.admin(), &game).await;
    assert_eq!(query(&app.admin(), id).await["error"], "protocol");
    assert!(
        game.received() - before <= 4,
        "{}",
        game.received() - before
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_say_who_plays() {
    let game = GameServer::start(Manner::Secretive).await;
    let app = start().await;
    let admin = app.admin();
    let id = add(&admin, &game).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["players_online"], 3);
    assert_eq!(asked["players"], json!([]));
    assert_eq!(asked["reachable"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_home() {
    let game = GameServer::start(Manner::Plain).await;
    let body = game.body();
    drop(game);
    let app = start().await;
    let id = super::create(&app.admin(), body).await;
    crate::support::eventually("the port is closed", async || {
        query(&app.admin(), id).await["error"] == "refused"
    })
    .await;
}
