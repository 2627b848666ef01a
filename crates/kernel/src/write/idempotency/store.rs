//! The table of stored replies.

use db::{Db, Result, Tx, params};

use super::Token;
use crate::types::Timestamp;

/// Claims the value. Returns whether it was unused or expired.
pub async fn claim(tx: &mut Tx, token: &Token, now: Timestamp, expired: Timestamp) -> Result<bool> {
    let claimed = tx
        .execute(
            "INSERT INTO idempotent_replies (key_id, value, reply, created_at)
             VALUES ($1, $2, $3, $4)
             ON CONFLICT (key_id, value) DO UPDATE
             SET reply = excluded.reply, secret_reply = NULL, created_at = excluded.created_at
             WHERE idempotent_replies.created_at <= $5",
            params![token.key_id, &token.value, &[0_u8; 0], now, expired],
        )
        .await?;
    Ok(claimed == 1)
}

/// The reply, and the part of it that reveals a secret.
pub async fn find(tx: &mut Tx, token: &Token) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
    tx.query_one(
        "SELECT reply, secret_reply FROM idempotent_replies WHERE key_id = $1 AND value = $2",
        params![token.key_id, &token.value],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// Key, value, reply, and the part of the reply that reveals a secret.
type Stored = (i64, String, Vec<u8>, Option<Vec<u8>>);

/// Replies in the order of key and value, after `last`.
pub async fn replies_after(tx: &mut Tx, last: &(i64, String), limit: i64) -> Result<Vec<Stored>> {
    tx.query(
        "SELECT key_id, value, reply, secret_reply FROM idempotent_replies
         WHERE (key_id, value) > ($1, $2) ORDER BY key_id, value LIMIT $3",
        params![last.0, &last.1, limit],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )
    .await
}

pub async fn keep(
    tx: &mut Tx,
    key_id: i64,
    value: &str,
    sealed: &[u8],
    secret: Option<&[u8]>,
) -> Result<()> {
    tx.execute(
        "UPDATE idempotent_replies SET reply = $3, secret_reply = $4
         WHERE key_id = $1 AND value = $2",
        params![key_id, value, sealed, secret],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, token: &Token) -> Result<()> {
    tx.execute(
        "DELETE FROM idempotent_replies WHERE key_id = $1 AND value = $2",
        params![token.key_id, &token.value],
    )
    .await?;
    Ok(())
}

pub async fn delete_all(tx: &mut Tx) -> Result<u64> {
    tx.execute("DELETE FROM idempotent_replies", &[]).await
}

pub async fn delete_before(db: &Db, expired: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM idempotent_replies WHERE (key_id, value) IN
            (SELECT key_id, value FROM idempotent_replies
             WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        params![expired],
        size,
    )
    .await
}
