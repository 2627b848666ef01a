//! The history of player numbers.

use game_servers::servers::history::{self, Retention, Sample};
use serde_json::{Value, json};

use super::live::{add, poll_once, start};
use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, NOON, Rng, TestApp, assert_fields};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

async fn points(admin: &Client, id: i64, query: &str) -> Vec<Value> {
    let path = format!("/api/servers/{id}/history{query}");
    let shown = admin.get(&path).await.ok();
    assert_fields(&shown, &["from", "to", "step", "history"]);
    let points = shown["history"].as_array().expect("points").clone();
    for point in &points {
        let fields = [
            "at",
            "players_avg",
            "players_max",
            "max_players",
            "samples",
            "reachable",
        ];
        assert_fields(point, &fields);
    }
    points
}

fn moment(unix: i64) -> String {
    kernel::types::Timestamp::from_unix(unix).to_string()
}

#[service_test(start())]
async fn polling_rounds_become_points(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let id = add(&admin, &game).await;
    for players in [2, 4, 5] {
        game.has_players(players);
        poll_once(&app).await;
        app.advance(40);
    }
    drop(game);
    poll_once(&app).await;
    app.advance(480);

    let shown = points(&admin, id, "").await;
    let known: Vec<&Value> = shown.iter().filter(|point| point["samples"] != 0).collect();
    let expected = json!({
        "at": "2026-03-01T12:00:00Z", "players_avg": 3.67, "players_max": 5, "max_players": 12,
        "samples": 4, "reachable": 3,
    });
    assert_eq!(known, [&expected]);
    // The last 24 hours, in steps of five minutes.
    let whole = admin.get(&format!("/api/servers/{id}/history")).await.ok();
    assert_eq!(whole["step"], 300);
    assert_eq!(whole["to"], "2026-03-01T12:10:00Z");
    assert_eq!(whole["from"], "2026-02-28T12:10:00Z");
    assert_eq!(shown.len(), 288);
    let empty = json!({
        "at": "2026-02-28T12:10:00Z", "players_avg": null, "players_max": null,
        "max_players": null, "samples": 0, "reachable": 0,
    });
    assert_eq!(shown[0], empty);

    let day = points(&admin, id, "?from=2026-03-01&to=2026-03-01&step=86400").await;
    assert_eq!(day.len(), 1);
    assert_eq!(day[0]["at"], "2026-03-01T00:00:00Z");
    assert_eq!(day[0]["samples"], 4);
    let steps = points(
        &admin,
        id,
        "?from=2026-03-01T12:00:00Z&to=2026-03-01T12:02:01Z&step=40",
    )
    .await;
    let reachable: Vec<_> = steps
        .iter()
        .map(|point| point["players_avg"].clone())
        .collect();
    assert_eq!(reachable, [json!(2.0), json!(4.0), json!(5.0), Value::Null]);
}

#[service_test(start())]
async fn an_invalid_range_or_step_gives_422(admin: Client) {
    let game = GameServer::start(Behaviour::Silent).await;
    let id = add(&admin, &game).await;
    let path = format!("/api/servers/{id}/history");
    let sentence = "must be a date such as 2026-03-01, or a moment in ISO 8601 such as \
                    2026-03-01T12:00:00Z";
    for bad in ["yesterday", "2026-13-01", "2026-02-30", "", "20260301"] {
        let answer = admin.get(&format!("{path}?from={bad}&to={bad}")).await;
        answer.invalid(&[("from", sentence), ("to", sentence)]);
    }
    for bad in ["0", "-1", "x"] {
        let answer = admin.get(&format!("{path}?step={bad}")).await;
        answer.invalid(&[("step", "must be an integer of at least 1")]);
    }
    for (from, to) in [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("2026-03-02", "2026-03-01"),
    ] {
        let answer = admin.get(&format!("{path}?from={from}&to={to}")).await;
        answer.invalid(&[("from", "must be before to")]);
    }
    let answer = admin.get(&format!("{path}?step=43")).await;
    answer.invalid(&[("step", "must be at least 44, for at most 2000 points")]);
    assert_eq!(points(&admin, id, "?step=44").await.len(), 1965);
    admin.get("/api/servers/99/history").await.not_found();
}

/// The expected history for a plain list of samples.
fn expected(samples: &[Sample], from: i64, to: i64, step: i64, thin_before: i64) -> Vec<Value> {
    let mut points = Vec::new();
    for start in (from.div_euclid(step)..=(to - 1).div_euclid(step)).map(|number| number * step) {
        let seen: Vec<&Sample> = samples
            .iter()
            .filter(|sample| {
                let hour = sample.at - sample.at.rem_euclid(HOUR);
                let at = if hour < thin_before { hour } else { sample.at };
                (start..start + step).contains(&at) && (from..to).contains(&at)
            })
            .collect();
        let players: Vec<i64> = seen.iter().filter_map(|sample| sample.players).collect();
        let average = players.iter().sum::<i64>() as f64 / players.len() as f64;
        let max = seen.iter().filter(|sample| sample.players.is_some());
        points.push(json!({
            "at": moment(start),
            "players_avg": (!players.is_empty()).then(|| (average * 100.0).round() / 100.0),
            "players_max": players.iter().max(),
            "max_players": max.map(|sample| sample.max_players).max(),
            "samples": seen.len(),
            "reachable": players.len(),
        }));
    }
    points
}

async fn record(app: &TestApp, id: i64, samples: &[Sample]) {
    for some in samples.chunks(200) {
        let mut tx = app.core().db.begin().await.expect("a transaction");
        for sample in some {
            let added = history::record(&mut tx, &[(id, *sample)]).await;
            added.expect("a sample is stored");
        }
        tx.commit().await.expect("they are kept");
    }
}

