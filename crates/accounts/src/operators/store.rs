//! SQL of the operators.

use db::{Conn, Result, Row, Tx, params};

use super::{Failures, Operator};
use kernel::auth::permission::PermissionSet;
use kernel::list::Window;
use kernel::types::Timestamp;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT o.user_id, u.username, u.email, o.active, o.permissions, o.all_permissions,
                    o.has_two_factor, o.last_sign_in_at, o.created_at, o.failed_passwords,
                    o.failed_codes
             FROM operators o JOIN users u ON u.id = o.user_id ",
            $rest
        )
    };
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Operator>> {
    conn.query(
        select!("WHERE o.user_id > $1 ORDER BY o.user_id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        operator,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM operators", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, user_id: i64) -> Result<Option<Operator>> {
    conn.query_opt(select!("WHERE o.user_id = $1"), params![user_id], operator)
        .await
}

fn operator(row: &Row<'_>) -> Result<Operator> {
    let has_all_permissions = row.get(5)?;
    let last_sign_in_at: Option<i64> = row.get(7)?;
    Ok(Operator {
        user_id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        active: row.get(3)?,
        permissions: permissions(row.get(4)?, has_all_permissions),
        has_all_permissions,
        two_factor: row.get(6)?,
        last_sign_in_at: last_sign_in_at.map(Timestamp::from_unix),
        created_at: Timestamp::from_unix(row.get(8)?),
        failures: Failures {
            passwords: row.get(9)?,
            codes: row.get(10)?,
        },
    })
}

fn permissions(bits: i64, has_all: bool) -> PermissionSet {
    match has_all {
        true => PermissionSet::all(),
        false => PermissionSet::from_bits(bits),
    }
}

pub async fn lock(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM operators WHERE user_id = $1 FOR UPDATE",
        params![user_id],
    )
    .await
}

/// The operators among these users, each with their permissions.
pub async fn permissions_of(
    conn: &mut Conn,
    user_ids: &[i64],
) -> Result<Vec<(i64, PermissionSet)>> {
    conn.query(
        "SELECT user_id, permissions, all_permissions FROM operators WHERE user_id = ANY($1)",
        params![user_ids],
        |row| Ok((row.get(0)?, permissions(row.get(1)?, row.get(2)?))),
    )
    .await
}

/// The operators who have linked a Steam profile, whoever linked it first.
pub async fn permissions_by_steam_id(
    conn: &mut Conn,
    steam_id64: &str,
) -> Result<Vec<(i64, PermissionSet)>> {
    conn.query(
        "SELECT o.user_id, o.permissions, o.all_permissions FROM operators o
         JOIN user_social_links l ON l.user_id = o.user_id
         JOIN social_networks n ON n.id = l.network_id AND n.name = 'steam'
         WHERE l.profile_url = $1
         UNION ALL
         SELECT o.user_id, o.permissions, o.all_permissions FROM operators o
         JOIN user_identities i ON i.user_id = o.user_id
         WHERE i.provider = 'steam' AND i.subject = $1",
        params![steam_id64],
        |row| Ok((row.get(0)?, permissions(row.get(1)?, row.get(2)?))),
    )
    .await
}

pub async fn insert(tx: &mut Tx, operator: &Operator) -> Result<()> {
    tx.execute(
        "INSERT INTO operators (user_id, active, permissions, all_permissions, created_at,
                                has_two_factor, totp_step, failed_passwords, failed_codes)
         VALUES ($1, $2, $3, $4, $5, FALSE, 0, 0, 0)",
        params![
            operator.user_id,
            operator.active,
            operator.permissions.to_bits(),
            operator.has_all_permissions,
            operator.created_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn update(tx: &mut Tx, operator: &Operator) -> Result<()> {
    tx.execute(
        "UPDATE operators SET active = $2, permissions = $3, all_permissions = $4
         WHERE user_id = $1",
        params![
            operator.user_id,
            operator.active,
            operator.permissions.to_bits(),
            operator.has_all_permissions,
        ],
    )
    .await?;
    Ok(())
}

pub async fn set_all_permissions(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "UPDATE operators SET all_permissions = TRUE WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}

pub async fn count_failure(tx: &mut Tx, user_id: i64, is_code: bool) -> Result<()> {
    let sql = match is_code {
        true => "UPDATE operators SET failed_codes = failed_codes + 1 WHERE user_id = $1",
        false => "UPDATE operators SET failed_passwords = failed_passwords + 1 WHERE user_id = $1",
    };
    tx.execute(sql, params![user_id]).await?;
    Ok(())
}

pub async fn record_sign_in(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE operators SET last_sign_in_at = $2, failed_passwords = 0, failed_codes = 0
         WHERE user_id = $1",
        params![user_id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM operator_recovery_codes WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    tx.execute(
        "DELETE FROM wrong_codes WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    tx.execute("DELETE FROM operators WHERE user_id = $1", params![user_id])
        .await?;
    Ok(())
}

/// A user who becomes an operator.
pub struct Candidate {
    pub username: String,
    pub email: String,
}

/// Finds a user and prevents their deletion until the end of the transaction.
pub async fn lock_and_find_user(tx: &mut Tx, id: i64) -> Result<Option<Candidate>> {
    tx.query_opt(
        "SELECT username, email FROM users WHERE id = $1 FOR KEY SHARE",
        params![id],
        |row| {
            Ok(Candidate {
                username: row.get(0)?,
                email: row.get(1)?,
            })
        },
    )
    .await
}
