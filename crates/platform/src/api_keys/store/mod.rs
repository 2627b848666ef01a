//! SQL of the API keys.

pub mod first_key;

use db::{Conn, Result, Row, Tx, Value, params};

use super::ApiKey;
use kernel::auth::permission::{CATALOGUE, PermissionSet};
use kernel::auth::{LastUse, PreviousValue, Restrictions};
use kernel::list::Window;
use kernel::secret::Secret;
use kernel::types::{IpNetworks, Timestamp};

/// Selects a column of a joined table, then the columns that [`key`] reads.
macro_rules! select {
    ($joined:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $joined,
            ", k.id, k.name, k.prefix, k.hash, k.active, k.created_at, k.expires_at,
                    k.allowed_ips, k.requests_per_second, k.previous_hash,
                    k.previous_valid_until, k.last_used_at, k.last_used_ip
             FROM api_keys k ",
            $rest
        )
    };
}

/// Keys without their permissions.
pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<ApiKey>> {
    conn.query(
        select!("NULL", "WHERE k.id > $1 ORDER BY k.id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        key,
    )
    .await
}

/// All keys with their permissions, by id.
pub async fn list_with_permissions(conn: &mut Conn) -> Result<Vec<ApiKey>> {
    let sql = select!(
        "p.permission_id",
        "LEFT JOIN api_key_permissions p ON p.api_key_id = k.id ORDER BY k.id"
    );
    conn.fold(sql, &[], |keys: &mut Vec<ApiKey>, row| {
        let next = key(row)?;
        if keys.last().is_none_or(|last| last.id != next.id) {
            keys.push(next);
        }
        let permission: Option<i64> = row.get(0)?;
        if let (Some(key), Some(id)) = (keys.last_mut(), permission) {
            key.permissions.insert(id);
        }
        Ok(())
    })
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM api_keys", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<ApiKey>> {
    let sql = select!(
        "p.permission_id",
        "LEFT JOIN api_key_permissions p ON p.api_key_id = k.id WHERE k.id = $1"
    );
    conn.fold(sql, params![id], |found: &mut Option<ApiKey>, row| {
        let found = match found {
            Some(found) => found,
            none => none.insert(key(row)?),
        };
        row.get::<Option<i64>>(0)?
            .inspect(|id| found.permissions.insert(*id));
        Ok(())
    })
    .await
}

/// A key without its permissions.
fn key(row: &Row<'_>) -> Result<ApiKey> {
    let moment = |seconds: Option<i64>| seconds.map(Timestamp::from_unix);
    let allowed: Option<String> = row.get(8)?;
    let rate: Option<i64> = row.get(9)?;
    let previous: Option<Vec<u8>> = row.get(10)?;
    let ip: Option<String> = row.get(13)?;
    Ok(ApiKey {
        id: row.get(1)?,
        name: row.get(2)?,
        prefix: row.get(3)?,
        hash: Secret::new(row.get(4)?),
        active: row.get(5)?,
        created_at: Timestamp::from_unix(row.get(6)?),
        restrictions: Restrictions {
            expires_at: moment(row.get(7)?),
            allowed_ips: allowed.as_deref().map(IpNetworks::from_stored),
            requests_per_second: rate.map(|rate| rate as u32),
        },
        previous: previous
            .zip(moment(row.get(11)?))
            .map(|(hash, valid_until)| PreviousValue {
                hash: Secret::new(hash),
                valid_until,
            }),
        last_use: moment(row.get(12)?).map(|at| LastUse {
            at,
            ip: ip.and_then(|ip| ip.parse().ok()),
        }),
        permissions: PermissionSet::default(),
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await?;
    Ok(())
}

pub async fn insert(tx: &mut Tx, key: &ApiKey, all_permissions: bool) -> Result<i64> {
    let Restrictions {
        expires_at,
        allowed_ips,
        requests_per_second,
    } = &key.restrictions;
    tx.insert(
        "INSERT INTO api_keys (name, prefix, hash, active, expires_at, allowed_ips,
                               requests_per_second, created_at, all_permissions)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        params![
            &key.name,
            &key.prefix,
            key.hash.reveal(),
            key.active,
            *expires_at,
            allowed_ips.as_ref().map(IpNetworks::to_stored).as_ref(),
            requests_per_second.map(i64::from),
            key.created_at,
            all_permissions,
        ],
    )
    .await
}

/// Inserts a key with its id. It replaces the key with this id that the first start has created.
pub async fn load(tx: &mut Tx, key: &ApiKey) -> Result<()> {
    let replaced = tx
        .execute(
            "DELETE FROM api_keys WHERE id = $1 AND first",
            params![key.id],
        )
        .await?;
    if replaced > 0 {
        first_key::forget(tx).await?;
    }
    let columns = [
        "id",
        "name",
        "prefix",
        "hash",
        "active",
        "created_at",
        "last_used_at",
        "all_permissions",
    ];
    let row = [
        key.id.into(),
        Value::from(&key.name),
        Value::from(&key.prefix),
        Value::Blob(key.hash.reveal()),
        key.active.into(),
        key.created_at.into(),
        key.last_use.map(|last| last.at).into(),
        false.into(),
    ];
    tx.load("api_keys", columns, [row]).await?;
    replace_permissions(tx, key.id, key.permissions).await
}

/// Updates everything except the last use, which `kernel::auth` writes.
pub async fn update(tx: &mut Tx, key: &ApiKey) -> Result<()> {
    let Restrictions {
        expires_at,
        allowed_ips,
        requests_per_second,
    } = &key.restrictions;
    let previous = key.previous.as_ref();
    tx.execute(
        "UPDATE api_keys
         SET name = $2, prefix = $3, hash = $4, active = $5, expires_at = $6, allowed_ips = $7,
             requests_per_second = $8, previous_hash = $9, previous_valid_until = $10
         WHERE id = $1",
        params![
            key.id,
            &key.name,
            &key.prefix,
            key.hash.reveal(),
            key.active,
            *expires_at,
            allowed_ips.as_ref().map(IpNetworks::to_stored).as_ref(),
            requests_per_second.map(i64::from),
            previous.map(|previous| previous.hash.reveal()),
            previous.map(|previous| previous.valid_until),
        ],
    )
    .await?;
    Ok(())
}

pub async fn replace_permissions(tx: &mut Tx, id: i64, permissions: PermissionSet) -> Result<()> {
    tx.execute(
        "DELETE FROM api_key_permissions WHERE api_key_id = $1",
        params![id],
    )
    .await?;
    tx.execute(
        "INSERT INTO api_key_permissions (api_key_id, permission_id)
         SELECT $1, id FROM permissions WHERE id = ANY($2)",
        params![id, &permissions.ids()],
    )
    .await?;
    Ok(())
}

/// Keeps the key's permissions, but stops adding those of later versions.
pub async fn clear_all_permissions(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "UPDATE api_keys SET all_permissions = FALSE WHERE id = $1",
        params![id],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM api_keys WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn deactivate_all(tx: &mut Tx) -> Result<()> {
    tx.execute("UPDATE api_keys SET active = FALSE", &[])
        .await?;
    Ok(())
}

/// Updates the catalogue. Returns whether anything changed.
pub async fn sync_catalogue(tx: &mut Tx) -> Result<bool> {
    // `ON CONFLICT (id)` does not cover the name, which is also unique: without the lock, one of
    // two instances that start at the same time could fail.
    tx.lock("LOCK TABLE permissions IN SHARE ROW EXCLUSIVE MODE", &[])
        .await?;
    let mut changed = 0;
    for permission in CATALOGUE {
        changed += tx
            .execute(
                "INSERT INTO permissions (id, name, description) VALUES ($1, $2, $3)
                 ON CONFLICT (id) DO UPDATE
                 SET name = excluded.name, description = excluded.description
                 WHERE permissions.name <> excluded.name
                    OR permissions.description <> excluded.description",
                params![permission.id, permission.name, permission.description],
            )
            .await?;
    }
    changed += tx
        .execute(
            "INSERT INTO api_key_permissions (api_key_id, permission_id)
             SELECT k.id, p.id FROM api_keys k CROSS JOIN permissions p WHERE k.all_permissions
             ON CONFLICT DO NOTHING",
            &[],
        )
        .await?;
    Ok(changed > 0)
}
