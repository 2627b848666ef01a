use db::{Conn, Result, Row, Tx, params};

use super::{Gateway, GatewayKey};
use crate::timestamp::Timestamp;

pub async fn find(conn: &mut Conn, key: &GatewayKey) -> Result<Option<Gateway>> {
    conn.query_opt(
        "SELECT id, key, name FROM payment_gateways WHERE key = $1",
        params![key.as_str()],
        gateway,
    )
    .await
}

pub async fn some(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Gateway>> {
    conn.query(
        "SELECT id, key, name FROM payment_gateways WHERE id = ANY($1) ORDER BY id",
        params![ids],
        gateway,
    )
    .await
}

fn gateway(row: &Row<'_>) -> Result<Gateway> {
    Ok(Gateway {
        id: row.get(0)?,
        key: row.get(1)?,
        name: row.get(2)?,
    })
}

/// Waits for whoever is registering the same key, and leaves it to them if they succeed.
pub async fn register(tx: &mut Tx, key: &GatewayKey, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ($1, $1, TRUE, $2) ON CONFLICT (key) DO NOTHING",
        params![key.as_str(), now],
    )
    .await?;
    Ok(())
}
