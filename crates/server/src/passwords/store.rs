//! Attempts to sign in that count: for each subject the seconds they were made in, packed.

use db::{Db, Result, Tx, params};

use kernel::types::Timestamp;

/// Locks the row of the subject, which is added if there is none, and returns its attempts.
pub async fn lock_and_read(tx: &mut Tx, subject: &[u8; 32], now: Timestamp) -> Result<Vec<u8>> {
    tx.query_one(
        "INSERT INTO sign_in_attempts (subject, latest, attempts) VALUES ($1, $2, $3)
         ON CONFLICT (subject) DO UPDATE SET latest = excluded.latest RETURNING attempts",
        params![subject, now, &[0_u8; 0]],
        |row| row.get(0),
    )
    .await
}

pub async fn write(tx: &mut Tx, subject: &[u8; 32], attempts: &[u8]) -> Result<()> {
    tx.execute(
        "UPDATE sign_in_attempts SET attempts = $2 WHERE subject = $1",
        params![subject, attempts],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, subject: &[u8; 32]) -> Result<()> {
    tx.execute(
        "DELETE FROM sign_in_attempts WHERE subject = $1",
        params![subject],
    )
    .await?;
    Ok(())
}

pub async fn delete_before(db: &Db, expired: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_attempts WHERE subject IN
            (SELECT subject FROM sign_in_attempts WHERE latest <= $1 ORDER BY latest LIMIT $2)",
        params![expired],
        size,
    )
    .await
}
