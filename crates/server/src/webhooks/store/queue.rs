//! SQL of queueing and sending.
//!
//! Times of the schedule (`next_attempt_at`, `leased_until`) are in milliseconds.

use db::{Conn, Result, Select, Tx, params};

use crate::webhooks::Patterns;
use crate::webhooks::deliveries::Attempts;
use crate::webhooks::outcome::Next;
use crate::webhooks::sender::Claim;
use kernel::types::Timestamp;

/// A webhook as far as queueing needs it.
pub struct Queued {
    pub id: i64,
    pub events: Patterns,
    pub position: i64,
    pub last_event: Option<i64>,
}

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
pub async fn lock_all(tx: &mut Tx) -> Result<Vec<Queued>> {
    tx.lock(
        "SELECT 1 FROM webhooks WHERE deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE",
        &[],
    )
    .await?;
    tx.query(
        "SELECT id, events, position, last_event FROM webhooks
         WHERE deleted_at IS NULL AND (active OR position < last_event) ORDER BY id",
        &[],
        |row| {
            let events: String = row.get(1)?;
            Ok(Queued {
                id: row.get(0)?,
                events: Patterns::from_stored(&events),
                position: row.get(2)?,
                last_event: row.get(3)?,
            })
        },
    )
    .await
}

/// Adds deliveries that are due now. A replay may have queued some of the events before.
pub async fn insert(tx: &mut Tx, webhook_id: i64, event_ids: &[i64], now: i64) -> Result<()> {
    if event_ids.is_empty() {
        return Ok(());
    }
    tx.execute(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made,
                                         next_attempt_at, leased_until, created_at, attempts)
         SELECT $1, id, 'pending', 0, $2, 0, $3, '[]' FROM audit_log WHERE id = ANY($4)
         ON CONFLICT (webhook_id, event_id) DO NOTHING",
        params![webhook_id, now, now / 1000, event_ids],
    )
    .await?;
    Ok(())
}

pub async fn set_position(tx: &mut Tx, webhook_id: i64, position: i64) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET position = $2 WHERE id = $1",
        params![webhook_id, position],
    )
    .await?;
    Ok(())
}

/// The active webhooks that something is due for.
pub async fn due_webhooks(conn: &mut Conn, now: i64) -> Result<Vec<i64>> {
    let (sql, params) = Select::new("SELECT id FROM webhooks")
        .and_raw("active AND deleted_at IS NULL")
        // Not EXISTS; see `has_due`.
        .and(
            "(SELECT next_attempt_at FROM webhook_deliveries
              WHERE webhook_id = webhooks.id AND next_attempt_at IS NOT NULL
              ORDER BY next_attempt_at, event_id LIMIT 1) <= ",
            Some(now),
        )
        .order_by(&["id"], false, None)
        .build();
    conn.query(sql, &params, |row| row.get(0)).await
}

/// Takes the first in the order of the index. For EXISTS, PostgreSQL prefers to scan the table where
/// most deliveries are due, even if they are those of another webhook.
pub async fn has_due(conn: &mut Conn, webhook_id: i64, now: i64) -> Result<bool> {
    let (sql, params) = Select::new("SELECT event_id FROM webhook_deliveries")
        .and("webhook_id = ", Some(webhook_id))
        .and("next_attempt_at <= ", Some(now))
        .order_by(&["next_attempt_at", "event_id"], false, None)
        .push(" LIMIT ", 1)
        .build();
    let first: Option<i64> = conn.query_opt(sql, &params, |row| row.get(0)).await?;
    Ok(first.is_some())
}

/// Leases deliveries that are due, the longest overdue first. Rows that another instance is leasing
/// at the same time are skipped.
pub async fn claim(
    tx: &mut Tx,
    webhook_id: i64,
    now: i64,
    until: i64,
    limit: i64,
) -> Result<Vec<Claim>> {
    tx.query(
        "WITH due AS MATERIALIZED (
             SELECT event_id FROM webhook_deliveries
             WHERE webhook_id = $1 AND next_attempt_at <= $2
             ORDER BY next_attempt_at, event_id LIMIT $4 FOR UPDATE SKIP LOCKED)
         UPDATE webhook_deliveries SET next_attempt_at = $3, leased_until = $3 FROM due
         WHERE webhook_deliveries.webhook_id = $1 AND webhook_deliveries.event_id = due.event_id
         RETURNING webhook_deliveries.event_id, webhook_deliveries.attempts_made,
                   webhook_deliveries.attempts",
        params![webhook_id, now, until, limit],
        |row| {
            let attempts: String = row.get(2)?;
            Ok(Claim {
                event_id: row.get(0)?,
                attempts_made: row.get(1)?,
                attempts: Attempts::from_stored(&attempts),
                lease: until,
            })
        },
    )
    .await
}

/// Stores what came of a delivery, unless its lease has expired and another instance has it.
pub async fn finish(tx: &mut Tx, webhook_id: i64, claim: &Claim, next: &Next) -> Result<()> {
    tx.execute(
        "UPDATE webhook_deliveries
         SET state = $4, attempts_made = $5, next_attempt_at = $6, leased_until = 0,
             finished_at = $7, attempts = $8
         WHERE webhook_id = $1 AND event_id = $2 AND leased_until = $3",
        params![
            webhook_id,
            claim.event_id,
            claim.lease,
            next.state.as_str(),
            next.attempts_made,
            next.next_attempt_at,
            next.finished_at,
            &claim.attempts.to_stored(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn set_failing_since(
    tx: &mut Tx,
    webhook_id: i64,
    since: Option<Timestamp>,
) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET failing_since = $2 WHERE id = $1",
        params![webhook_id, since],
    )
    .await?;
    Ok(())
}
