use db::{Conn, Result, Row, Tx, params};

use super::ApiKey;
use crate::page::Window;
use crate::permission::{CATALOGUE, PermissionSet};
use crate::secret::Secret;
use crate::timestamp::Timestamp;

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<ApiKey>> {
    conn.query(
        "SELECT id, name, prefix, hash, active, expires_at, created_at FROM api_keys
         WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3",
        params![window.after, window.limit, window.offset],
        key,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM api_keys", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<ApiKey>> {
    let rows = conn
        .query(
            "SELECT k.id, k.name, k.prefix, k.hash, k.active, k.expires_at, k.created_at,
                    p.permission_id
             FROM api_keys k LEFT JOIN api_key_permissions p ON p.api_key_id = k.id
             WHERE k.id = $1",
            params![id],
            key_and_permission,
        )
        .await?;
    Ok(gather(rows).pop())
}

pub async fn find_by_hash(conn: &mut Conn, hash: &[u8; 32]) -> Result<Option<ApiKey>> {
    let rows = conn
        .query(
            "SELECT k.id, k.name, k.prefix, k.hash, k.active, k.expires_at, k.created_at,
                    p.permission_id
             FROM api_keys k LEFT JOIN api_key_permissions p ON p.api_key_id = k.id
             WHERE k.hash = $1",
            params![hash],
            key_and_permission,
        )
        .await?;
    Ok(gather(rows).pop())
}

/// Every key with its permissions.
pub async fn all(conn: &mut Conn) -> Result<Vec<ApiKey>> {
    let rows = conn
        .query(
            "SELECT k.id, k.name, k.prefix, k.hash, k.active, k.expires_at, k.created_at,
                    p.permission_id
             FROM api_keys k LEFT JOIN api_key_permissions p ON p.api_key_id = k.id
             ORDER BY k.id",
            &[],
            key_and_permission,
        )
        .await?;
    Ok(gather(rows))
}

fn key_and_permission(row: &Row<'_>) -> Result<(ApiKey, Option<i64>)> {
    Ok((key(row)?, row.get(7)?))
}

/// Puts the permissions of one key, which come in a row each, together.
fn gather(rows: Vec<(ApiKey, Option<i64>)>) -> Vec<ApiKey> {
    let mut keys: Vec<ApiKey> = Vec::new();
    for (key, permission) in rows {
        if keys.last().is_none_or(|last| last.id != key.id) {
            keys.push(key);
        }
        if let (Some(key), Some(permission)) = (keys.last_mut(), permission) {
            key.permissions.insert(permission);
        }
    }
    keys
}

/// A key without its permissions.
fn key(row: &Row<'_>) -> Result<ApiKey> {
    Ok(ApiKey {
        id: row.get(0)?,
        name: row.get(1)?,
        prefix: row.get(2)?,
        hash: Secret::new(row.get(3)?),
        active: row.get(4)?,
        expires_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_unix),
        created_at: Timestamp::from_unix(row.get(6)?),
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
    tx.query_one(
        "INSERT INTO api_keys (name, prefix, hash, active, expires_at, created_at,
                               all_permissions)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
        params![
            &key.name,
            &key.prefix,
            key.hash.reveal(),
            key.active,
            key.expires_at,
            key.created_at,
            all_permissions,
        ],
        |row| row.get(0),
    )
    .await
}

pub async fn update(tx: &mut Tx, key: &ApiKey) -> Result<()> {
    tx.execute(
        "UPDATE api_keys SET name = $2, prefix = $3, hash = $4, active = $5, expires_at = $6
         WHERE id = $1",
        params![
            key.id,
            &key.name,
            &key.prefix,
            key.hash.reveal(),
            key.active,
            key.expires_at,
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

/// From now on the key has what it was given, and nothing that later versions add.
pub async fn settle_permissions(tx: &mut Tx, id: i64) -> Result<()> {
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

/// Whether anything was missing.
pub async fn sync_catalogue(tx: &mut Tx) -> Result<bool> {
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

/// What is known of the first key.
pub struct FirstKey {
    /// Whether there ever was one.
    pub made: bool,
    /// Its id, while it exists.
    pub id: Option<i64>,
}

/// Reads it and keeps other instances from making another.
pub async fn lock_first(tx: &mut Tx) -> Result<FirstKey> {
    // The row is there from the first start on, so that there is something to hold.
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('first_key_made', $1)
         ON CONFLICT (name) DO NOTHING",
        params![b"0"],
    )
    .await?;
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'first_key_made' FOR UPDATE",
        &[],
    )
    .await?;
    let made: Vec<u8> = tx
        .query_one(
            "SELECT value FROM settings WHERE name = 'first_key_made'",
            &[],
            |row| row.get(0),
        )
        .await?;
    let id = tx
        .query_opt("SELECT id FROM api_keys WHERE first", &[], |row| row.get(0))
        .await?;
    Ok(FirstKey {
        made: made == b"1",
        id,
    })
}

pub async fn mark_first(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "UPDATE api_keys SET first = TRUE, all_permissions = TRUE WHERE id = $1",
        params![id],
    )
    .await?;
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'first_key_made'",
        params![b"1"],
    )
    .await?;
    Ok(())
}
