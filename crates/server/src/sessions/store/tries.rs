use db::{Conn, Db, Result, Tx, params};

use kernel::types::Timestamp;

/// Counts a try unless five count already, in one statement, so that no two take the same place.
pub async fn claim(
    tx: &mut Tx,
    subject: &[u8; 32],
    now: Timestamp,
    past: Timestamp,
) -> Result<bool> {
    let claimed = tx
        .execute(
            "INSERT INTO sign_in_tries AS t (subject, latest, second, third, fourth, fifth)
             VALUES ($1, $2, $3, $3, $3, $3)
             ON CONFLICT (subject) DO UPDATE
             SET latest = excluded.latest, second = t.latest, third = t.second, fourth = t.third,
                 fifth = t.fourth
             WHERE t.fifth <= $3",
            params![subject, now, past],
        )
        .await?;
    Ok(claimed == 1)
}

/// The oldest of the five that count.
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

pub async fn delete_before(db: &Db, past: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_tries WHERE subject IN
            (SELECT subject FROM sign_in_tries WHERE latest <= $1 ORDER BY latest LIMIT $2)",
        params![past],
        size,
    )
    .await
}
