use db::{Conn, Result, Row, Select, Tx, params};

use super::{Block, PastBlock};
use crate::users::store::has_expired_block;
use kernel::list::Window;
use kernel::types::Timestamp;
use platform::audit::events::StoredActor;

/// All blocks of a user, newest first.
pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    user_id: i64,
    window: Window,
) -> Result<Vec<PastBlock>> {
    let select = "SELECT id, reason, until, blocked_at, lifted_at, by_key, by_user, by_name FROM user_blocks";
    let (sql, params) = Select::new(select)
        .and("user_id = ", Some(user_id))
        .and("id < ", window.after_id())
        .push(" ORDER BY id DESC LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    conn.query(sql, &params, |row| past_block(row, now)).await
}

/// A past block. One that was not lifted ended when it expired.
fn past_block(row: &Row<'_>, now: Timestamp) -> Result<PastBlock> {
    let moment = |index| Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix));
    let terms = Block {
        reason: row.get(1)?,
        until: moment(2)?,
    };
    let expired_at = terms.until.filter(|_| terms.has_expired(now));
    Ok(PastBlock {
        id: row.get(0)?,
        at: Timestamp::from_unix(row.get(3)?),
        lifted_at: moment(4)?.or(expired_at),
        by: blocked_by(row, 5)?,
        terms,
    })
}

/// The columns `by_key`, at `index`, `by_user` and `by_name`.
pub fn blocked_by(row: &Row<'_>, index: usize) -> Result<StoredActor> {
    Ok(StoredActor {
        key_id: row.get(index)?,
        user_id: row.get(index + 1)?,
        name: row.get(index + 2)?,
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
    by: &StoredActor,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO user_blocks (user_id, reason, until, blocked_at, by_key, by_user, by_name)
         SELECT id, $2, $3, $4, $5, $6, $7 FROM users WHERE id = ANY($1) ORDER BY id",
        params![
            user_ids,
            &block.reason,
            block.until,
            now,
            by.key_id,
            by.user_id,
            &by.name,
        ],
    )
    .await?;
    Ok(())
}

/// Lifts blocks. An expired block ended at its expiry, not now.
pub async fn lift(tx: &mut Tx, user_ids: &[i64], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET lifted_at = CASE WHEN until < $2 THEN until ELSE $2 END
         WHERE user_id = ANY($1) AND lifted_at IS NULL",
        params![user_ids, now],
    )
    .await?;
    Ok(())
}

/// Users whose block has expired, ordered by expiry.
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

/// Clears expired blocks, except those of users who were blocked again in the meantime.
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

/// Masks the reasons of a user's blocks, and their name in the blocks of others.
pub async fn mask_person(tx: &mut Tx, user_id: i64, mask: &str) -> Result<()> {
    for sql in [
        "UPDATE user_blocks SET reason = $2 WHERE user_id = $1 AND reason <> ''",
        "UPDATE user_blocks SET by_name = $2 WHERE by_user = $1",
    ] {
        tx.execute(sql, params![user_id, mask]).await?;
    }
    Ok(())
}
