//! Player counts of servers over time, for charts.
//!
//! Recent samples are kept one by one, encoded into one row per server and hour; older hours are
//! kept as sums. An hour is stored in exactly one of the two forms, so each sample counts once.

pub mod http;
mod range;
mod sample_codec;
mod store;

use std::collections::BTreeMap;

use db::{Conn, Tx};

pub use self::range::{ChartRange, HistoryQuery};
use self::sample_codec::EncodedHour;
use crate::servers::store::lock_shared;
use kernel::types::time::{DAY, HOUR};
use kernel::{Core, Result};

/// The number of rows compacted or deleted in one transaction.
const BATCH: i64 = 500;

/// The result of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// In seconds since 1970.
    pub at: i64,
    /// `None` if the server did not answer.
    pub players: Option<i64>,
    pub max_players: i64,
}

/// Sums and maxima of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub samples: i64,
    /// The number of samples with an answer.
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

/// The retention of samples, in days.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// For single samples.
    pub days: u32,
    /// For hourly sums.
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

/// Adds samples, given with their server ids, to their hours. The live status of the servers must
/// be locked.
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
            // The times within the hour are lost, so its sums count at its start.
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

/// Replaces the samples of old hours by sums, and deletes hours past their retention. Several
/// instances may do this at the same time.
pub async fn compact(core: &Core, retention: Retention) -> Result<()> {
    let now = core.retention_now().unix();
    let hours_ago = |days: u32| (now - i64::from(days) * DAY).div_euclid(HOUR);
    while compact_batch(core, hours_ago(retention.days)).await? {}
    let before = hours_ago(retention.hourly_days);
    Ok(store::delete_before(&core.db, before, BATCH).await?)
}

/// Compacts one batch. Returns whether there may be more.
async fn compact_batch(core: &Core, before: i64) -> Result<bool> {
    let mut tx = core.db.begin().await?;
    let found = store::samples_before(&mut tx, before, BATCH).await?;
    let mut by_hour: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (hour, server_id) in &found {
        by_hour.entry(*hour).or_default().push(*server_id);
    }
    let mut ids: Vec<i64> = found.iter().map(|(_, server_id)| *server_id).collect();
    ids.sort_unstable();
    ids.dedup();
    lock_shared(&mut tx, &ids).await?;
    for (hour, ids) in by_hour {
        // Only the rows that this transaction deleted count: a concurrent instance adds the others.
        for (server_id, bytes) in store::take_samples(&mut tx, hour, &ids).await? {
            let sums = EncodedHour::new(hour, bytes).sums();
            store::add_sums(&mut tx, hour, server_id, &sums).await?;
        }
    }
    tx.commit().await?;
    Ok(found.len() as i64 == BATCH)
}
