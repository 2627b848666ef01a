use db::{Conn, Result, Row, Tx, params};

use crate::timestamp::Timestamp;
use crate::users::devices::Device;

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    conn.query(
        "SELECT id, user_id, name, user_agent, last_active FROM user_devices
         WHERE user_id = $1 ORDER BY id",
        params![user_id],
        device,
    )
    .await
}

pub async fn find(conn: &mut Conn, user_id: i64, id: i64) -> Result<Option<Device>> {
    conn.query_opt(
        "SELECT id, user_id, name, user_agent, last_active FROM user_devices
         WHERE user_id = $1 AND id = $2",
        params![user_id, id],
        device,
    )
    .await
}

fn device(row: &Row<'_>) -> Result<Device> {
    Ok(Device {
        id: row.get(0)?,
        user_id: row.get(1)?,
        name: row.get(2)?,
        user_agent: row.get(3)?,
        last_active: Timestamp::from_unix(row.get(4)?),
    })
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM user_devices WHERE id = $1", params![id])
        .await?;
    Ok(())
}
