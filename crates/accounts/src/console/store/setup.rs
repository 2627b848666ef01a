use db::{Conn, Result, Tx, params};

use kernel::types::Timestamp;

/// Whether a link was ever created.
pub async fn exists(conn: &mut Conn) -> Result<bool> {
    conn.query_one("SELECT COUNT(*) FROM setup_tokens", &[], |row| {
        Ok(row.get::<i64>(0)? > 0)
    })
    .await
}

/// When a valid token expires.
pub async fn find_expiry(
    conn: &mut Conn,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    conn.query_opt(
        "SELECT expires_at FROM setup_tokens WHERE hash = $1 AND expires_at > $2",
        params![hash, now],
        |row| Ok(Timestamp::from_unix(row.get(0)?)),
    )
    .await
}

pub async fn insert(tx: &mut Tx, hash: &[u8; 32], expires_at: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO setup_tokens (hash, expires_at) VALUES ($1, $2)",
        params![hash, expires_at],
    )
    .await?;
    Ok(())
}

/// Invalidates all earlier links.
pub async fn expire_all(tx: &mut Tx) -> Result<()> {
    tx.execute("UPDATE setup_tokens SET expires_at = 0", &[])
        .await?;
    Ok(())
}