/// Samples of the 60 days before noon, in order, with gaps.
fn some_samples(rng: &mut Rng, count: usize) -> Vec<Sample> {
    let mut moments: Vec<i64> = (0..count)
        .map(|_| NOON - 60 * DAY + rng.below(60 * DAY as u64) as i64)
        .collect();
    // Many in one hour, as in practice, and exactly at its ends.
    let busy = NOON - 30 * DAY - HOUR;
    moments.extend((0..120).map(|number| busy + number * 30));
    moments.extend([busy - 1, busy, busy + HOUR - 1, busy + HOUR]);
    moments.sort_unstable();
    let sample = |at| {
        let players = (rng.below(5) > 0).then(|| rng.below(64) as i64);
        Sample {
            at,
            players,
            max_players: players.map_or(0, |_| 64 + rng.below(2) as i64),
        }
    };
    moments.into_iter().map(sample).collect()
}

async fn assert_agrees(
    admin: &Client,
    id: i64,
    samples: &[Sample],
    thin_before: i64,
    rng: &mut Rng,
) {
    for _ in 0..25 {
        let from = NOON - 61 * DAY + rng.below(60 * DAY as u64) as i64;
        let to = from + 1 + rng.below((NOON + DAY - from) as u64) as i64;
        let least = (to - from) / 1900 + 1;
        let choices = [least, least + 7, HOUR.max(least), DAY, 7 * DAY];
        let step = rng.one_of(&choices);
        let query = format!("?from={}&to={}&step={step}", moment(from), moment(to));
        let shown = points(admin, id, &query).await;
        assert_eq!(
            shown,
            expected(samples, from, to, step, thin_before),
            "{query}"
        );
    }
}

async fn total(admin: &Client, id: i64) -> i64 {
    let all = points(admin, id, "?from=2025-12-01&to=2026-03-02&step=86400").await;
    all.iter()
        .filter_map(|point| point["samples"].as_i64())
        .sum()
}

#[service_test(start())]
async fn history_equals_the_samples_before_and_after_thinning(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Silent).await;
    let mut rng = Rng::new(7);
    let mut servers = Vec::new();
    for _ in 0..2 {
        let id = add(&admin, &game).await;
        let samples = some_samples(&mut rng, 1500);
        record(&app, id, &samples).await;
        servers.push((id, samples));
    }
    for (id, samples) in &servers {
        assert_agrees(&admin, *id, samples, i64::MIN, &mut rng).await;
    }

    let retention = Retention::default();
    history::compact(app.core(), retention)
        .await
        .expect("it is compacted");
    let cut = NOON - 30 * DAY;
    assert_eq!(
        app.number("SELECT COUNT(*) FROM server_samples WHERE hour < 491604")
            .await,
        0,
        "noon of 30 days ago is hour {}",
        cut / HOUR
    );
    assert!(app.number("SELECT COUNT(*) FROM server_hours").await > 800);
    for (id, samples) in &servers {
        assert_eq!(total(&admin, *id).await, samples.len() as i64);
        assert_agrees(&admin, *id, samples, cut, &mut rng).await;
    }
    // Compacting again changes nothing; ten days later, more is compacted.
    history::compact(app.core(), retention)
        .await
        .expect("it is compacted");
    app.advance(10 * DAY + 1800);
    history::compact(app.core(), retention)
        .await
        .expect("it is compacted");
    for (id, samples) in &servers {
        assert_eq!(total(&admin, *id).await, samples.len() as i64);
        assert_agrees(&admin, *id, samples, cut + 10 * DAY, &mut rng).await;
    }

    let retention = Retention {
        days: 30,
        hourly_days: 40,
    };
    history::compact(app.core(), retention)
        .await
        .expect("it is compacted");
    for (id, samples) in &servers {
        let first = NOON - 30 * DAY;
        let left: Vec<Sample> = samples
            .iter()
            .filter(|sample| sample.at >= first)
            .copied()
            .collect();
        assert_eq!(total(&admin, *id).await, left.len() as i64);
        assert_agrees(&admin, *id, &left, cut + 10 * DAY, &mut rng).await;
    }

    let path = format!("/api/servers/{}", servers[0].0);
    admin.delete(&path).await.ok();
    let left = "SELECT (SELECT COUNT(*) FROM server_samples WHERE server_id = 1)
                     + (SELECT COUNT(*) FROM server_hours WHERE server_id = 1)
                     + (SELECT COUNT(*) FROM server_live WHERE server_id = 1)";
    assert_eq!(app.number(left).await, 0);
}

#[service_test(start())]
async fn every_sample_counts_once_while_several_instances_thin_out(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let game = GameServer::start(Behaviour::Plain).await;
    let mut rng = Rng::new(11);
    let mut samples = Vec::new();
    for _ in 0..3 {
        let id = add(&admin, &game).await;
        let some = some_samples(&mut rng, 1500);
        record(&app, id, &some).await;
        samples.push(some.len() as i64);
    }
    let thinning: Vec<_> = [&app.app, &second.app, &app.app, &second.app]
        .into_iter()
        .map(|app| {
            let app = app.clone();
            tokio::spawn(
                async move { history::compact(&app.kernel.core, Retention::default()).await },
            )
        })
        .collect();
    let mut looks = 0;
    while thinning.iter().any(|task| !task.is_finished()) || looks == 0 {
        for (index, count) in samples.iter().enumerate() {
            assert_eq!(total(&admin, index as i64 + 1).await, *count);
        }
        looks += 1;
    }
    for task in thinning {
        task.await.expect("no panic").expect("it is compacted");
    }
    for (index, count) in samples.iter().enumerate() {
        assert_eq!(total(&admin, index as i64 + 1).await, *count);
    }
    // Polling still works.
    poll_once(&app).await;
}
