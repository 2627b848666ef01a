use db::{Conn, Result, Row, Tx, params};

use crate::timestamp::Timestamp;
use crate::users::devices::Device;

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

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM user_devices WHERE id = $1", params![id])
        .await?;
    Ok(())
}
