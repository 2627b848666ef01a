use db::{Conn, Result, Tx, params};

use crate::users::blocks::BlockedUntil;
use kernel::types::Timestamp;

/// Pairs of a user and one of these roles. Expired roles have been ended.
pub async fn roles(conn: &mut Conn, ids: &[i64], role_ids: &[i64]) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "SELECT user_id, role_id FROM user_roles WHERE user_id = ANY($1) AND role_id = ANY($2)",
        params![ids, role_ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

pub async fn set_status(
    tx: &mut Tx,
    ids: &[i64],
    status: &str,
    blocked_until: Option<BlockedUntil>,
) -> Result<()> {
    tx.execute(
        "UPDATE users SET status = $2, blocked_until = $3 WHERE id = ANY($1)",
        params![ids, status, blocked_until],
    )
    .await?;
    Ok(())
}

pub async fn set_updated(tx: &mut Tx, ids: &[i64], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE users SET updated_at = $2 WHERE id = ANY($1)",
        params![ids, now],
    )
    .await?;
    Ok(())
}
