//! SQL of the deliveries that operators see.

use db::{Conn, Db, Result, Row, Select, Tx, params};

use crate::webhooks::deliveries::{Attempts, Delivery, State};
use kernel::types::Timestamp;

/// The events of the deliveries in one state before an event, newest first, each with the size of
/// its attempts.
pub async fn sizes(
    conn: &mut Conn,
    webhook_id: i64,
    state: State,
    before: i64,
    limit: i64,
) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "SELECT event_id, CAST(octet_length(attempts) AS BIGINT) FROM webhook_deliveries
         WHERE webhook_id = $1 AND state = $2 AND event_id < $3
         ORDER BY event_id DESC LIMIT $4",
        params![webhook_id, state.as_str(), before, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// The deliveries of these events, newest first.
pub async fn by_ids(conn: &mut Conn, webhook_id: i64, event_ids: &[i64]) -> Result<Vec<Delivery>> {
    conn.query(
        "SELECT d.event_id, l.action, d.state, d.next_attempt_at, d.created_at, d.attempts
         FROM webhook_deliveries d LEFT JOIN audit_log l ON l.id = d.event_id
         WHERE d.webhook_id = $1 AND d.event_id = ANY($2) ORDER BY d.event_id DESC",
        params![webhook_id, event_ids],
        delivery,
    )
    .await
}

fn delivery(row: &Row<'_>) -> Result<Delivery> {
    let state: String = row.get(2)?;
    let attempts: String = row.get(5)?;
    Ok(Delivery {
        event_id: row.get(0)?,
        action: row.get(1)?,
        state: State::from_stored(&state).unwrap_or(State::Failed),
        next_attempt_at: row.get(3)?,
        created_at: Timestamp::from_unix(row.get(4)?),
        attempts: Attempts::from_stored(&attempts),
    })
}

/// Counts no further than `limit`.
pub async fn count(
    conn: &mut Conn,
    webhook_id: i64,
    state: Option<State>,
    limit: i64,
) -> Result<i64> {
    let (sql, params) = Select::new("SELECT COUNT(*) FROM (SELECT 1 FROM webhook_deliveries")
        .and("webhook_id = ", Some(webhook_id))
        .and("state = ", state.map(State::as_str))
        .push(" LIMIT ", limit)
        .end_where(") AS counted")
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

pub async fn lock(tx: &mut Tx, webhook_id: i64, event_id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = $2 FOR UPDATE",
        params![webhook_id, event_id],
    )
    .await
}

/// Makes a delivery due now, unless it is being sent. Returns false if there is none.
pub async fn requeue_one(tx: &mut Tx, webhook_id: i64, event_id: i64, now: i64) -> Result<bool> {
    let updated = tx
        .execute(
            "UPDATE webhook_deliveries
             SET state = 'pending', attempts_made = 0, finished_at = NULL,
                 next_attempt_at = CASE WHEN leased_until > $3 THEN next_attempt_at ELSE $3 END
             WHERE webhook_id = $1 AND event_id = $2",
            params![webhook_id, event_id, now],
        )
        .await?;
    Ok(updated > 0)
}

/// Makes the events due now, those included that were never queued. Returns how many were not
/// pending already.
pub async fn requeue(tx: &mut Tx, webhook_id: i64, event_ids: &[i64], now: i64) -> Result<u64> {
    tx.execute(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made,
                                         next_attempt_at, leased_until, created_at, attempts)
         SELECT $1, id, 'pending', 0, $2, 0, $3, '[]' FROM audit_log WHERE id = ANY($4)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET state = 'pending', attempts_made = 0, finished_at = NULL,
             next_attempt_at = excluded.next_attempt_at
         WHERE webhook_deliveries.state <> 'pending'",
        params![webhook_id, now, now / 1000, event_ids],
    )
    .await
}

pub async fn delete_finished(db: &Db, before: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN
             (SELECT webhook_id, event_id FROM webhook_deliveries
              WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)",
        params![before],
        size,
    )
    .await
}

/// Deletes the attempts of all deliveries of an event. One that is being sent loses its lease, so
/// that its outcome is not stored, and is sent again.
pub async fn delete_attempts(tx: &mut Tx, event_id: i64) -> Result<()> {
    tx.execute(
        "UPDATE webhook_deliveries SET attempts = '[]', leased_until = 0 FROM webhooks
         WHERE webhook_deliveries.webhook_id = webhooks.id AND event_id = $1",
        params![event_id],
    )
    .await?;
    Ok(())
}

/// Deletes the deliveries of deleted webhooks.
pub async fn delete_orphans(db: &Db, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN
             (SELECT d.webhook_id, d.event_id
              FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
              WHERE w.deleted_at IS NOT NULL LIMIT $1)",
        &[],
        size,
    )
    .await
}
