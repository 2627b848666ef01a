use db::{Result, Tx, params};

use super::Token;
use crate::timestamp::Timestamp;

/// Whether the value was free, or had expired.
pub async fn claim(tx: &mut Tx, token: &Token, now: Timestamp, expired: Timestamp) -> Result<bool> {
    let claimed = tx
        .execute(
            "INSERT INTO idempotent_replies (key_id, value, fingerprint, reply, created_at)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (key_id, value) DO UPDATE
             SET fingerprint = excluded.fingerprint, reply = excluded.reply,
                 created_at = excluded.created_at
             WHERE idempotent_replies.created_at <= $6",
            params![
                token.key_id,
                &token.value,
                &token.fingerprint,
                &[0_u8; 0],
                now,
                expired
            ],
        )
        .await?;
    Ok(claimed == 1)
}

pub async fn find(tx: &mut Tx, token: &Token) -> Result<(Vec<u8>, Vec<u8>)> {
    tx.query_one(
        "SELECT fingerprint, reply FROM idempotent_replies WHERE key_id = $1 AND value = $2",
        params![token.key_id, &token.value],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

pub async fn keep(tx: &mut Tx, token: &Token, sealed: &[u8]) -> Result<()> {
    tx.execute(
        "UPDATE idempotent_replies SET reply = $3 WHERE key_id = $1 AND value = $2",
        params![token.key_id, &token.value, sealed],
    )
    .await?;
    Ok(())
}

pub async fn delete_before(tx: &mut Tx, expired: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM idempotent_replies WHERE (key_id, value) IN
            (SELECT key_id, value FROM idempotent_replies
             WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        params![expired, limit],
    )
    .await
}
