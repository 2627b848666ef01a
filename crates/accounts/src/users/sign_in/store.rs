use db::{Conn, Result, Tx, params};

use super::Credentials;
use kernel::secret::Secret;
use kernel::types::Timestamp;

/// The user with this login. If it is one user's name and another's address, the address wins.
pub async fn credentials(conn: &mut Conn, folded: &str) -> Result<Option<Credentials>> {
    conn.query_opt(
        "SELECT id, password_hash FROM users WHERE email_folded = $1 OR username_folded = $1
         ORDER BY CASE WHEN email_folded = $1 THEN 0 ELSE 1 END LIMIT 1",
        params![folded],
        |row| {
            Ok(Credentials {
                user_id: row.get(0)?,
                password_hash: Secret::new(row.get(1)?),
            })
        },
    )
    .await
}

/// Locks the user. Concurrent sign-ins of one user wait for each other, since each adds a device.
pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE",
        params![id],
    )
    .await
}

/// The credentials of a known user.
pub async fn credentials_of(conn: &mut Conn, user_id: i64) -> Result<Option<Credentials>> {
    conn.query_opt(
        "SELECT password_hash FROM users WHERE id = $1",
        params![user_id],
        |row| {
            Ok(Credentials {
                user_id,
                password_hash: Secret::new(row.get(0)?),
            })
        },
    )
    .await
}

pub async fn set_password(tx: &mut Tx, id: i64, hash: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1",
        params![id, hash, now],
    )
    .await?;
    Ok(())
}
