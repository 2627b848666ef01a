//! SQL of sign-ins that were begun.

use db::{Conn, Db, Result, Tx, params};

use crate::users::identities::Provider;
use kernel::types::Timestamp;

pub struct NewState<'a> {
    pub state_hash: [u8; 32],
    pub browser_hash: [u8; 32],
    pub provider: Provider,
    pub return_to: &'a str,
    pub verifier: Option<&'a [u8]>,
    pub session_id: Option<i64>,
    pub expires_at: Timestamp,
}

pub struct StoredState {
    pub id: i64,
    pub return_to: String,
    pub verifier: Option<Vec<u8>>,
    pub user_id: Option<i64>,
}

/// Deletes the oldest states, so that there are at most this many with a new one.
pub async fn make_room(tx: &mut Tx, most: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM sign_in_states WHERE id <=
            (SELECT id FROM sign_in_states ORDER BY id DESC LIMIT 1 OFFSET $1)",
        params![most - 1],
    )
    .await?;
    Ok(())
}

pub async fn insert(tx: &mut Tx, state: &NewState<'_>) -> Result<()> {
    tx.execute(
        "INSERT INTO sign_in_states (state_hash, browser_hash, provider, return_to, verifier,
                                     session_id, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![
            &state.state_hash,
            &state.browser_hash,
            state.provider.name(),
            state.return_to,
            state.verifier,
            state.session_id,
            state.expires_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(
    conn: &mut Conn,
    state_hash: &[u8; 32],
    browser_hash: &[u8; 32],
    provider: Provider,
    now: Timestamp,
) -> Result<Option<StoredState>> {
    conn.query_opt(
        "SELECT w.id, w.return_to, w.verifier, d.user_id
         FROM sign_in_states w
         LEFT JOIN user_sessions s ON s.id = w.session_id
         LEFT JOIN user_devices d ON d.id = s.device_id
         WHERE w.state_hash = $1 AND w.browser_hash = $2 AND w.provider = $3 AND w.expires_at > $4",
        params![state_hash, browser_hash, provider.name(), now],
        |row| {
            Ok(StoredState {
                id: row.get(0)?,
                return_to: row.get(1)?,
                verifier: row.get(2)?,
                user_id: row.get(3)?,
            })
        },
    )
    .await
}

/// Deletes a state that has not expired. Returns false if it is gone.
pub async fn take(tx: &mut Tx, id: i64, now: Timestamp) -> Result<bool> {
    let taken = tx
        .execute(
            "DELETE FROM sign_in_states WHERE id = $1 AND expires_at > $2",
            params![id, now],
        )
        .await?;
    Ok(taken > 0)
}

/// Stores a nonce. Returns false if it was used before.
pub async fn use_nonce(tx: &mut Tx, nonce_hash: &[u8; 32], expires_at: Timestamp) -> Result<bool> {
    let stored = tx
        .execute(
            "INSERT INTO sign_in_nonces (nonce_hash, expires_at) VALUES ($1, $2)
             ON CONFLICT DO NOTHING",
            params![nonce_hash, expires_at],
        )
        .await?;
    Ok(stored > 0)
}

pub async fn delete_expired_states(db: &Db, now: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_states WHERE id IN
            (SELECT id FROM sign_in_states WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        params![now],
        size,
    )
    .await
}

pub async fn delete_expired_nonces(db: &Db, now: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM sign_in_nonces WHERE nonce_hash IN
            (SELECT nonce_hash FROM sign_in_nonces WHERE expires_at <= $1
             ORDER BY expires_at LIMIT $2)",
        params![now],
        size,
    )
    .await
}

pub async fn delete_states(tx: &mut Tx) -> Result<u64> {
    tx.execute("DELETE FROM sign_in_states", &[]).await
}
