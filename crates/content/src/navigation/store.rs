//! SQL of the navigation items.

use std::collections::HashMap;

use db::{AdvisoryLock, Conn, Result, Row, Select, Tx, Value, params};

use super::{Item, Visibility};
use kernel::list::{CursorWindow, Order};

/// Selects a column of a joined table, then the columns that [`item`] reads.
macro_rules! select {
    ($joined:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $joined,
            ", i.id, i.title, i.url, i.new_tab, i.icon, i.position, i.visible_only_for_guests,
               i.visible_only_for_logged_in, i.visibility, i.parent_id
             FROM navigation_items i ",
            $rest
        )
    };
}

/// The only order of the list. A cursor is written `3.17`.
pub const POSITION: Order = Order::by_unsigned("position", &["i.position", "i.id"]);

/// Items by position, without their roles.
pub async fn list(conn: &mut Conn, window: &CursorWindow) -> Result<Vec<Item>> {
    let after = window.after.as_ref();
    let (sql, params) = Select::new(select!("NULL", ""))
        .order_by(
            POSITION.columns,
            POSITION.is_descending,
            after.map(|cursor| cursor.position.values()),
        )
        .push(" LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    conn.query(sql, &params, item).await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM navigation_items", &[], |row| {
        row.get(0)
    })
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Item>> {
    conn.fold(
        select!(
            "r.role_id",
            "LEFT JOIN navigation_item_roles r ON r.item_id = i.id
                 WHERE i.id = $1 ORDER BY r.role_id"
        ),
        params![id],
        |found: &mut Option<Item>, row| {
            let found = match found {
                Some(found) => found,
                none => none.insert(item(row)?),
            };
            found.roles.extend(row.get::<Option<i64>>(0)?);
            Ok(())
        },
    )
    .await
}

/// The children of an item, in order, without their roles.
pub async fn children(conn: &mut Conn, id: i64) -> Result<Vec<Item>> {
    conn.query(
        select!("NULL", "WHERE i.parent_id = $1 ORDER BY i.position, i.id"),
        params![id],
        item,
    )
    .await
}

/// An item without its roles.
fn item(row: &Row<'_>) -> Result<Item> {
    let visibility: String = row.get(9)?;
    Ok(Item {
        id: row.get(1)?,
        title: row.get(2)?,
        url: row.get(3)?,
        new_tab: row.get(4)?,
        icon: row.get(5)?,
        position: row.get(6)?,
        visible_only_for_guests: row.get(7)?,
        visible_only_for_logged_in: row.get(8)?,
        visibility: Visibility::from_name(&visibility).unwrap_or_default(),
        parent_id: row.get(10)?,
        roles: Vec::new(),
    })
}

/// Locks the whole tree against changes. An advisory lock, because the tree has no row to lock.
pub async fn lock_tree(tx: &mut Tx) -> Result<()> {
    tx.lock_advisory(AdvisoryLock::NavigationTree).await
}

/// The ids of an item and its ancestors; empty if there is no such item.
pub async fn path_to_root(conn: &mut Conn, id: i64) -> Result<Vec<i64>> {
    conn.query(
        "WITH RECURSIVE path (id, parent_id) AS (
             SELECT id, parent_id FROM navigation_items WHERE id = $1
             UNION
             SELECT i.id, i.parent_id FROM navigation_items i JOIN path ON i.id = path.parent_id
         )
         SELECT id FROM path",
        params![id],
        |row| row.get(0),
    )
    .await
}

pub async fn has_children(conn: &mut Conn, id: i64) -> Result<bool> {
    let child = conn
        .query_opt(
            "SELECT 1 FROM navigation_items WHERE parent_id = $1 LIMIT 1",
            params![id],
            |_| Ok(()),
        )
        .await?;
    Ok(child.is_some())
}

/// The positions of the items that exist, by id.
pub async fn positions(conn: &mut Conn, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    let positions = conn
        .query(
            "SELECT id, position FROM navigation_items WHERE id = ANY($1)",
            params![ids],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    Ok(positions.into_iter().collect())
}

pub async fn insert(tx: &mut Tx, item: &Item) -> Result<i64> {
    tx.insert(
        "INSERT INTO navigation_items (title, url, new_tab, icon, position,
             visible_only_for_guests, visible_only_for_logged_in, visibility, parent_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        params![
            &item.title,
            item.url.as_deref(),
            item.new_tab,
            item.icon.as_deref(),
            item.position,
            item.visible_only_for_guests,
            item.visible_only_for_logged_in,
            item.visibility.as_str(),
            item.parent_id,
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, item: &Item) -> Result<()> {
    tx.execute(
        "UPDATE navigation_items SET title = $2, url = $3, new_tab = $4, icon = $5, position = $6,
             visible_only_for_guests = $7, visible_only_for_logged_in = $8, visibility = $9,
             parent_id = $10
         WHERE id = $1",
        params![
            item.id,
            &item.title,
            item.url.as_deref(),
            item.new_tab,
            item.icon.as_deref(),
            item.position,
            item.visible_only_for_guests,
            item.visible_only_for_logged_in,
            item.visibility.as_str(),
            item.parent_id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn set_position(tx: &mut Tx, id: i64, position: i64) -> Result<()> {
    tx.execute(
        "UPDATE navigation_items SET position = $2 WHERE id = $1",
        params![id, position],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM navigation_items WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Adds roles, which must be locked: deleting one concurrently could deadlock.
pub async fn add_roles(tx: &mut Tx, id: i64, roles: &[i64]) -> Result<()> {
    tx.execute(
        "INSERT INTO navigation_item_roles (item_id, role_id)
         SELECT $1, id FROM roles WHERE id = ANY($2)
         ON CONFLICT DO NOTHING",
        params![id, roles],
    )
    .await?;
    Ok(())
}

pub async fn remove_roles(tx: &mut Tx, id: i64, roles: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM navigation_item_roles WHERE item_id = $1 AND role_id = ANY($2)",
        params![id, roles],
    )
    .await?;
    Ok(())
}

/// Removes all roles except these.
pub async fn retain_roles(tx: &mut Tx, id: i64, roles: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM navigation_item_roles WHERE item_id = $1 AND NOT (role_id = ANY($2))",
        params![id, roles],
    )
    .await?;
    Ok(())
}

/// Inserts items with their ids and roles, each after its parent.
pub async fn load(tx: &mut Tx, items: &[Item]) -> Result<()> {
    let columns = [
        "id",
        "title",
        "url",
        "new_tab",
        "icon",
        "position",
        "visible_only_for_guests",
        "visible_only_for_logged_in",
        "visibility",
        "parent_id",
    ];
    let rows = items.iter().map(|item| {
        [
            item.id.into(),
            Value::from(&item.title),
            item.url.as_deref().into(),
            item.new_tab.into(),
            item.icon.as_deref().into(),
            item.position.into(),
            item.visible_only_for_guests.into(),
            item.visible_only_for_logged_in.into(),
            item.visibility.as_str().into(),
            item.parent_id.into(),
        ]
    });
    tx.load("navigation_items", columns, rows).await?;
    let rows = items.iter().flat_map(|item| {
        let roles = item.roles.iter();
        roles.map(|role_id| [item.id.into(), (*role_id).into()])
    });
    tx.load("navigation_item_roles", ["item_id", "role_id"], rows)
        .await
}
