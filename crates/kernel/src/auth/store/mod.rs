//! Reads keys for authentication, and writes their last use.

pub mod console;

use db::{Conn, Result, Row, Tx, params};

use super::permission::PermissionSet;
use super::{Key, LastUse, PreviousValue, Restrictions};
use crate::secret::Secret;
use crate::types::{IpNetworks, Timestamp};

/// Reads keys, with one row per permission. The first column is the id of the permission.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT p.permission_id, k.id, k.name, k.active, k.hash, k.expires_at, k.allowed_ips,
                    k.requests_per_second, k.previous_hash, k.previous_valid_until
             FROM api_keys k LEFT JOIN api_key_permissions p ON p.api_key_id = k.id ",
            $rest
        )
    };
}

/// Keys read by one statement. Reading all of many keys at once would block a thread for long.
const BATCH: i64 = 1000;

pub async fn all(conn: &mut Conn) -> Result<Vec<Key>> {
    let sql = select!(
        "WHERE k.id IN (SELECT id FROM api_keys WHERE id > $1 ORDER BY id LIMIT $2) ORDER BY k.id"
    );
    let mut keys: Vec<Key> = Vec::new();
    loop {
        let last = keys.last().map_or(0, |key| key.id);
        let params = params![last, BATCH];
        let batch = gather(conn.query(sql, params, permission_and_key).await?);
        let is_last = (batch.len() as i64) < BATCH;
        keys.extend(batch);
        if is_last {
            return Ok(keys);
        }
        tokio::task::yield_now().await;
    }
}

/// The keys that have this value or had it before their last rotation.
pub async fn find_by_hash(conn: &mut Conn, hash: &[u8; 32]) -> Result<Vec<Key>> {
    let sql = select!("WHERE k.hash = $1 OR k.previous_hash = $1 ORDER BY k.id");
    let rows = conn.query(sql, params![hash], permission_and_key).await?;
    Ok(gather(rows))
}

fn permission_and_key(row: &Row<'_>) -> Result<(Option<i64>, Key)> {
    let moment = |seconds: Option<i64>| seconds.map(Timestamp::from_unix);
    let allowed: Option<String> = row.get(6)?;
    let rate: Option<i64> = row.get(7)?;
    let previous: Option<Vec<u8>> = row.get(8)?;
    let key = Key {
        id: row.get(1)?,
        name: row.get(2)?,
        active: row.get(3)?,
        hash: Secret::new(row.get(4)?),
        restrictions: Restrictions {
            expires_at: moment(row.get(5)?),
            allowed_ips: allowed.as_deref().map(IpNetworks::from_stored),
            requests_per_second: rate.map(|rate| rate as u32),
        },
        previous: previous
            .zip(moment(row.get(9)?))
            .map(|(hash, valid_until)| PreviousValue {
                hash: Secret::new(hash),
                valid_until,
            }),
        permissions: PermissionSet::default(),
    };
    Ok((row.get(0)?, key))
}

/// Merges the rows of each key.
fn gather(rows: Vec<(Option<i64>, Key)>) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for (permission, key) in rows {
        if keys.last().is_none_or(|last| last.id != key.id) {
            keys.push(key);
        }
        if let (Some(key), Some(permission)) = (keys.last_mut(), permission) {
            key.permissions.insert(permission);
        }
    }
    keys
}

/// Keeps the latest use, since several instances write it.
pub async fn record_use(tx: &mut Tx, id: i64, last: &LastUse) -> Result<()> {
    tx.execute(
        "UPDATE api_keys SET last_used_at = $2, last_used_ip = $3
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2)",
        params![id, last.at, last.ip.map(|ip| ip.to_string()).as_ref()],
    )
    .await?;
    Ok(())
}
