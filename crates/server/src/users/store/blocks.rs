use db::{Conn, Result, Row, Select, Tx, params};

use super::has_expired_block;
use crate::users::Block;
use crate::users::blocks::PastBlock;
use kernel::auth::Actor;
use kernel::list::Window;
use kernel::types::Timestamp;

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    user_id: i64,
    window: Window,
) -> Result<Vec<PastBlock>> {
    let select =
        "SELECT id, reason, until, blocked_at, lifted_at, key_id, key_name FROM user_blocks";
    let (sql, params) = Select::new(select)
        .and("user_id = ", Some(user_id))
        .and("id < ", window.after_id())
        .push(" ORDER BY id DESC LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    conn.query(sql, &params, |row| past_block(row, now)).await
}

/// A block that was not lifted ended when it expired.
fn past_block(row: &Row<'_>, now: Timestamp) -> Result<PastBlock> {
    let moment = |index| Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix));
    let terms = Block {
        reason: row.get(1)?,
        until: moment(2)?,
    };
    let expired_at = terms.until.filter(|_| terms.has_expired(now));
    Ok(PastBlock {
        id: row.get(0)?,
        blocked_at: Timestamp::from_unix(row.get(3)?),
        lifted_at: moment(4)?.or(expired_at),
        key_id: row.get(5)?,
        key_name: row.get(6)?,
        terms,
    })
}

pub async fn count(conn: &mut Conn, user_id: i64) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM user_blocks WHERE user_id = $1",
        params![user_id],
        |row| row.get(0),
    )
    .await
}

pub async fn insert(
    tx: &mut Tx,
    user_ids: &[i64],
    block: &Block,
    by: &Actor,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO user_blocks (user_id, reason, until, blocked_at, key_id, key_name)
         SELECT id, $2, $3, $4, $5, $6 FROM users WHERE id = ANY($1) ORDER BY id",
        params![
            user_ids,
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

/// A block that has expired ended then, not now.
pub async fn lift(tx: &mut Tx, user_ids: &[i64], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET lifted_at = CASE WHEN until < $2 THEN until ELSE $2 END
         WHERE user_id = ANY($1) AND lifted_at IS NULL",
        params![user_ids, now],
    )
    .await?;
    Ok(())
}

/// Users whose block has expired, in the order of expiry.
pub async fn expired(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        concat!(
            "SELECT u.id FROM users u WHERE ",
            has_expired_block!(),
            "$1 ORDER BY u.blocked_until LIMIT $2"
        ),
        params![now, limit],
        |row| row.get(0),
    )
    .await
}

/// Leaves alone a user who was blocked again in the meantime.
pub async fn clear_expired(tx: &mut Tx, now: Timestamp, user_ids: &[i64]) -> Result<()> {
    tx.execute(
        concat!(
            "UPDATE users AS u SET status = 'active', blocked_until = NULL
             WHERE u.id = ANY($1) AND ",
            has_expired_block!(),
            "$2"
        ),
        params![user_ids, now],
    )
    .await?;
    Ok(())
}

pub async fn mask_reasons(tx: &mut Tx, user_id: i64, mask: &str) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET reason = $2 WHERE user_id = $1 AND reason <> ''",
        params![user_id, mask],
    )
    .await?;
    Ok(())
}
