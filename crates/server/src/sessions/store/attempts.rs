use db::{Conn, Db, Result, Tx, params};

use kernel::types::Timestamp;

/// Counts an attempt unless five count already. One statement, so that concurrent attempts cannot
/// exceed the limit.
pub async fn claim(
    tx: &mut Tx,
    subject: &[u8; 32],
    now: Timestamp,
    expired: Timestamp,
) -> Result<bool> {
    let claimed = tx
        .execute(
            "INSERT INTO sign_in_tries AS t (subject, latest, second, third, fourth, fifth)
             VALUES ($1, $2, $3, $3, $3, $3)
             ON CONFLICT (subject) DO UPDATE
             SET latest = excluded.latest, second = t.latest, third = t.second, fourth = t.third,
                 fifth = t.fourth
             WHERE t.fifth <= $3",
            params![subject, now, expired],
        )
        .await?;
    Ok(claimed == 1)
}

/// When the oldest of the five attempts was made.
pub async fn fifth(conn: &mut Conn, subject: &[u8; 32]) -> Result<Option<Timestamp>> {
    conn.query_opt(
        "SELECT fifth FROM sign_in_tries WHERE subject = $1",
        params![subject],
        |row| Ok(Timestamp::from_unix(row.get(0)?)),
    )
    .await
}

pub async fn delete(tx: &mut Tx, subject: &[u8; 32]) -> Result<()> {
    tx.execute(
        "DELETE FROM sign_in_tries WHERE subject = $1",
        params![subject],
    )
    .await?;
    Ok(())
}

pub async fn delete_before(db: &Db, expired: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_tries WHERE subject IN
            (SELECT subject FROM sign_in_tries WHERE latest <= $1 ORDER BY latest LIMIT $2)",
        params![expired],
        size,
    )
    .await
}
