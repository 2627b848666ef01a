use db::{Conn, Result, Row, Tx, params};

use super::Live;
use super::failure::Failure;
use super::poller::Claim;
use super::querier::Checked;
use kernel::types::Timestamp;

/// Milliseconds come and go as they are: they are the schedule's own and shown to nobody.
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

pub async fn find(conn: &mut Conn, server_id: i64) -> Result<Option<Live>> {
    conn.query_opt(
        "SELECT checked_at, error, latency_ms, players_online, max_players, map, name, version,
                players
         FROM server_live WHERE server_id = $1",
        params![server_id],
        live,
    )
    .await
}

fn live(row: &Row<'_>) -> Result<Live> {
    let checked_at: Option<i64> = row.get(0)?;
    let error: Option<String> = row.get(1)?;
    let players: String = row.get(8)?;
    Ok(Live {
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

pub async fn some_are_due(conn: &mut Conn, now: i64) -> Result<bool> {
    conn.query_one(
        "SELECT EXISTS (SELECT 1 FROM server_live WHERE next_query_at <= $1 AND leased_until <= $1)",
        params![now],
        |row| row.get(0),
    )
    .await
}

/// Takes servers that are due, those first that are due longest. Rows that another instance is
/// taking at this moment are passed over.
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

/// Makes those due whose turn, or whose lease, is further away than the last moments given.
pub async fn pull_in(tx: &mut Tx, now: i64, furthest: i64, longest_lease: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live
         SET next_query_at = CASE WHEN next_query_at > $2 THEN $1 ELSE next_query_at END,
             leased_until = CASE WHEN leased_until > $3 THEN 0 ELSE leased_until END
         WHERE next_query_at > $2 OR leased_until > $3",
        params![now, furthest, longest_lease],
    )
    .await?;
    Ok(())
}

/// Stores what a server said; false where it has changed since it was asked.
pub async fn show(tx: &mut Tx, checked: &Checked) -> Result<bool> {
    let live = &checked.live;
    let players = serde_json::to_string(&live.players).expect("players serialise");
    let updated = tx
        .execute(
            "UPDATE server_live
             SET checked_at = $3, error = $4, latency_ms = $5, players_online = $6,
                 max_players = $7, map = $8, name = $9, version = $10, players = $11
             WHERE server_id = $1 AND epoch = $2",
            params![
                checked.server_id,
                checked.epoch,
                live.checked_at,
                live.error,
                live.latency_ms,
                live.players_online,
                live.max_players,
                &live.map,
                live.name.as_ref(),
                live.version.as_ref(),
                &players,
            ],
        )
        .await?;
    Ok(updated > 0)
}

/// Says when a server is to be asked again, and lets go of it.
pub async fn schedule(tx: &mut Tx, server_id: i64, failures: i64, next: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live SET failures = $2, next_query_at = $3, leased_until = 0
         WHERE server_id = $1",
        params![server_id, failures, next],
    )
    .await?;
    Ok(())
}

/// Asks a server that had not answered before not later than `soon`.
pub async fn bring_forward(tx: &mut Tx, server_id: i64, soon: i64) -> Result<()> {
    tx.execute(
        "UPDATE server_live
         SET next_query_at = CASE WHEN next_query_at > $2 THEN $2 ELSE next_query_at END,
             failures = 0
         WHERE server_id = $1 AND failures > 0",
        params![server_id, soon],
    )
    .await?;
    Ok(())
}

/// How many servers are asked at all, and how many of them answer.
pub async fn count(conn: &mut Conn) -> Result<(i64, i64)> {
    conn.query_one(
        "SELECT COUNT(*), COUNT(CASE WHEN checked_at IS NOT NULL AND error IS NULL THEN 1 END)
         FROM server_live WHERE next_query_at IS NOT NULL",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}
