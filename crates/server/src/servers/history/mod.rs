//! Player counts of servers over time, for charts.
//!
//! Recent samples are kept one by one, encoded into one row for each server and hour; older hours
//! are kept as their sums. An hour is stored in exactly one of the two forms, so each sample counts
//! once.

pub mod http;
mod input;
mod range;
mod sample_codec;
mod store;

use std::collections::BTreeMap;

use db::{Conn, Tx};

pub use self::input::HistoryQuery;
pub use self::range::ChartRange;
use self::sample_codec::EncodedHour;
use crate::app::App;
use crate::servers;
use kernel::Result;
use kernel::types::time::{DAY, HOUR};

/// How many rows are compacted or deleted in one transaction.
const BATCH: i64 = 500;

/// The result of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// In seconds since 1970.
    pub at: i64,
    /// `None` where the server did not answer.
    pub players: Option<i64>,
    pub max_players: i64,
}

/// Sums and maxima of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub samples: i64,
    /// How many of the samples are answers.
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
pub struct Retention {
    /// As single samples.
    pub days: u32,
    /// As sums of an hour.
    pub hourly_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            days: 30,
            hourly_days: 365,
        }
    }
}

/// Adds samples of servers, given with their ids, to their hours. The live status of the servers
/// must be locked.
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
            let mut encoded = EncodedHour::new(hour, stored.remove(id).unwrap_or_default());
            encoded.push(sample);
            store::set_samples(tx, hour, *id, encoded.bytes()).await?;
        }
    }
    Ok(())
}

/// The sums of every point of a chart, including points without samples.
pub async fn read(conn: &mut Conn, server_id: i64, range: &ChartRange) -> Result<Vec<Sums>> {
    let mut points = vec![Sums::default(); range.points()];
    let mut add = |moment: i64, sums: &Sums| {
        let point = range.index(moment).and_then(|index| points.get_mut(index));
        point.into_iter().for_each(|point| point.merge(sums));
    };
    let hours = range.hours();
    for stored in store::hours(conn, server_id, hours.start, hours.end).await? {
        match stored {
            StoredHour::Samples(encoded) => encoded
                .samples()
                .for_each(|sample| add(sample.at, &Sums::of(&sample))),
            // The times within the hour are gone, so its sums count at its start.
            StoredHour::Sums(hour, sums) => add(hour * HOUR, &sums),
        }
    }
    Ok(points)
}

/// An hour of a server, in either form.
pub enum StoredHour {
    Samples(EncodedHour),
    Sums(i64, Sums),
}

/// Replaces the samples of old hours by their sums, and deletes hours past their retention. Several
/// instances may do this at the same time.
pub async fn compact(app: &App, retention: Retention) -> Result<()> {
    let now = app.retention_now().unix();
    let hours_ago = |days: u32| (now - i64::from(days) * DAY).div_euclid(HOUR);
    while compact_batch(app, hours_ago(retention.days)).await? {}
    let before = hours_ago(retention.hourly_days);
    Ok(store::delete_before(&app.db, before, BATCH).await?)
}

/// Returns whether there may be more.
async fn compact_batch(app: &App, before: i64) -> Result<bool> {
    let mut tx = app.db.begin().await?;
    let found = store::samples_before(&mut tx, before, BATCH).await?;
    let mut by_hour: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (hour, server_id) in &found {
        by_hour.entry(*hour).or_default().push(*server_id);
    }
    let mut ids: Vec<i64> = found.iter().map(|(_, server_id)| *server_id).collect();
    ids.sort_unstable();
    ids.dedup();
    servers::prevent_deletion(&mut tx, &ids).await?;
    for (hour, ids) in by_hour {
        // Add only the rows that this transaction deleted: a concurrent instance adds the others.
        for (server_id, bytes) in store::take_samples(&mut tx, hour, &ids).await? {
            let sums = EncodedHour::new(hour, bytes).sums();
            store::add_sums(&mut tx, hour, server_id, &sums).await?;
        }
    }
    tx.commit().await?;
    Ok(found.len() as i64 == BATCH)
}
