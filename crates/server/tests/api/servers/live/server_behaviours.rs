//! How servers answer and fail to answer. An independent client, python-a2s, queries each test
//! server first, so that the server and our client cannot share a misunderstanding.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::{add, empty_stats, live, query, start, start_with_timeout, stats};
use crate::support::game_server::{Behaviour, GameServer};

/// Longer than a busy machine needs for a packet.
const PATIENCE: Duration = Duration::from_secs(5);

/// What python-a2s understands of a server, if every packet arrives within `timeout`.
async fn query_with_python(game: &GameServer, timeout: Duration) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/python/bin/python");
    let (ip, port) = (
        game.address.ip().to_string(),
        game.address.port().to_string(),
    );
    let timeout = timeout.as_secs().to_string();
    let script = root.join("tests/a2s/ask.py");
    let mut command = Command::new(&python);
    command.arg(script).args([ip, port, timeout]);
    let ask = move || command.output();
    let ran = tokio::task::spawn_blocking(ask).await.expect("it ends");
    let ran = ran.unwrap_or_else(|error| panic!("{error}; run scripts/setup test"));
    let errors = String::from_utf8_lossy(&ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
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

/// The fields that both clients report.
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

async fn assert_answers(behaviour: Behaviour) {
    let game = GameServer::start(behaviour).await;
    let mut expected = answer();
    // Our client drops control characters.
    expected["name"] = json!("Test\u{1b}[31m server");
    let reported = query_with_python(&game, PATIENCE).await;
    assert_eq!(reported, expected, "{behaviour:?}");
    assert_understood(&game).await;
}

async fn assert_understood(game: &GameServer) {
    let app = start().await;
    let admin = app.admin();
    let id = add(&admin, game).await;
    let asked = query(&admin, id).await;
    assert_eq!(common(&asked), answer());
    assert_eq!(asked["reachable"], true);
    assert_eq!(asked["error"], Value::Null);
    assert_eq!(asked["checked_at"], "2026-03-01T12:00:00Z");
    assert!(asked["latency_ms"].is_u64(), "{asked}");
    assert_eq!(live(&admin, id).await, asked);
    let shown = json!({ "players_online": 3, "max_players": 12, "map": "de_dust2" });
    assert_eq!(stats(&admin, id).await, shown);
}

/// Asserts that our client fails with `error`, and python-a2s with `python_error` or, if that is
/// `None`, not at all.
async fn assert_fails(behaviour: Behaviour, error: &str, python_error: Option<&str>) {
    assert_fails_within(Duration::from_millis(1500), behaviour, error, python_error).await;
}

async fn assert_fails_within(
    our_timeout: Duration,
    behaviour: Behaviour,
    error: &str,
    python_error: Option<&str>,
) {
    let game = GameServer::start(behaviour).await;
    let timeout = match python_error {
        Some("TimeoutError") => Duration::from_secs(1),
        _ => PATIENCE,
    };
    let mut reported = query_with_python(&game, timeout).await;
    // A busy machine drops some packets of a long answer.
    for _ in 0..5 {
        if python_error.is_none() && reported["error"] == "TimeoutError" {
            reported = query_with_python(&game, timeout).await;
        }
    }
    match python_error {
        Some(python_error) => {
            assert_eq!(reported, json!({ "error": python_error }), "{behaviour:?}")
        }
        None => assert_eq!(reported["players_online"], 3, "{behaviour:?}: {reported}"),
    }
    let app = start_with_timeout(our_timeout).await;
    let admin = app.admin();
    let id = add(&admin, &game).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["error"], error, "{behaviour:?}");
    assert_eq!(asked["reachable"], false);
    assert_eq!(asked["latency_ms"], Value::Null);
    assert_eq!(asked["players"], json!([]));
    assert_eq!(live(&admin, id).await, asked);
    assert_eq!(stats(&admin, id).await, empty_stats());
    // Data that arrived before the failure is not shown.
    assert_eq!(asked["players_online"], 0);
}

#[service_test]
async fn a_plain_answer_is_understood() {
    assert_answers(Behaviour::Plain).await;
}

#[service_test]
async fn a_challenge_is_answered() {
    assert_answers(Behaviour::Challenge).await;
}

#[service_test]
async fn a_split_answer_is_understood() {
    assert_answers(Behaviour::Split).await;
}

#[service_test]
async fn a_compressed_answer_is_understood() {
    assert_answers(Behaviour::Compressed).await;
}

#[service_test]
async fn reordered_and_repeated_packets_are_understood() {
    // python-a2s counts the repeated packet twice.
    assert_understood(&GameServer::start(Behaviour::SplitInDisorder).await).await;
}

#[service_test]
async fn a_compressed_split_answer_is_understood() {
    // python-a2s expects each packet to be compressed, Valve's documentation the whole answer.
    assert_understood(&GameServer::start(Behaviour::SplitCompressed).await).await;
}

#[service_test]
async fn garbage_is_a_protocol_error() {
    assert_fails(Behaviour::Garbage, "protocol", Some("BrokenMessageError")).await;
}

#[service_test]
async fn an_empty_packet_is_a_protocol_error() {
    assert_fails(Behaviour::Empty, "protocol", Some("BrokenMessageError")).await;
}

#[service_test]
async fn half_an_answer_is_a_protocol_error() {
    assert_fails(
        Behaviour::Truncated,
        "protocol",
        Some("BufferExhaustedError"),
    )
    .await;
}

#[service_test]
async fn silence_times_out() {
    assert_fails(Behaviour::Silent, "timeout", Some("TimeoutError")).await;
}

#[service_test]
async fn an_answer_from_another_address_is_ignored() {
    // The answer is valid; only its source address is wrong.
    assert_fails(Behaviour::WrongAddress, "timeout", None).await;
}

#[service_test]
async fn an_answer_of_one_mebibyte_is_a_protocol_error() {
    let timeout = Duration::from_secs(8);
    assert_fails_within(timeout, Behaviour::Huge, "protocol", None).await;
}

#[service_test]
async fn an_answer_in_too_slow_packets_times_out() {
    assert_fails(Behaviour::Slow, "timeout", None).await;
}

#[service_test]
async fn a_packet_that_claims_gigabytes_is_a_protocol_error() {
    let game = GameServer::start(Behaviour::DecompressionBomb).await;
    let app = start().await;
    let id = add(&app.admin(), &game).await;
    assert_eq!(query(&app.admin(), id).await["error"], "protocol");
}

#[service_test]
async fn endless_challenges_are_an_error() {
    let game = GameServer::start(Behaviour::EndlessChallenge).await;
    let expected = "BrokenMessageError";
    let reported = query_with_python(&game, PATIENCE).await;
    assert_eq!(reported["error"], expected);
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

#[service_test]
async fn a_server_without_a_player_list_is_understood() {
    let game = GameServer::start(Behaviour::WithoutPlayers).await;
    // The list is waited for.
    let app = start_with_timeout(Duration::from_secs(5)).await;
    let admin = app.admin();
    let id = add(&admin, &game).await;
    let asked = query(&admin, id).await;
    assert_eq!(asked["players_online"], 3);
    assert_eq!(asked["players"], json!([]));
    assert_eq!(asked["reachable"], true);
}

#[service_test]
async fn a_closed_port_gives_refused() {
    let game = GameServer::start(Behaviour::Plain).await;
    let body = game.body();
    drop(game);
    let app = start().await;
    let id = super::create(&app.admin(), body).await;
    crate::support::eventually("the port is closed", async || {
        query(&app.admin(), id).await["error"] == "refused"
    })
    .await;
}
