use db::{Db, Result, Tx, params};

use kernel::types::Timestamp;

/// Wrong codes in a row.
pub struct Counted {
    pub codes: i64,
    pub latest: Timestamp,
}

/// Locks the row of a count, adding it if missing, and returns the count.
pub async fn lock_and_read(
    tx: &mut Tx,
    user_id: i64,
    source: &[u8],
    now: Timestamp,
) -> Result<Counted> {
    tx.query_one(
        "INSERT INTO wrong_codes (user_id, source, codes, latest) VALUES ($1, $2, 0, $3)
         ON CONFLICT (user_id, source) DO UPDATE SET source = excluded.source
         RETURNING codes, latest",
        params![user_id, source, now],
        |row| {
            Ok(Counted {
                codes: row.get(0)?,
                latest: Timestamp::from_unix(row.get(1)?),
            })
        },
    )
    .await
}

pub async fn count(tx: &mut Tx, user_id: i64, source: &[u8], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE wrong_codes SET codes = codes + 1, latest = $3
         WHERE user_id = $1 AND source = $2",
        params![user_id, source, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, user_id: i64, source: &[u8]) -> Result<()> {
    tx.execute(
        "DELETE FROM wrong_codes WHERE user_id = $1 AND source = $2",
        params![user_id, source],
    )
    .await?;
    Ok(())
}

/// Deletes the counts of browsers and sessions that were last used before this time.
pub async fn delete_before(db: &Db, before: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM wrong_codes WHERE (user_id, source) IN
            (SELECT user_id, source FROM wrong_codes
             WHERE latest <= $1 AND length(source) > 0 LIMIT $2)",
        params![before],
        size,
    )
    .await
}
