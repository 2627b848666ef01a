//! SQL of the queue. All times are in milliseconds.

use db::{Conn, Db, Result, Select, Tx, params};

use super::LineOrder;

/// Adds items that are not queued yet.
pub async fn insert(tx: &mut Tx, kind: &str, line: i64, items: &[i64], at: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO queue (kind, line, item, next_attempt_at, leased_until)
         SELECT $1, $2, value.value, $4, 0 FROM unnest($3::bigint[]) value WHERE TRUE
         ON CONFLICT (kind, line, item) DO NOTHING",
        params![kind, line, items, at],
    )
    .await?;
    Ok(())
}

/// Adds an item, or changes when it is due unless it is leased until after that.
pub async fn upsert(tx: &mut Tx, kind: &str, line: i64, item: i64, at: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO queue (kind, line, item, next_attempt_at, leased_until)
         VALUES ($1, $2, $3, $4, 0)
         ON CONFLICT (kind, line, item) DO UPDATE
         SET next_attempt_at = excluded.next_attempt_at
         WHERE queue.leased_until <= excluded.next_attempt_at",
        params![kind, line, item, at],
    )
    .await?;
    Ok(())
}

/// The same for many items. They are locked in the order given.
pub async fn upsert_all(tx: &mut Tx, kind: &str, line: i64, items: &[i64], at: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO queue (kind, line, item, next_attempt_at, leased_until)
         SELECT $1, $2, value.value, $4, 0 FROM unnest($3::bigint[]) value WHERE TRUE
         ON CONFLICT (kind, line, item) DO UPDATE
         SET next_attempt_at = excluded.next_attempt_at
         WHERE queue.leased_until <= excluded.next_attempt_at",
        params![kind, line, items, at],
    )
    .await?;
    Ok(())
}

/// The lines whose next item is due. Jumps from line to line in the index: a line may have very many
/// items.
pub async fn due_lines(
    conn: &mut Conn,
    kind: &str,
    order: LineOrder,
    now: i64,
) -> Result<Vec<i64>> {
    macro_rules! due_lines {
        ($order:literal) => {
            concat!(
                "WITH RECURSIVE lines (line) AS (
                     SELECT MIN(line) FROM queue WHERE kind = $1
                     UNION ALL
                     SELECT (SELECT MIN(line) FROM queue WHERE kind = $1 AND line > lines.line)
                     FROM lines WHERE lines.line IS NOT NULL)
                 SELECT line FROM lines WHERE line IS NOT NULL
                   AND (SELECT next_attempt_at FROM queue q
                        WHERE q.kind = $1 AND q.line = lines.line
                        ORDER BY ",
                $order,
                " LIMIT 1) <= $2"
            )
        };
    }
    let sql = match order {
        LineOrder::ByTime => due_lines!("next_attempt_at, item"),
        LineOrder::OneByOne => due_lines!("item"),
    };
    conn.query(sql, params![kind, now], |row| row.get(0)).await
}

/// The next item of a line, if it is due. Takes the first one in index order: for EXISTS,
/// PostgreSQL scans the table if most items are due, even if they are another line's.
pub async fn next_due(
    conn: &mut Conn,
    kind: &str,
    line: i64,
    order: LineOrder,
    now: i64,
) -> Result<Option<i64>> {
    let order: &[&str] = match order {
        LineOrder::ByTime => &["next_attempt_at", "item"],
        LineOrder::OneByOne => &["item"],
    };
    let (sql, params) = Select::new("SELECT item, next_attempt_at FROM queue")
        .and("kind = ", Some(kind))
        .and("line = ", Some(line))
        .order_by(order, false, None)
        .push(" LIMIT ", 1)
        .build();
    let first: Option<(i64, i64)> = conn
        .query_opt(sql, &params, |row| Ok((row.get(0)?, row.get(1)?)))
        .await?;
    let due = first.filter(|(_, next_attempt_at)| *next_attempt_at <= now);
    Ok(due.map(|(item, _)| item))
}

/// Leases due items, the longest overdue first. Rows that another instance is leasing concurrently
/// are skipped.
pub async fn lease(
    tx: &mut Tx,
    kind: &str,
    line: i64,
    now: i64,
    until: i64,
    limit: i64,
) -> Result<Vec<i64>> {
    tx.query(
        "WITH due AS MATERIALIZED (
             SELECT item FROM queue WHERE kind = $1 AND line = $2 AND next_attempt_at <= $3
             ORDER BY next_attempt_at, item LIMIT $5 FOR UPDATE SKIP LOCKED)
         UPDATE queue SET next_attempt_at = $4, leased_until = $4 FROM due
         WHERE queue.kind = $1 AND queue.line = $2 AND queue.item = due.item
         RETURNING queue.item",
        params![kind, line, now, until, limit],
        |row| row.get(0),
    )
    .await
}

/// Leases the first item of a line if it is due. While it is leased it is not due, so no item of
/// the line is.
pub async fn lease_first(
    tx: &mut Tx,
    kind: &str,
    line: i64,
    now: i64,
    until: i64,
) -> Result<Vec<i64>> {
    tx.lock(
        "SELECT 1 FROM queue WHERE kind = $1 AND line = $2 ORDER BY item LIMIT 1 FOR UPDATE",
        params![kind, line],
    )
    .await?;
    tx.query(
        "UPDATE queue SET next_attempt_at = $4, leased_until = $4
         WHERE kind = $1 AND line = $2 AND next_attempt_at <= $3
           AND item = (SELECT MIN(item) FROM queue WHERE kind = $1 AND line = $2)
         RETURNING item",
        params![kind, line, now, until],
        |row| row.get(0),
    )
    .await
}

/// Ends the leases that are still held, and returns their items.
pub async fn release(
    tx: &mut Tx,
    kind: &str,
    line: i64,
    items: &[i64],
    lease: i64,
    now: i64,
) -> Result<Vec<i64>> {
    tx.query(
        "UPDATE queue SET next_attempt_at = $5, leased_until = 0
         WHERE kind = $1 AND line = $2 AND item = ANY($3) AND leased_until = $4
         RETURNING item",
        params![kind, line, items, lease, now],
        |row| row.get(0),
    )
    .await
}

pub async fn revoke_leases(tx: &mut Tx, kind: &str, lines: &[i64], item: i64) -> Result<()> {
    tx.execute(
        "UPDATE queue SET leased_until = 0 WHERE kind = $1 AND line = ANY($2) AND item = $3",
        params![kind, lines, item],
    )
    .await?;
    Ok(())
}

pub async fn wake(tx: &mut Tx, kind: &str, lines: &[i64], now: i64) -> Result<()> {
    tx.execute(
        "UPDATE queue SET next_attempt_at = $3
         WHERE kind = $1 AND line = ANY($2) AND next_attempt_at > $3 AND leased_until <= $3",
        params![kind, lines, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, kind: &str, line: i64, items: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM queue WHERE kind = $1 AND line = $2 AND item = ANY($3)",
        params![kind, line, items],
    )
    .await?;
    Ok(())
}

pub async fn clear_line(tx: &mut Tx, kind: &str, line: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM queue WHERE kind = $1 AND line = $2",
        params![kind, line],
    )
    .await?;
    Ok(())
}

pub async fn delete_line(db: &Db, kind: &str, line: i64, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM queue WHERE (kind, line, item) IN
             (SELECT kind, line, item FROM queue WHERE kind = $1 AND line = $2 LIMIT $3)",
        params![kind, line],
        size,
    )
    .await
}
