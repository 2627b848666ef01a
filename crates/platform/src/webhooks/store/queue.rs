//! SQL of queueing and sending.

use db::{Conn, Result, Tx, params};

use super::{select, webhook};
use crate::webhooks::Webhook;
use crate::webhooks::deliveries::Attempts;
use crate::webhooks::outcome::Next;
use crate::webhooks::sender::Claim;
use kernel::types::Timestamp;

/// The lowest position of the webhooks that wait for events.
pub async fn first_position(conn: &mut Conn) -> Result<Option<i64>> {
    conn.query_one(
        "SELECT MIN(position) FROM webhooks
         WHERE deleted_at IS NULL AND (active OR position < last_event)",
        &[],
        |row| row.get(0),
    )
    .await
}

/// The webhooks that wait for events, locked until the end of the transaction.
pub async fn lock_all(tx: &mut Tx) -> Result<Vec<Webhook>> {
    tx.lock(
        "SELECT 1 FROM webhooks WHERE deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE",
        &[],
    )
    .await?;
    let sql = select!("(active OR position < last_event) ORDER BY id");
    tx.query(sql, &[], webhook).await
}

/// Adds pending deliveries and returns their events. A replay may have queued some of them before.
pub async fn insert(tx: &mut Tx, webhook_id: i64, event_ids: &[i64], now: i64) -> Result<Vec<i64>> {
    if event_ids.is_empty() {
        return Ok(Vec::new());
    }
    tx.query(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made, created_at,
                                         attempts)
         SELECT $1, id, 'pending', 0, $2, '[]' FROM audit_log WHERE id = ANY($3)
         ON CONFLICT (webhook_id, event_id) DO NOTHING
         RETURNING event_id",
        params![webhook_id, now, event_ids],
        |row| row.get(0),
    )
    .await
}

pub async fn set_position(tx: &mut Tx, webhook_id: i64, position: i64) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET position = $2 WHERE id = $1",
        params![webhook_id, position],
    )
    .await?;
    Ok(())
}

/// The webhooks among these that are active and whose receivers want no pause.
pub async fn active(conn: &mut Conn, ids: &[i64], now: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM webhooks WHERE id = ANY($1) AND active AND deleted_at IS NULL
           AND COALESCE(paused_until, 0) <= $2",
        params![ids, now],
        |row| row.get(0),
    )
    .await
}

/// The deliveries of leased events, oldest first.
pub async fn claims(tx: &mut Tx, webhook_id: i64, event_ids: &[i64]) -> Result<Vec<Claim>> {
    tx.query(
        "SELECT event_id, attempts_made, attempts FROM webhook_deliveries
         WHERE webhook_id = $1 AND event_id = ANY($2) ORDER BY event_id",
        params![webhook_id, event_ids],
        |row| {
            let attempts: String = row.get(2)?;
            Ok(Claim {
                event_id: row.get(0)?,
                attempts_made: row.get(1)?,
                attempts: Attempts::from_stored(&attempts),
            })
        },
    )
    .await
}

/// Stores the outcome of a delivery.
pub async fn finish(tx: &mut Tx, webhook_id: i64, claim: &Claim, next: &Next) -> Result<()> {
    tx.execute(
        "UPDATE webhook_deliveries
         SET state = $3, attempts_made = $4, finished_at = $5, attempts = $6
         WHERE webhook_id = $1 AND event_id = $2",
        params![
            webhook_id,
            claim.event_id,
            next.state.as_str(),
            next.attempts_made,
            next.finished_at,
            &claim.attempts.to_stored(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn set_failures(
    tx: &mut Tx,
    webhook_id: i64,
    failing_since: Option<Timestamp>,
    paused_until: Option<i64>,
) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET failing_since = $2, paused_until = $3 WHERE id = $1",
        params![webhook_id, failing_since, paused_until],
    )
    .await?;
    Ok(())
}
