use db::{Conn, Result, Row, Select, Tx, params};

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

/// A block that has run out ended then, even if nobody has lifted it since.
fn past_block(row: &Row<'_>, now: Timestamp) -> Result<PastBlock> {
    let moment = |index| Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix));
    let terms = Block {
        reason: row.get(1)?,
        until: moment(2)?,
    };
    let ran_out = terms.until.filter(|_| terms.is_over(now));
    Ok(PastBlock {
        id: row.get(0)?,
        blocked_at: Timestamp::from_unix(row.get(3)?),
        lifted_at: moment(4)?.or(ran_out),
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

/// A block that has run out ended then, not now.
pub async fn lift(tx: &mut Tx, user_ids: &[i64], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET lifted_at = CASE WHEN until < $2 THEN until ELSE $2 END
         WHERE user_id = ANY($1) AND lifted_at IS NULL",
        params![user_ids, now],
    )
    .await?;
    Ok(())
}

/// Users with a block that is over, though nobody has noted it.
pub async fn run_out(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT user_id FROM user_blocks WHERE lifted_at IS NULL AND until <= $1
         ORDER BY until LIMIT $2",
        params![now, limit],
        |row| row.get(0),
    )
    .await
}

/// Who was blocked anew meanwhile stays so.
pub async fn end_run_out(tx: &mut Tx, now: Timestamp, user_ids: &[i64]) -> Result<()> {
    tx.execute(
        "UPDATE users SET status = 'active' WHERE id = ANY($1) AND status = 'blocked'
           AND EXISTS (SELECT 1 FROM user_blocks b
                       WHERE b.user_id = users.id AND b.lifted_at IS NULL AND b.until <= $2)",
        params![user_ids, now],
    )
    .await?;
    tx.execute(
        "UPDATE user_blocks SET lifted_at = until
         WHERE user_id = ANY($1) AND lifted_at IS NULL AND until <= $2",
        params![user_ids, now],
    )
    .await?;
    Ok(())
}
