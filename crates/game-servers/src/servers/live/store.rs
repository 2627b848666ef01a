//! SQL of the live status and its schedule.
//!
//! Times of the schedule (`next_query_at`, `leased_until`) are in milliseconds, since clients never
//! see them; `checked_at` is in seconds.

use db::{Conn, Result, Row, Tx, params};

use super::LiveStatus;
use super::answers::Answer;
use super::failure::Failure;
use kernel::types::Timestamp;

/// A server that is leased to this instance.
pub struct Claim {
    pub server_id: i64,
    pub epoch: i64,
    pub due_at: i64,
    pub failures: i64,
}

/// A server that is queried regularly.
pub struct Watched {
    pub id: i64,
    pub name: String,
    pub reachable: bool,
    pub players_online: i64,
    pub max_players: i64,
}

pub async fn insert(tx: &mut Tx, server_id: i64, next: Option<i64>) -> Result<()> {
    tx.execute(
        "INSERT INTO server_live (server_id, epoch, next_query_at, leased_until, failures,
                                  players_online, max_players, map, players)
         VALUES ($1, 1, $2, 0, 0, 0, 0, '', '[]')",
        params![server_id, next],
    )
    .await?;
    Ok(())
}

pub async fn reset(tx: &mut Tx, server_id: i64, next: Option<i64>) -> Result<()> {
    tx.execute(
        "UPDATE server_live
         SET epoch = epoch + 1, next_query_at = $2, leased_until = 0, failures = 0,
             checked_at = NULL, error = NULL, latency_ms = NULL, players_online = 0,
             max_players = 0, map = '', name = NULL, version = NULL, players = '[]'
         WHERE server_id = $1",
        params![server_id, next],
    )
    .await?;
    Ok(())
}

pub async fn epoch(conn: &mut Conn, server_id: i64) -> Result<Option<i64>> {
    conn.query_opt(
        "SELECT epoch FROM server_live WHERE server_id = $1",
        params![server_id],
        |row| row.get(0),
    )
    .await
}

pub async fn find(conn: &mut Conn, server_id: i64) -> Result<Option<LiveStatus>> {
    conn.query_opt(
        "SELECT checked_at, error, latency_ms, players_online, max_players, map, name, version,
                players
         FROM server_live WHERE server_id = $1",
        params![server_id],
        status,
    )
    .await
}

fn status(row: &Row<'_>) -> Result<LiveStatus> {
    let checked_at: Option<i64> = row.get(0)?;
    let error: Option<String> = row.get(1)?;
    let players: String = row.get(8)?;
    Ok(LiveStatus {
        reachable: checked_at.is_some() && error.is_none(),
        checked_at: checked_at.map(Timestamp::from_unix),
        error: error
            .and_then(|word| Failure::from_stored(&word))
            .map(Failure::as_str),
        latency_ms: row.get(2)?,
        players_online: row.get(3)?,
        max_players: row.get(4)?,
        map: row.get(5)?,
        name: row.get(6)?,
        version: row.get(7)?,
        players: serde_json::from_str(&players).unwrap_or_default(),
    })
}

pub async fn has_due(conn: &mut Conn, now: i64) -> Result<bool> {
    conn.query_one(
        "SELECT EXISTS (SELECT 1 FROM server_live WHERE next_query_at <= $1 AND leased_until <= $1)",
        params![now],
        |row| row.get(0),
    )
    .await
}

/// Leases due servers, the longest overdue first. Rows that another instance is leasing
/// concurrently are skipped.
pub async fn claim(tx: &mut Tx, now: i64, until: i64, limit: i64) -> Result<Vec<Claim>> {
    tx.query(
        "WITH due AS MATERIALIZED (
             SELECT server_id, next_query_at FROM server_live
             WHERE next_query_at <= $1 AND leased_until <= $1
             ORDER BY next_query_at, server_id LIMIT $3 FOR UPDATE SKIP LOCKED)
         UPDATE server_live SET leased_until = $2 FROM due
         WHERE server_live.server_id = due.server_id
         RETURNING server_live.server_id, server_live.epoch, server_live.next_query_at,
                   server_live.failures",
        params![now, until, limit],
        |row| {
            Ok(Claim {
                server_id: row.get(0)?,
                epoch: row.get(1)?,
                due_at: row.get(2)?,
                failures: row.get(3)?,
            })
        },
    )
    .await
}

