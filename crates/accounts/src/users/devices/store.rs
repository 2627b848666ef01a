use db::{Conn, Result, Row, Tx, params};

use super::Device;
use kernel::types::Timestamp;

/// The newest devices of a user, ordered by id.
pub async fn list(conn: &mut Conn, user_id: i64, limit: i64) -> Result<Vec<Device>> {
    let mut devices = conn
        .query(
            "SELECT id, name, user_agent, last_active FROM user_devices
             WHERE user_id = $1 ORDER BY id DESC LIMIT $2",
            params![user_id, limit],
            device,
        )
        .await?;
    devices.reverse();
    Ok(devices)
}

pub async fn find(conn: &mut Conn, user_id: i64, id: i64) -> Result<Option<Device>> {
    conn.query_opt(
        "SELECT id, name, user_agent, last_active FROM user_devices
         WHERE user_id = $1 AND id = $2",
        params![user_id, id],
        device,
    )
    .await
}

/// A device with this name and program, but no session.
pub async fn find_unused(
    conn: &mut Conn,
    user_id: i64,
    name: &str,
    user_agent: &str,
) -> Result<Option<Device>> {
    conn.query_opt(
        "SELECT d.id, d.name, d.user_agent, d.last_active FROM user_devices d
         WHERE d.user_id = $1 AND d.name = $2 AND d.user_agent = $3
             AND NOT EXISTS (SELECT 1 FROM user_sessions s WHERE s.device_id = d.id)
         ORDER BY d.id LIMIT 1",
        params![user_id, name, user_agent],
        device,
    )
    .await
}

/// The number of devices of a user, counted up to `most`.
pub async fn count(conn: &mut Conn, user_id: i64, most: i64) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM
            (SELECT 1 FROM user_devices WHERE user_id = $1 LIMIT $2) AS counted",
        params![user_id, most],
        |row| row.get(0),
    )
    .await
}

/// Removes the device of a user that was not used for longest, one without a session if there is any.
pub async fn delete_oldest(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_devices WHERE id =
            (SELECT d.id FROM user_devices d LEFT JOIN user_sessions s ON s.device_id = d.id
             WHERE d.user_id = $1
             ORDER BY CASE WHEN s.id IS NULL THEN 0 ELSE 1 END, d.last_active, d.id LIMIT 1)",
        params![user_id],
    )
    .await?;
    Ok(())
}

fn device(row: &Row<'_>) -> Result<Device> {
    Ok(Device {
        id: row.get(0)?,
        name: row.get(1)?,
        user_agent: row.get(2)?,
        last_active: Timestamp::from_unix(row.get(3)?),
    })
}

pub async fn insert(tx: &mut Tx, user_id: i64, device: &Device) -> Result<i64> {
    tx.insert(
        "INSERT INTO user_devices (user_id, name, user_agent, last_active)
         VALUES ($1, $2, $3, $4) RETURNING id",
        params![
            user_id,
            &device.name,
            &device.user_agent,
            device.last_active,
        ],
    )
    .await
}

/// Records that the device is in use.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_devices SET last_active = $2 WHERE id = $1 AND last_active < $2",
        params![id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM user_devices WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn delete_all(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_devices WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}

/// Ends all sessions of a user. The devices stay.
pub async fn sign_out_all(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_sessions
         WHERE device_id IN (SELECT id FROM user_devices WHERE user_id = $1)",
        params![user_id],
    )
    .await?;
    Ok(())
}
