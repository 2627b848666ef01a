//! Players over time, for charts.
//!
//! Samples are kept at full rate, packed into a row for each server and hour, and after a while
//! as the sums of that hour. An hour is in one of these forms or in the other, as a whole, so
//! each sample counts once.

pub mod http;
mod range;
mod sample_codec;
mod store;

use std::collections::BTreeMap;

use db::{Conn, Tx};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::range::{HistoryQuery, Range};
use self::sample_codec::Packed;
use crate::app::App;
use crate::servers;
use kernel::Result;
use kernel::types::Timestamp;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// How many hours of servers are thinned in one transaction.
const THINNED_AT_ONCE: i64 = 500;

/// What one question found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// In seconds since 1970.
    pub at: i64,
    /// `None` where the server did not answer.
    pub players: Option<i64>,
    pub max_players: i64,
}

/// What is left of many samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub samples: i64,
    pub reachable: i64,
    pub players_sum: i64,
    pub players_max: i64,
    pub max_players: i64,
}

impl Sums {
    fn of(sample: &Sample) -> Self {
        let players = sample.players.unwrap_or(0);
        Self {
            samples: 1,
            reachable: sample.players.is_some().into(),
            players_sum: players,
            players_max: players,
            max_players: sample.max_players,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.reachable += other.reachable;
        self.players_sum = self.players_sum.saturating_add(other.players_sum);
        self.players_max = self.players_max.max(other.players_max);
        self.max_players = self.max_players.max(other.max_players);
    }
}

/// How long samples are kept.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// One by one.
    pub days: u32,
    /// As sums of an hour.
    pub hourly_days: u32,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            days: 30,
            hourly_days: 365,
        }
    }
}

/// A point of a chart. Where the server was not asked, or did not answer, there are no players.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Point {
    /// Where the point begins; it is as long as the step.
    pub at: Timestamp,
    /// Of the times when it answered, to two decimal places.
    pub players_avg: Option<f64>,
    pub players_max: Option<i64>,
    /// The capacity, the largest if it has changed.
    pub max_players: Option<i64>,
    /// How often it was asked.
    pub samples: i64,
    /// How often it answered.
    pub reachable: i64,
}

impl Point {
    fn new(at: i64, sums: &Sums) -> Self {
        let answered = |number: i64| (sums.reachable > 0).then_some(number);
        let average = sums.players_sum as f64 / sums.reachable as f64;
        Self {
            at: Timestamp::from_unix(at),
            players_avg: (sums.reachable > 0).then(|| (average * 100.0).round() / 100.0),
            players_max: answered(sums.players_max),
            max_players: answered(sums.max_players),
            samples: sums.samples,
            reachable: sums.reachable,
        }
    }
}

/// Adds what some servers said to their hours. Their states must be held.
pub async fn record(tx: &mut Tx, samples: &[(i64, Sample)]) -> Result<()> {
    let mut by_hour: BTreeMap<i64, Vec<&(i64, Sample)>> = BTreeMap::new();
    for sample in samples {
        let hour = sample.1.at.div_euclid(HOUR);
        by_hour.entry(hour).or_default().push(sample);
    }
    for (hour, samples) in by_hour {
        let ids: Vec<i64> = samples.iter().map(|(id, _)| *id).collect();
        let mut stored: BTreeMap<i64, Vec<u8>> =
            store::hour(tx, hour, &ids).await?.into_iter().collect();
        for (id, sample) in samples {
            let mut packed = Packed::new(hour, stored.remove(id).unwrap_or_default());
            packed.add(sample);
            store::put(tx, hour, *id, packed.bytes()).await?;
        }
    }
    Ok(())
}

/// The points of a chart, with those at which nothing is known.
pub async fn read(conn: &mut Conn, server_id: i64, range: &Range) -> Result<Vec<Point>> {
    let mut points = vec![Sums::default(); range.points()];
    let mut add = |moment: i64, sums: &Sums| {
        let point = range.index(moment).and_then(|index| points.get_mut(index));
        point.into_iter().for_each(|point| point.merge(sums));
    };
    let hours = range.hours();
    for kept in store::hours(conn, server_id, hours.start, hours.end).await? {
        match kept {
            Kept::Samples(packed) => packed
                .samples()
                .for_each(|sample| add(sample.at, &Sums::of(&sample))),
            // Nobody knows any more when in the hour; it counts at its beginning.
            Kept::Sums(hour, sums) => add(hour * HOUR, &sums),
        }
    }
    let points = points.iter().enumerate();
    Ok(points
        .map(|(i, sums)| Point::new(range.start(i), sums))
        .collect())
}

/// An hour, in either form.
pub enum Kept {
    Samples(Packed),
    Sums(i64, Sums),
}

/// Turns hours that are old into their sums, and forgets those that are too old. Rounds of
/// several instances do not get in each other's way.
pub async fn thin(app: &App, keep: Keep) -> Result<()> {
    let now = app.clock.now().unix();
    let hours_ago = |days: u32| (now - i64::from(days) * DAY).div_euclid(HOUR);
    while thin_some(app, hours_ago(keep.days)).await? {}
    let before = hours_ago(keep.hourly_days);
    Ok(store::delete_before(&app.db, before, THINNED_AT_ONCE).await?)
}

/// Whether there may be more.
async fn thin_some(app: &App, before: i64) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let found = store::older(&mut tx, before, THINNED_AT_ONCE).await?;
    let mut by_hour: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (hour, server_id) in &found {
        by_hour.entry(*hour).or_default().push(*server_id);
    }
    let mut ids: Vec<i64> = found.iter().map(|(_, server_id)| *server_id).collect();
    ids.sort_unstable();
    ids.dedup();
    servers::prevent_deletion(&mut tx, &ids).await?;
    for (hour, ids) in by_hour {
        // Only what this transaction has taken away is its own to add.
        for (server_id, bytes) in store::take(&mut tx, hour, &ids).await? {
            let sums = Packed::new(hour, bytes).sums();
            store::add(&mut tx, hour, server_id, &sums).await?;
        }
    }
    tx.commit().await?;
    Ok(found.len() as i64 == THINNED_AT_ONCE)
}
