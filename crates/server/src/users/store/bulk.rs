use db::{Conn, Result, Tx, params};

use super::{select_users, user};
use crate::users::User;
use crate::users::blocks::BlockedUntil;
use kernel::types::Timestamp;

/// In the order of their ids, so that two transactions cannot deadlock.
pub async fn lock(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM users WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        params![ids],
    )
    .await
}

pub async fn find(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<Vec<User>> {
    conn.query(select_users!("WHERE u.id = ANY($1)"), params![ids], |row| {
        user(row, now)
    })
    .await
}

/// Pairs of a user and one of these roles.
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

pub async fn add_roles(tx: &mut Tx, ids: &[i64], role_ids: &[i64]) -> Result<()> {
    tx.execute(
        "INSERT INTO user_roles (user_id, role_id)
         SELECT u.id, r.id FROM users u CROSS JOIN roles r
         WHERE u.id = ANY($1) AND r.id = ANY($2)
         ON CONFLICT (user_id, role_id) DO NOTHING",
        params![ids, role_ids],
    )
    .await?;
    Ok(())
}

pub async fn remove_roles(tx: &mut Tx, ids: &[i64], role_ids: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM user_roles WHERE user_id = ANY($1) AND role_id = ANY($2)",
        params![ids, role_ids],
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
