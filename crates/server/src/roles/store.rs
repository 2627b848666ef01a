use db::{Conn, Result, Row, Tx, params};

use super::{Color, Role};
use kernel::auth::permission::PermissionSet;
use kernel::list::Window;

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Role>> {
    conn.query(
        "SELECT id, name, description, color FROM roles
         WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3",
        params![window.after, window.limit, window.offset],
        role,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM roles", &[], |row| row.get(0))
        .await
}

pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Role>> {
    conn.query(
        "SELECT id, name, description, color FROM roles WHERE id = ANY($1) ORDER BY id",
        params![ids],
        role,
    )
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Role>> {
    let mut permissions = PermissionSet::default();
    let role = conn
        .query(
            "SELECT r.id, r.name, r.description, r.color, p.permission_id
             FROM roles r LEFT JOIN role_permissions p ON p.role_id = r.id
             WHERE r.id = $1",
            params![id],
            |row| {
                row.get::<Option<i64>>(4)?
                    .inspect(|id| permissions.insert(*id));
                role(row)
            },
        )
        .await?
        .pop();
    Ok(role.map(|role| Role {
        permissions,
        ..role
    }))
}

/// A role without its permissions.
fn role(row: &Row<'_>) -> Result<Role> {
    Ok(Role {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        color: Color::from_stored(row.get(3)?),
        permissions: PermissionSet::default(),
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM roles WHERE id = $1 FOR UPDATE", params![id])
        .await?;
    Ok(())
}

/// Keeps the roles from being deleted.
pub async fn hold(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM roles WHERE id = ANY($1) ORDER BY id FOR KEY SHARE",
        params![ids],
    )
    .await
}

pub async fn existing(conn: &mut Conn, ids: &[i64]) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM roles WHERE id = ANY($1)",
        params![ids],
        |row| row.get(0),
    )
    .await
}

pub async fn insert(tx: &mut Tx, role: &Role) -> Result<i64> {
    tx.query_one(
        "INSERT INTO roles (name, description, color) VALUES ($1, $2, $3) RETURNING id",
        params![&role.name, &role.description, role.color.as_str()],
        |row| row.get(0),
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
