//! SQL of the payment gateways.

use db::{Conn, Result, Row, Tx, Value, params};

use super::{Gateway, GatewayKey};
use kernel::input::Unique;
use kernel::list::Window;
use kernel::types::Timestamp;

/// Selects the columns that [`gateway`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, key, name, enabled, created_at FROM payment_gateways ",
            $rest
        )
    };
}

/// Keys are unique.
pub const KEY: Unique = Unique {
    field: "key",
    constraint: "payment_gateways_key_key",
    select_id: "SELECT id FROM payment_gateways WHERE key = $1",
};

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Gateway>> {
    conn.query(
        select!("WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        gateway,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM payment_gateways", &[], |row| {
        row.get(0)
    })
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Gateway>> {
    conn.query_opt(select!("WHERE id = $1"), params![id], gateway)
        .await
}

/// Finds the gateway and locks it against changes and deletion, which need [`lock`]; several
/// transactions may hold this lock at the same time. A gateway whose key changes before it is
/// locked is not found.
pub async fn find_and_lock(tx: &mut Tx, key: &GatewayKey) -> Result<Option<Gateway>> {
    tx.query_opt(
        select!("WHERE key = $1 FOR KEY SHARE"),
        params![key.as_str()],
        gateway,
    )
    .await
}

/// The gateways with these ids, ordered by id. Unknown ids are skipped.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Gateway>> {
    conn.query(
        select!("WHERE id = ANY($1) ORDER BY id"),
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
        enabled: row.get(3)?,
        created_at: Timestamp::from_unix(row.get(4)?),
    })
}

pub async fn is_used(conn: &mut Conn, id: i64) -> Result<bool> {
    let invoice = conn
        .query_opt(
            "SELECT 1 FROM payment_invoices WHERE gateway_id = $1 LIMIT 1",
            params![id],
            |_| Ok(()),
        )
        .await?;
    Ok(invoice.is_some())
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM payment_gateways WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

/// Registers a key. Waits for a concurrent transaction that registers the same key, and does
/// nothing if that one commits.
pub async fn register(tx: &mut Tx, key: &GatewayKey, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ($1, $1, TRUE, $2) ON CONFLICT (key) DO NOTHING",
        params![key.as_str(), now],
    )
    .await?;
    Ok(())
}

pub async fn insert(tx: &mut Tx, gateway: &Gateway) -> Result<i64> {
    tx.insert(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ($1, $2, $3, $4) RETURNING id",
        params![
            &gateway.key,
            &gateway.name,
            gateway.enabled,
            gateway.created_at
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, gateway: &Gateway) -> Result<()> {
    tx.execute(
        "UPDATE payment_gateways SET key = $2, name = $3, enabled = $4 WHERE id = $1",
        params![gateway.id, &gateway.key, &gateway.name, gateway.enabled],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM payment_gateways WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts gateways with their ids.
pub async fn load(tx: &mut Tx, gateways: &[Gateway]) -> Result<()> {
    let columns = ["id", "key", "name", "enabled", "created_at"];
    let rows = gateways.iter().map(|gateway| {
        [
            gateway.id.into(),
            Value::from(&gateway.key),
            Value::from(&gateway.name),
            gateway.enabled.into(),
            gateway.created_at.into(),
        ]
    });
    tx.load("payment_gateways", columns, rows).await
}
