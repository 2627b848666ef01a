//! SQL of the history: `server_samples` (encoded samples) and `server_hours` (sums).

use db::{Conn, Db, Result, Row, Tx, params};

use super::sample_codec::EncodedHour;
use super::{StoredHour, Sums};

pub async fn hour(tx: &mut Tx, hour: i64, server_ids: &[i64]) -> Result<Vec<(i64, Vec<u8>)>> {
    tx.query(
        "SELECT server_id, samples FROM server_samples WHERE hour = $1 AND server_id = ANY($2)",
        params![hour, server_ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

pub async fn set_samples(tx: &mut Tx, hour: i64, server_id: i64, samples: &[u8]) -> Result<()> {
    tx.execute(
        "INSERT INTO server_samples (hour, server_id, samples) VALUES ($1, $2, $3)
         ON CONFLICT (hour, server_id) DO UPDATE SET samples = excluded.samples",
        params![hour, server_id, samples],
    )
    .await?;
    Ok(())
}

/// Reads both forms in one statement: an hour that is compacted concurrently is read in exactly one
/// of them.
pub async fn hours(
    conn: &mut Conn,
    server_id: i64,
    first: i64,
    end: i64,
) -> Result<Vec<StoredHour>> {
    conn.query(
        "SELECT hour, samples, 0, 0, 0, 0, 0 FROM server_samples
         WHERE server_id = $1 AND hour >= $2 AND hour < $3
         UNION ALL
         SELECT hour, NULL, samples, reachable, players_sum, players_max, max_players
         FROM server_hours WHERE server_id = $1 AND hour >= $2 AND hour < $3",
        params![server_id, first, end],
        stored_hour,
    )
    .await
}

fn stored_hour(row: &Row<'_>) -> Result<StoredHour> {
    let hour: i64 = row.get(0)?;
    let samples: Option<Vec<u8>> = row.get(1)?;
    Ok(match samples {
        Some(bytes) => StoredHour::Samples(EncodedHour::new(hour, bytes)),
        None => StoredHour::Sums(
            hour,
            Sums {
                samples: row.get(2)?,
                reachable: row.get(3)?,
                players_sum: row.get(4)?,
                players_max: row.get(5)?,
                max_players: row.get(6)?,
            },
        ),
    })
}

/// The hour and server id of the oldest samples.
pub async fn samples_before(tx: &mut Tx, before: i64, limit: i64) -> Result<Vec<(i64, i64)>> {
    tx.query(
        "SELECT hour, server_id FROM server_samples WHERE hour < $1
         ORDER BY hour, server_id LIMIT $2",
        params![before, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// Deletes the samples of an hour and returns them.
pub async fn take_samples(
    tx: &mut Tx,
    hour: i64,
    server_ids: &[i64],
) -> Result<Vec<(i64, Vec<u8>)>> {
    tx.query(
        "DELETE FROM server_samples WHERE hour = $1 AND server_id = ANY($2)
         RETURNING server_id, samples",
        params![hour, server_ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// Adds to existing sums, which a wrong clock may have created.
pub async fn add_sums(tx: &mut Tx, hour: i64, server_id: i64, sums: &Sums) -> Result<()> {
    tx.execute(
        "INSERT INTO server_hours (hour, server_id, samples, reachable, players_sum, players_max,
                                   max_players)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (hour, server_id) DO UPDATE
         SET samples = server_hours.samples + excluded.samples,
             reachable = server_hours.reachable + excluded.reachable,
             players_sum = server_hours.players_sum + excluded.players_sum,
             players_max = CASE WHEN server_hours.players_max > excluded.players_max
                           THEN server_hours.players_max ELSE excluded.players_max END,
             max_players = CASE WHEN server_hours.max_players > excluded.max_players
                           THEN server_hours.max_players ELSE excluded.max_players END",
        params![
            hour,
            server_id,
            sums.samples,
            sums.reachable,
            sums.players_sum,
            sums.players_max,
            sums.max_players,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete_before(db: &Db, before: i64, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM server_hours WHERE (hour, server_id) IN
            (SELECT hour, server_id FROM server_hours WHERE hour < $1
             ORDER BY hour, server_id LIMIT $2)",
        params![before],
        size,
    )
    .await
}
