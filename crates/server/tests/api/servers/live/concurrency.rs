//! Polling many servers, half of which do not answer.

use std::net::Ipv4Addr;
use std::time::Duration;

use game_servers::servers::live::Settings;

use super::poll_once;
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, TestApp, at_once, count};

/// Rounds after which memory is measured.
const FIRST_ROUNDS: usize = 5;
/// Packets of one query: info, challenge and players.
const PACKETS: usize = 3;

/// The resident memory of this process.
fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages = pages
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("a number") * 4096
}

async fn servers(count: usize) -> Vec<GameServer> {
    let mut games = Vec::new();
    for number in 0..count {
        let behaviour = [Behaviour::Plain, Behaviour::Silent][number % 2];
        let ip = Ipv4Addr::new(127, 0, 0, (number % 200) as u8 + 1);
        games.push(GameServer::start_at(ip, behaviour).await);
    }
    games
}

/// How many servers, and how often they are polled; more in `make torture`, where nothing else runs in
/// this process.
fn numbers() -> (usize, usize) {
    let number = |name, usual| {
        let number = std::env::var(name);
        number.map_or(usual, |number| number.parse().expect("a number"))
    };
    (
        number("STEWARD_TEST_GAME_SERVERS", 100),
        number("STEWARD_TEST_POLLS", FIRST_ROUNDS),
    )
}

#[service_test]
async fn many_servers_are_polled_in_one_round_within_bounded_memory() {
    let (all, rounds) = numbers();
    let app = TestApp::start_with_live_settings(Settings {
        timeout: Duration::from_secs(3),
        concurrency: 256,
        ..Settings::default()
    })
    .await;
    let admin = app.admin();
    let games = servers(all).await;
    for some in games.chunks(50) {
        let create = |admin: Client, body| async move { admin.post("/api/servers", body).await };
        let answers = at_once(some.iter().map(|game| create(admin.clone(), game.body()))).await;
        assert_eq!(count(&answers, 201), some.len());
    }

    poll_once(&app).await;
    for (number, game) in games.iter().enumerate() {
        let packets = [PACKETS, 1][number % 2];
        assert!(
            (1..=packets).contains(&game.received()),
            "{number}: {}",
            game.received()
        );
    }
    let checked = "SELECT COUNT(*) FROM server_live WHERE checked_at IS NOT NULL";
    assert_eq!(app.number(checked).await, all as i64);
    let answered = "SELECT COUNT(*) FROM server_live WHERE error IS NULL";
    // A busy machine loses some packets.
    assert!(app.number(answered).await >= all as i64 * 45 / 100);
    if app.core().db.on_postgres() {
        let transactions = "SELECT COUNT(DISTINCT xmin::text) FROM server_live";
        let stored_in = app.number(transactions).await;
        // Answers that come late, on a busy machine, are stored in more.
        let together = if rounds > FIRST_ROUNDS { 8 } else { 2 };
        let most = all as i64 / together;
        assert!(stored_in <= most, "{stored_in} transactions");
    }

    let mut before = 0;
    for number in 1..=rounds {
        app.advance(34);
        poll_once(&app).await;
        if number == FIRST_ROUNDS {
            before = resident_bytes();
        }
    }
    if rounds > FIRST_ROUNDS {
        let grown = resident_bytes().saturating_sub(before);
        assert!(
            grown < 24 << 20,
            "{grown} bytes more than after the first rounds"
        );
    }
    for game in games.iter().step_by(2) {
        assert!(game.received() <= (rounds + 1) * PACKETS);
        assert!(game.received() >= rounds * PACKETS / 2);
    }
}
