use db::{Conn, Result, Tx, params};

use super::Erasure;
use kernel::types::Timestamp;

/// Records an erasure. Returns false if the user was erased before.
pub async fn insert(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<bool> {
    let inserted = tx
        .execute(
            "INSERT INTO user_erasures (user_id, erased_at, position, done)
             VALUES ($1, $2, 0, FALSE) ON CONFLICT DO NOTHING",
            params![user_id, now],
        )
        .await?;
    Ok(inserted > 0)
}

/// The next erased user whose personal data may remain in the audit log.
pub async fn next_pending(conn: &mut Conn, after: i64) -> Result<Option<i64>> {
    conn.query_opt(
        "SELECT user_id FROM user_erasures WHERE NOT done AND user_id > $1
         ORDER BY user_id LIMIT 1",
        params![after],
        |row| row.get(0),
    )
    .await
}

pub async fn lock_and_find(tx: &mut Tx, user_id: i64) -> Result<Option<Erasure>> {
    tx.lock(
        "SELECT 1 FROM user_erasures WHERE user_id = $1 FOR UPDATE",
        params![user_id],
    )
    .await?;
    tx.query_opt(
        "SELECT erased_at, position, done FROM user_erasures WHERE user_id = $1",
        params![user_id],
        |row| {
            Ok(Erasure {
                erased_at: Timestamp::from_unix(row.get(0)?),
                position: row.get(1)?,
                done: row.get(2)?,
            })
        },
    )
    .await
}

pub async fn advance(tx: &mut Tx, user_id: i64, position: i64, done: bool) -> Result<()> {
    tx.execute(
        "UPDATE user_erasures SET position = $2, done = $3 WHERE user_id = $1",
        params![user_id, position, done],
    )
    .await?;
    Ok(())
}
