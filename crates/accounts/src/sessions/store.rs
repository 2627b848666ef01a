use db::{Conn, Db, Result, Tx, params};

use super::Session;
use crate::users::devices::Device;
use kernel::types::Timestamp;

pub async fn find(
    conn: &mut Conn,
    token_hash: &[u8; 32],
    unused_since: Timestamp,
    begun_by: Option<Timestamp>,
) -> Result<Option<Session>> {
    let begun_by = begun_by.map_or(i64::MIN, Timestamp::unix);
    conn.query_opt(
        "SELECT d.user_id, d.id, d.name, d.user_agent, d.last_active, s.id
         FROM user_sessions s JOIN user_devices d ON d.id = s.device_id
         WHERE s.token_hash = $1 AND s.last_active > $2 AND s.created_at > $3",
        params![token_hash, unused_since, begun_by],
        |row| {
            Ok(Session {
                user_id: row.get(0)?,
                device: Device {
                    id: row.get(1)?,
                    name: row.get(2)?,
                    user_agent: row.get(3)?,
                    last_active: Timestamp::from_unix(row.get(4)?),
                },
                client_ip: None,
                provider: None,
                row_id: row.get(5)?,
            })
        },
    )
    .await
}

pub async fn lock(tx: &mut Tx, token_hash: &[u8; 32]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM user_sessions WHERE token_hash = $1 FOR UPDATE",
        params![token_hash],
    )
    .await
}

pub async fn insert(
    tx: &mut Tx,
    device_id: i64,
    token_hash: &[u8; 32],
    identity_id: Option<i64>,
    now: Timestamp,
) -> Result<i64> {
    tx.insert(
        "INSERT INTO user_sessions (device_id, token_hash, created_at, last_active, identity_id)
         VALUES ($1, $2, $3, $3, $4) RETURNING id",
        params![device_id, token_hash, now, identity_id],
    )
    .await
}

pub async fn touch(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_sessions SET last_active = $2 WHERE device_id = $1 AND last_active < $2",
        params![device_id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, device_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_sessions WHERE device_id = $1",
        params![device_id],
    )
    .await?;
    Ok(())
}

/// Deletes expired sessions with their devices.
pub async fn delete_unused(db: &Db, since: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM user_devices WHERE id IN
            (SELECT device_id FROM user_sessions WHERE last_active <= $1 ORDER BY last_active LIMIT $2)",
        params![since],
        size,
    )
    .await
}

/// Deletes sessions that began by this time, with their devices. Ids are in the order of creation, so
/// only the oldest rows are read.
pub async fn delete_begun_by(db: &Db, begun_by: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM user_devices WHERE id IN
            (SELECT device_id FROM
                (SELECT device_id, created_at FROM user_sessions ORDER BY id LIMIT $2) AS oldest
             WHERE created_at <= $1)",
        params![begun_by],
        size,
    )
    .await
}
