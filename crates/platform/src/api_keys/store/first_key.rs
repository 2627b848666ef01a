//! SQL of the first key.

use db::{Conn, Result, Tx, params};

/// The state of the first key.
pub struct FirstKey {
    /// Whether it was ever created.
    pub was_created: bool,
    /// The key's id, while it exists.
    pub id: Option<i64>,
}

/// Reads the state and locks it, so that no other instance creates a second key.
pub async fn lock(tx: &mut Tx) -> Result<FirstKey> {
    // Adds the row that is locked below.
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('first_key_made', $1)
         ON CONFLICT (name) DO NOTHING",
        params![b"0"],
    )
    .await?;
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'first_key_made' FOR UPDATE",
        &[],
    )
    .await?;
    let created: Vec<u8> = tx
        .query_one(
            "SELECT value FROM settings WHERE name = 'first_key_made'",
            &[],
            |row| row.get(0),
        )
        .await?;
    let id = tx
        .query_opt("SELECT id FROM api_keys WHERE first", &[], |row| row.get(0))
        .await?;
    Ok(FirstKey {
        was_created: created == b"1",
        id,
    })
}

pub async fn mark(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "UPDATE api_keys SET first = TRUE, all_permissions = TRUE WHERE id = $1",
        params![id],
    )
    .await?;
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'first_key_made'",
        params![b"1"],
    )
    .await?;
    Ok(())
}

/// Whether a key had this value before its last rotation.
pub async fn is_previous_value(conn: &mut Conn, hash: &[u8; 32]) -> Result<bool> {
    let found = conn
        .query_opt(
            "SELECT 1 FROM api_keys WHERE previous_hash = $1",
            params![hash],
            |_| Ok(()),
        )
        .await?;
    Ok(found.is_some())
}

/// The next start creates the key again.
pub async fn forget(tx: &mut Tx) -> Result<()> {
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'first_key_made'",
        params![b"0"],
    )
    .await?;
    Ok(())
}
