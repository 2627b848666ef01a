use db::{Conn, Result, Row, Tx, params};

use crate::users::devices::Device;
use kernel::types::Timestamp;

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    conn.query(
        "SELECT id, name, user_agent, last_active FROM user_devices
         WHERE user_id = $1 ORDER BY id",
        params![user_id],
        device,
    )
    .await
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
    tx.query_one(
        "INSERT INTO user_devices (user_id, name, user_agent, last_active)
         VALUES ($1, $2, $3, $4) RETURNING id",
        params![
            user_id,
            &device.name,
            &device.user_agent,
            device.last_active,
        ],
        |row| row.get(0),
    )
    .await
}

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
