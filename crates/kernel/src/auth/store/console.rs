//! Reads console sessions for authentication, and writes their last use.

use db::{Conn, Result, Row, Tx, params};

use crate::auth::console::Operator;
use crate::auth::permission::PermissionSet;
use crate::types::Timestamp;

pub struct StoredSession {
    pub id: i64,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    pub confirmed_at: Timestamp,
    /// The hash of the key that was used to sign in.
    pub key_hash: Option<[u8; 32]>,
    /// An active operator whose status as a user is active.
    pub operator: Option<Operator>,
}

pub async fn find(
    conn: &mut Conn,
    token_hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<StoredSession>> {
    conn.query_opt(
        "SELECT s.id, s.created_at, s.last_used_at, s.key_hash, u.id, u.username, o.permissions,
                o.all_permissions, o.has_two_factor, s.confirmed_at
         FROM console_sessions s
         LEFT JOIN operators o ON o.user_id = s.user_id AND o.active
         LEFT JOIN users u
           ON u.id = o.user_id AND (u.status = 'active' OR u.blocked_until <= $2)
         WHERE s.token_hash = $1",
        params![token_hash, now],
        |row| {
            let key_hash: Option<Vec<u8>> = row.get(3)?;
            Ok(StoredSession {
                id: row.get(0)?,
                created_at: Timestamp::from_unix(row.get(1)?),
                last_used_at: Timestamp::from_unix(row.get(2)?),
                confirmed_at: Timestamp::from_unix(row.get(9)?),
                key_hash: key_hash.and_then(|hash| hash.try_into().ok()),
                operator: operator(row)?,
            })
        },
    )
    .await
}

fn operator(row: &Row<'_>) -> Result<Option<Operator>> {
    let Some(user_id) = row.get(4)? else {
        return Ok(None);
    };
    let has_all: bool = row.get(7)?;
    Ok(Some(Operator {
        user_id,
        username: row.get(5)?,
        permissions: match has_all {
            true => PermissionSet::all(),
            false => PermissionSet::from_bits(row.get(6)?),
        },
        has_two_factor: row.get(8)?,
    }))
}

/// Keeps the latest use, since several instances write it.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE console_sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2",
        params![id, now],
    )
    .await?;
    Ok(())
}

/// Deletes the sessions of an operator, except for one.
pub async fn delete_of(tx: &mut Tx, user_id: i64, kept: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM console_sessions WHERE user_id = $1 AND id <> $2",
        params![user_id, kept],
    )
    .await?;
    Ok(())
}