/// Makes servers due whose next query is later than `latest`, and ends leases longer than
/// `longest_lease`.
pub async fn shorten_delays(tx: &mut Tx, now: i64, latest: i64, longest_lease: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live
         SET next_query_at = CASE WHEN next_query_at > $2 THEN $1 ELSE next_query_at END,
             leased_until = CASE WHEN leased_until > $3 THEN 0 ELSE leased_until END
         WHERE next_query_at > $2 OR leased_until > $3",
        params![now, latest, longest_lease],
    )
    .await?;
    Ok(())
}

/// Those of these servers that answered their last query.
pub async fn reachable(conn: &mut Conn, server_ids: &[i64]) -> Result<Vec<i64>> {
    conn.query(
        "SELECT server_id FROM server_live
         WHERE server_id = ANY($1) AND checked_at IS NOT NULL AND error IS NULL",
        params![server_ids],
        |row| row.get(0),
    )
    .await
}

/// Stores the status. Returns false if the server was changed after the query began.
pub async fn set_status(tx: &mut Tx, answer: &Answer) -> Result<bool> {
    let status = &answer.status;
    let players = serde_json::to_string(&status.players).expect("players serialise");
    let updated = tx
        .execute(
            "UPDATE server_live
             SET checked_at = $3, error = $4, latency_ms = $5, players_online = $6,
                 max_players = $7, map = $8, name = $9, version = $10, players = $11
             WHERE server_id = $1 AND epoch = $2",
            params![
                answer.server_id,
                answer.epoch,
                status.checked_at,
                status.error,
                status.latency_ms,
                status.players_online,
                status.max_players,
                &status.map,
                status.name.as_ref(),
                status.version.as_ref(),
                &players,
            ],
        )
        .await?;
    Ok(updated > 0)
}

/// Sets the time of the next query and ends the lease.
pub async fn schedule(tx: &mut Tx, server_id: i64, failures: i64, next: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live SET failures = $2, next_query_at = $3, leased_until = 0
         WHERE server_id = $1",
        params![server_id, failures, next],
    )
    .await?;
    Ok(())
}

/// Moves the next query of a failing server forward to `latest`, if it is later.
pub async fn bring_forward(tx: &mut Tx, server_id: i64, latest: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live
         SET next_query_at = CASE WHEN next_query_at > $2 THEN $2 ELSE next_query_at END,
             failures = 0
         WHERE server_id = $1 AND failures > 0",
        params![server_id, latest],
    )
    .await?;
    Ok(())
}

/// The servers that are queried regularly, by id; at most `limit`.
pub async fn watched(conn: &mut Conn, limit: i64) -> Result<Vec<Watched>> {
    conn.query(
        "SELECT s.id, s.name, l.checked_at IS NOT NULL AND l.error IS NULL, l.players_online,
                l.max_players
         FROM server_live l JOIN servers s ON s.id = l.server_id
         WHERE l.next_query_at IS NOT NULL ORDER BY l.server_id LIMIT $1",
        params![limit],
        |row| {
            Ok(Watched {
                id: row.get(0)?,
                name: row.get(1)?,
                reachable: row.get(2)?,
                players_online: row.get(3)?,
                max_players: row.get(4)?,
            })
        },
    )
    .await
}

/// The number of servers that are queried, and how many of them answered last time.
pub async fn count(conn: &mut Conn) -> Result<(i64, i64)> {
    conn.query_one(
        "SELECT COUNT(*), COUNT(CASE WHEN checked_at IS NOT NULL AND error IS NULL THEN 1 END)
         FROM server_live WHERE next_query_at IS NOT NULL",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}
