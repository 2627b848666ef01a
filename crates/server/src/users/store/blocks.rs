use db::{Result, Tx, params};

use crate::actor::Actor;
use crate::timestamp::Timestamp;
use crate::users::Block;

pub async fn insert(
    tx: &mut Tx,
    user_id: i64,
    block: &Block,
    by: &Actor,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO user_blocks (user_id, reason, until, blocked_at, key_id, key_name)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![
            user_id,
            &block.reason,
            block.until,
            now,
            by.key_id,
            &by.key_name,
        ],
    )
    .await?;
    Ok(())
}

/// A block that has run out ended then, not now.
pub async fn lift(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET lifted_at = CASE WHEN until < $2 THEN until ELSE $2 END
         WHERE user_id = $1 AND lifted_at IS NULL",
        params![user_id, now],
    )
    .await?;
    Ok(())
}
