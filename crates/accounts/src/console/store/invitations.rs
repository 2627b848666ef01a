use db::{Conn, Result, Row, Tx, params};

use crate::console::invitations::{Invitation, Inviter};
use kernel::auth::permission::PermissionSet;
use kernel::list::Window;
use kernel::types::Timestamp;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT i.id, i.note, i.permissions, i.created_at, i.expires_at, i.by_user, i.by_key,
                    COALESCE(u.username, k.name, '')
             FROM operator_invitations i
             LEFT JOIN users u ON u.id = i.by_user
             LEFT JOIN api_keys k ON k.id = i.by_key ",
            $rest
        )
    };
}

pub async fn list(conn: &mut Conn, now: Timestamp, window: Window) -> Result<Vec<Invitation>> {
    conn.query(
        select!("WHERE i.expires_at > $1 AND i.id > $2 ORDER BY i.id LIMIT $3 OFFSET $4"),
        params![now, window.after, window.limit, window.offset],
        invitation,
    )
    .await
}

pub async fn count(conn: &mut Conn, now: Timestamp) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM operator_invitations WHERE expires_at > $1",
        params![now],
        |row| row.get(0),
    )
    .await
}

pub async fn find(conn: &mut Conn, id: i64, now: Timestamp) -> Result<Option<Invitation>> {
    conn.query_opt(
        select!("WHERE i.id = $1 AND i.expires_at > $2"),
        params![id, now],
        invitation,
    )
    .await
}

pub async fn find_by_hash(
    conn: &mut Conn,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Invitation>> {
    conn.query_opt(
        select!("WHERE i.hash = $1 AND i.expires_at > $2"),
        params![hash, now],
        invitation,
    )
    .await
}

fn invitation(row: &Row<'_>) -> Result<Invitation> {
    Ok(Invitation {
        id: row.get(0)?,
        note: row.get(1)?,
        permissions: PermissionSet::from_bits(row.get(2)?),
        created_at: Timestamp::from_unix(row.get(3)?),
        expires_at: Timestamp::from_unix(row.get(4)?),
        inviter: Inviter {
            user_id: row.get(5)?,
            key_id: row.get(6)?,
        },
        inviter_name: row.get(7)?,
    })
}

pub async fn insert(tx: &mut Tx, hash: &[u8; 32], new: &Invitation) -> Result<i64> {
    tx.insert(
        "INSERT INTO operator_invitations (hash, note, permissions, created_at, expires_at,
                                           by_user, by_key)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
        params![
            hash,
            &new.note,
            new.permissions.to_bits(),
            new.created_at,
            new.expires_at,
            new.inviter.user_id,
            new.inviter.key_id,
        ],
    )
    .await
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM operator_invitations WHERE id = $1",
        params![id],
    )
    .await?;
    Ok(())
}

pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<()> {
    tx.execute(
        "DELETE FROM operator_invitations WHERE expires_at <= $1",
        params![now],
    )
    .await?;
    Ok(())
}
