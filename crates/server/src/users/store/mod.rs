pub mod blocks;
pub mod bulk;
pub mod devices;
pub mod erasure;
pub mod included;
pub mod listing;
pub mod load;
pub mod lookup;
pub mod search;
pub mod sign_in;
pub mod social;
pub mod totals;

use db::{Conn, Result, Row, Tx, params};

use super::blocks::BlockedUntil;
use super::{Block, Brief, HeldRole, Listed, User};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;

/// Selects what [`user`] reads, and further columns after it. The reason of the present block is in
/// the history.
macro_rules! select_users {
    ($($rest:literal)?) => {
        select_users!(with "", $($rest)?)
    };
    (with $columns:literal, $($rest:literal)?) => {
        concat!(
            "SELECT u.id, u.username, u.email, u.password_hash, u.status, u.created_at,
                    u.updated_at, u.blocked_until, b.reason, u.part_changes",
            $columns,
            " FROM users u
             LEFT JOIN user_blocks b
               ON b.user_id = u.id AND b.lifted_at IS NULL AND u.blocked_until IS NOT NULL ",
            $($rest)?
        )
    };
}
use select_users;

/// Whether the block of a user has expired; the present moment follows. This is the rule of
/// [`BlockedUntil`] in SQL. It is NULL for a user without a block.
macro_rules! has_expired_block {
    () => {
        "u.blocked_until <= "
    };
}
use has_expired_block;

/// Selects what [`listed`] reads. Tables to join come before the users.
macro_rules! select_listed {
    ($($rest:literal)?) => {
        select_listed!(from "", $($rest)?)
    };
    (from $joined:literal, $($rest:expr)?) => {
        concat!(
            "SELECT u.id, u.username, u.email, u.status, u.created_at, u.blocked_until FROM ",
            $joined,
            "users u ",
            $($rest)?
        )
    };
}
use select_listed;

/// A user with their roles. One statement, to save a round trip.
pub async fn find(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    let found = conn
        .fold(
            select_users!(
                with ", r.id, r.name, r.description",
                "LEFT JOIN user_roles h ON h.user_id = u.id
             LEFT JOIN roles r ON r.id = h.role_id
             WHERE u.id = $1"
            ),
            params![id],
            |found: &mut Option<User>, row| {
                let found = match found {
                    Some(found) => found,
                    none => none.insert(user(row, now)?),
                };
                found.roles.extend(held_role(row)?);
                Ok(())
            },
        )
        .await?;
    Ok(found.map(|mut user| {
        user.roles.sort_unstable_by_key(|role| role.id);
        user
    }))
}

fn held_role(row: &Row<'_>) -> Result<Option<HeldRole>> {
    let Some(id) = row.get(10)? else {
        return Ok(None);
    };
    Ok(Some(HeldRole {
        id,
        name: row.get(11)?,
        description: row.get(12)?,
    }))
}

fn blocked_until(row: &Row<'_>, index: usize) -> Result<Option<BlockedUntil>> {
    let stored: Option<i64> = row.get(index)?;
    Ok(stored.map(BlockedUntil::from_stored))
}

/// The block in force at `now`: the columns `blocked_until`, at `index`, and `reason` after it.
fn block(row: &Row<'_>, index: usize, now: Timestamp) -> Result<Option<Block>> {
    let until = blocked_until(row, index)?.filter(|until| until.is_in_force(now));
    let Some(until) = until else {
        return Ok(None);
    };
    Ok(Some(Block {
        reason: row.get::<Option<String>>(index + 1)?.unwrap_or_default(),
        until: until.end(),
    }))
}

/// A user at `now`, without roles, links and devices.
fn user(row: &Row<'_>, now: Timestamp) -> Result<User> {
    let blocked_until = blocked_until(row, 7)?;
    Ok(User {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        password_hash: Secret::new(row.get(3)?),
        status: BlockedUntil::status(blocked_until, row.get(4)?, now),
        block: block(row, 7, now)?,
        roles: Vec::new(),
        part_changes: row.get(9)?,
        created_at: Timestamp::from_unix(row.get(5)?),
        updated_at: Timestamp::from_unix(row.get(6)?),
    })
}

/// The fields of a user that a list shows, at `now`.
fn listed(row: &Row<'_>, now: Timestamp) -> Result<Listed> {
    Ok(Listed {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        status: BlockedUntil::status(blocked_until(row, 5)?, row.get(3)?, now),
        created_at: Timestamp::from_unix(row.get(4)?),
    })
}

pub async fn brief(conn: &mut Conn, id: i64) -> Result<Option<Brief>> {
    conn.query_opt(
        "SELECT id, username, email FROM users WHERE id = $1",
        params![id],
        to_brief,
    )
    .await
}

/// The same, and locks the user against deletion.
pub async fn brief_and_lock(tx: &mut Tx, id: i64) -> Result<Option<Brief>> {
    tx.query_opt(
        "SELECT id, username, email FROM users WHERE id = $1 FOR KEY SHARE",
        params![id],
        to_brief,
    )
    .await
}

fn to_brief(row: &Row<'_>) -> Result<Brief> {
    Ok(Brief {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
    })
}

/// Whether another user has this name, and whether another user has this address.
pub async fn taken(
    conn: &mut Conn,
    id: i64,
    username_folded: &str,
    email_folded: &str,
) -> Result<(bool, bool)> {
    let others: Vec<(bool, bool)> = conn
        .query(
            "SELECT username_folded = $2, email_folded = $3 FROM users
             WHERE (username_folded = $2 OR email_folded = $3) AND id <> $1",
            params![id, username_folded, email_folded],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    let username = others.iter().any(|(username, _)| *username);
    let email = others.iter().any(|(_, email)| *email);
    Ok((username, email))
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", params![id])
        .await
}

pub async fn insert(tx: &mut Tx, user: &User) -> Result<i64> {
    tx.insert(
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                            created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        params![
            &user.username,
            &user.email,
            &fold(&user.username),
            &fold(&user.email),
            user.password_hash.reveal(),
            &user.status,
            user.created_at,
            user.updated_at,
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, user: &User) -> Result<()> {
    tx.execute(
        "UPDATE users SET username = $2, email = $3, username_folded = $4, email_folded = $5,
                          password_hash = $6, status = $7, blocked_until = $8, updated_at = $9
         WHERE id = $1",
        params![
            user.id,
            &user.username,
            &user.email,
            &fold(&user.username),
            &fold(&user.email),
            user.password_hash.reveal(),
            &user.status,
            BlockedUntil::of(user.block.as_ref()),
            user.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn count_part_change(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "UPDATE users SET part_changes = part_changes + 1 WHERE id = $1",
        params![id],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM users WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn role_ids(conn: &mut Conn, id: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT role_id FROM user_roles WHERE user_id = $1 ORDER BY role_id",
        params![id],
        |row| row.get(0),
    )
    .await
}

pub async fn replace_roles(tx: &mut Tx, id: i64, role_ids: &[i64]) -> Result<()> {
    tx.execute("DELETE FROM user_roles WHERE user_id = $1", params![id])
        .await?;
    tx.execute(
        "INSERT INTO user_roles (user_id, role_id)
         SELECT $1, id FROM roles WHERE id = ANY($2)",
        params![id, role_ids],
    )
    .await?;
    Ok(())
}
