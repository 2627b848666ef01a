//! SQL of sign-in attempts: for each counter the seconds of its attempts, packed. And of the hashes of
//! bcrypt, which the first sign-in replaces.

use db::{Conn, Db, Result, Tx, params};

use kernel::types::Timestamp;

/// The attempts of a counter; `None` if there are none.
pub async fn read(conn: &mut Conn, subject: &[u8; 32]) -> Result<Option<Vec<u8>>> {
    conn.query_opt(
        "SELECT attempts FROM sign_in_attempts WHERE subject = $1",
        params![subject],
        |row| row.get(0),
    )
    .await
}

/// Locks the counter's row, adding it if missing, and returns its attempts.
pub async fn lock_and_read(tx: &mut Tx, subject: &[u8; 32], now: Timestamp) -> Result<Vec<u8>> {
    tx.query_one(
        "INSERT INTO sign_in_attempts (subject, latest, attempts) VALUES ($1, $2, $3)
         ON CONFLICT (subject) DO UPDATE SET latest = excluded.latest RETURNING attempts",
        params![subject, now, &[0_u8; 0]],
        |row| row.get(0),
    )
    .await
}

pub async fn write(tx: &mut Tx, subject: &[u8; 32], attempts: &[u8]) -> Result<()> {
    tx.execute(
        "UPDATE sign_in_attempts SET attempts = $2 WHERE subject = $1",
        params![subject, attempts],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, subject: &[u8; 32]) -> Result<()> {
    tx.execute(
        "DELETE FROM sign_in_attempts WHERE subject = $1",
        params![subject],
    )
    .await?;
    Ok(())
}

pub async fn delete_before(db: &Db, expired: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_attempts WHERE subject IN
            (SELECT subject FROM sign_in_attempts WHERE latest <= $1 ORDER BY latest LIMIT $2)",
        params![expired],
        size,
    )
    .await
}

/// The cost of the slowest hash of bcrypt, in two digits. The condition is that of the index
/// `users_bcrypt`.
pub async fn slowest_bcrypt(conn: &mut Conn) -> Result<Option<String>> {
    conn.query_opt(
        "SELECT substr(password_hash, 5, 2) FROM users WHERE substr(password_hash, 2, 1) = '2'
         ORDER BY substr(password_hash, 5, 2) DESC LIMIT 1",
        &[],
        |row| row.get(0),
    )
    .await
}

/// Replaces the hash of a password if it is still the stored one.
pub async fn replace_hash(tx: &mut Tx, user_id: i64, before: &str, after: &str) -> Result<bool> {
    let replaced = tx
        .execute(
            "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
            params![user_id, before, after],
        )
        .await?;
    Ok(replaced > 0)
}

pub async fn hash(conn: &mut Conn, user_id: i64) -> Result<Option<String>> {
    conn.query_opt(
        "SELECT password_hash FROM users WHERE id = $1",
        params![user_id],
        |row| row.get(0),
    )
    .await
}
