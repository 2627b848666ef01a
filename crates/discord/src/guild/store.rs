//! SQL of the connection.

use db::{Conn, Result, Row, Tx, params};

use super::api::LONGEST_PAUSE;
use super::connection::LEASE;
use super::resource::{Connection, Problem, Repair, RepairStep, Snowflake};
use kernel::secret::Secret;
use kernel::types::Timestamp;

/// The columns that [`connection`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT guild_id, bot_token, active, trust_links, problem, checked_at, repair_step,
                    repair_after
             FROM discord WHERE id = 1 ",
            $rest
        )
    };
}

pub async fn find(conn: &mut Conn) -> Result<Option<Connection>> {
    conn.query_opt(select!(""), &[], connection).await
}

/// The connection, locked until the end of the transaction.
pub async fn lock_and_find(tx: &mut Tx) -> Result<Option<Connection>> {
    tx.lock("SELECT 1 FROM discord WHERE id = 1 FOR UPDATE", &[])
        .await?;
    find(tx).await
}

fn connection(row: &Row<'_>) -> Result<Connection> {
    let step: Option<String> = row.get(6)?;
    let step = step.as_deref().and_then(RepairStep::from_stored);
    let after = row.get(7)?;
    let problem: Option<String> = row.get(4)?;
    Ok(Connection {
        guild_id: Snowflake(row.get(0)?),
        bot_token: Secret::new(row.get(1)?),
        active: row.get(2)?,
        trust_links: row.get(3)?,
        problem: problem.as_deref().and_then(Problem::from_stored),
        checked_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_unix),
        repair: step.map(|step| Repair { step, after }),
    })
}

/// Adds the connection, or replaces it.
pub async fn put(tx: &mut Tx, connection: &Connection) -> Result<()> {
    let (step, after) = match connection.repair {
        Some(repair) => (Some(repair.step.as_str()), repair.after),
        None => (None, 0),
    };
    tx.execute(
        "INSERT INTO discord (id, guild_id, bot_token, active, trust_links, problem, checked_at,
                              repair_step, repair_after, paused_until, sender, leased_until)
         VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, 0, '', 0)
         ON CONFLICT (id) DO UPDATE
         SET guild_id = excluded.guild_id, bot_token = excluded.bot_token,
             active = excluded.active, trust_links = excluded.trust_links,
             problem = excluded.problem, checked_at = excluded.checked_at,
             repair_step = excluded.repair_step, repair_after = excluded.repair_after",
        params![
            connection.guild_id.0,
            connection.bot_token.reveal(),
            connection.active,
            connection.trust_links,
            connection.problem.map(Problem::as_str),
            connection.checked_at,
            step,
            after,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx) -> Result<()> {
    tx.execute("DELETE FROM discord", &[]).await?;
    Ok(())
}

/// Whether this instance may send requests, all times in milliseconds.
pub async fn is_open(conn: &mut Conn, sender: &str, now: i64) -> Result<bool> {
    let found: Option<i64> = conn
        .query_opt(
            "SELECT id FROM discord WHERE active
               AND (paused_until <= $2 OR paused_until > $3)
               AND (sender = $1 OR leased_until <= $2 OR leased_until > $4)",
            params![sender, now, now + LONGEST_PAUSE, now + LEASE],
            |row| row.get(0),
        )
        .await?;
    Ok(found.is_some())
}

/// Takes or keeps the right to send requests for the time of a lease. False if another instance has
/// it, Discord asked for a pause, or the connection is not active. An end that is too far away was
/// stored by a clock that was wrong.
pub async fn take_lease(tx: &mut Tx, sender: &str, now: i64) -> Result<bool> {
    let taken = tx
        .execute(
            "UPDATE discord SET sender = $1, leased_until = $4
             WHERE active AND (paused_until <= $2 OR paused_until > $3)
               AND (sender = $1 OR leased_until <= $2 OR leased_until > $4)",
            params![sender, now, now + LONGEST_PAUSE, now + LEASE],
        )
        .await?;
    Ok(taken > 0)
}

/// Lets other instances send requests.
pub async fn end_lease(tx: &mut Tx, sender: &str) -> Result<()> {
    tx.execute(
        "UPDATE discord SET leased_until = 0 WHERE sender = $1",
        params![sender],
    )
    .await?;
    Ok(())
}

/// Whether Discord asked for a pause that is not over.
pub async fn is_paused(conn: &mut Conn, now: i64) -> Result<bool> {
    let found: Option<i64> = conn
        .query_opt(
            "SELECT id FROM discord WHERE paused_until > $1 AND paused_until <= $2",
            params![now, now + LONGEST_PAUSE],
            |row| row.get(0),
        )
        .await?;
    Ok(found.is_some())
}

/// Sends no requests until then.
pub async fn pause(tx: &mut Tx, until: i64) -> Result<()> {
    tx.execute("UPDATE discord SET paused_until = $1", params![until])
        .await?;
    Ok(())
}

pub async fn set_token(tx: &mut Tx, sealed: &[u8]) -> Result<()> {
    tx.execute("UPDATE discord SET bot_token = $1", params![sealed])
        .await?;
    Ok(())
}

/// Forgets a token that nothing can open. Returns whether there was one.
pub async fn forget_token(tx: &mut Tx, problem: Problem, empty: &[u8]) -> Result<u64> {
    tx.execute(
        "UPDATE discord SET bot_token = $2, active = FALSE, problem = $1
         WHERE LENGTH(bot_token) > 0",
        params![problem.as_str(), empty],
    )
    .await
}
