//! SQL of the deliveries that operators see.

use db::{Conn, Db, Result, Row, Select, Tx, params};

use crate::webhooks::deliveries::{Attempts, Delivery, State};
use kernel::types::Timestamp;

/// The events of the deliveries in one state before an event, newest first, with the sizes of their
/// attempts.
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
        "SELECT d.event_id, l.action, d.state, q.next_attempt_at, d.created_at, d.attempts
         FROM webhook_deliveries d LEFT JOIN audit_log l ON l.id = d.event_id
         LEFT JOIN queue q ON q.kind = 'webhooks' AND q.line = d.webhook_id AND q.item = d.event_id
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

/// Counts the deliveries, up to `limit`.
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

/// Makes a delivery pending. Returns false if there is none.
pub async fn restart(tx: &mut Tx, webhook_id: i64, event_id: i64) -> Result<bool> {
    let updated = tx
        .execute(
            "UPDATE webhook_deliveries
             SET state = 'pending', attempts_made = 0, finished_at = NULL
             WHERE webhook_id = $1 AND event_id = $2",
            params![webhook_id, event_id],
        )
        .await?;
    Ok(updated > 0)
}

/// Makes the deliveries of events pending, including those of events that were never queued.
/// Returns the events that were not pending already.
pub async fn restart_all(
    tx: &mut Tx,
    webhook_id: i64,
    event_ids: &[i64],
    now: i64,
) -> Result<Vec<i64>> {
    tx.query(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made, created_at,
                                         attempts)
         SELECT $1, id, 'pending', 0, $2, '[]' FROM audit_log WHERE id = ANY($3)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET state = 'pending', attempts_made = 0, finished_at = NULL
         WHERE webhook_deliveries.state <> 'pending'
         RETURNING event_id",
        params![webhook_id, now, event_ids],
        |row| row.get(0),
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

pub async fn forget_attempts(tx: &mut Tx, webhook_ids: &[i64], event_id: i64) -> Result<()> {
    tx.execute(
        "UPDATE webhook_deliveries SET attempts = '[]'
         WHERE webhook_id = ANY($1) AND event_id = $2",
        params![webhook_ids, event_id],
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
