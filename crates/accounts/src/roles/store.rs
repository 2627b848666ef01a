//! SQL of the roles.

use std::collections::HashMap;

use db::{Conn, Result, Row, Tx, Value, params};

use super::{Color, Role};
use kernel::auth::permission::PermissionSet;
use kernel::list::Window;
use kernel::types::Timestamp;

/// Selects a column of a joined table, then the columns that [`role`] reads.
macro_rules! select {
    ($joined:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $joined,
            ", r.id, r.name, r.description, r.color FROM roles r ",
            $rest
        )
    };
}

/// Roles in the order of ids, without their permissions.
pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Role>> {
    conn.query(
        select!("NULL", "WHERE r.id > $1 ORDER BY r.id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        role,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM roles", &[], |row| row.get(0))
        .await
}

/// The roles with these ids, in the order of ids, without their permissions.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Role>> {
    conn.query(
        select!("NULL", "WHERE r.id = ANY($1) ORDER BY r.id"),
        params![ids],
        role,
    )
    .await
}

/// How many users hold each of these roles, by role id. Triggers keep the counts, in which expired
/// roles are until they are ended.
pub async fn members(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    conn.fold(
        "SELECT t.role_id, CAST(SUM(t.count) AS BIGINT)
                - (SELECT COUNT(*) FROM user_roles h
                   WHERE h.expires_at <= $2 AND h.expires_at < 9223372036854775807
                         AND /*no index*/h.role_id = t.role_id)
         FROM user_totals t WHERE t.role_id = ANY($1) GROUP BY t.role_id",
        params![ids, now],
        |found: &mut HashMap<i64, i64>, row| {
            found.insert(row.get(0)?, row.get(1)?);
            Ok(())
        },
    )
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Role>> {
    conn.fold(
        select!(
            "p.permission_id",
            "LEFT JOIN role_permissions p ON p.role_id = r.id WHERE r.id = $1"
        ),
        params![id],
        |found: &mut Option<Role>, row| {
            let found = match found {
                Some(found) => found,
                none => none.insert(role(row)?),
            };
            row.get::<Option<i64>>(0)?
                .inspect(|id| found.permissions.insert(*id));
            Ok(())
        },
    )
    .await
}

/// A role without its permissions.
fn role(row: &Row<'_>) -> Result<Role> {
    Ok(Role {
        id: row.get(1)?,
        name: row.get(2)?,
        description: row.get(3)?,
        color: Color::from_stored(row.get(4)?),
        permissions: PermissionSet::default(),
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM roles WHERE id = $1 FOR UPDATE", params![id])
        .await?;
    Ok(())
}

/// A role without its permissions, locked against deletion.
pub async fn find_and_lock(tx: &mut Tx, id: i64) -> Result<Option<Role>> {
    let sql = select!("NULL", "WHERE r.id = $1 FOR KEY SHARE");
    tx.query_opt(sql, params![id], role).await
}

/// Locks the roles against deletion.
pub async fn lock_shared(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM roles WHERE id = ANY($1) ORDER BY id FOR KEY SHARE",
        params![ids],
    )
    .await
}

/// The ids that are roles'.
pub async fn existing_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM roles WHERE id = ANY($1)",
        params![ids],
        |row| row.get(0),
    )
    .await
}

pub async fn insert(tx: &mut Tx, role: &Role) -> Result<i64> {
    tx.insert(
        "INSERT INTO roles (name, description, color) VALUES ($1, $2, $3) RETURNING id",
        params![&role.name, &role.description, role.color.as_str()],
    )
    .await
}

pub async fn update(tx: &mut Tx, role: &Role) -> Result<()> {
    tx.execute(
        "UPDATE roles SET name = $2, description = $3, color = $4 WHERE id = $1",
        params![role.id, &role.name, &role.description, role.color.as_str()],
    )
    .await?;
    Ok(())
}

pub async fn replace_permissions(tx: &mut Tx, id: i64, permissions: PermissionSet) -> Result<()> {
    tx.execute(
        "DELETE FROM role_permissions WHERE role_id = $1",
        params![id],
    )
    .await?;
    tx.execute(
        "INSERT INTO role_permissions (role_id, permission_id)
         SELECT $1, id FROM permissions WHERE id = ANY($2)",
        params![id, &permissions.ids()],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM roles WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts roles with their ids and permissions.
pub async fn load(tx: &mut Tx, roles: &[Role]) -> Result<()> {
    let rows = roles.iter().map(|role| {
        [
            role.id.into(),
            Value::from(&role.name),
            Value::from(&role.description),
            role.color.as_str().into(),
        ]
    });
    tx.load("roles", ["id", "name", "description", "color"], rows)
        .await?;
    for role in roles {
        replace_permissions(tx, role.id, role.permissions).await?;
    }
    Ok(())
}
