use db::{Conn, Result, Row, Tx, params};

use super::blocks::{Block, BlockedUntil};
use super::{Brief, HeldRole, Listed, User};
use kernel::input::Unique;
use kernel::secret::Secret;
use kernel::types::case_fold::fold;
use kernel::types::{Expiry, Timestamp};

/// Selects the columns that [`user`] reads, then further columns. The reason of the current block
/// is in the history.
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

/// Whether the block of a user has expired; the current time follows. This is the rule of
/// [`BlockedUntil`] in SQL. It is NULL for a user without a block.
macro_rules! has_expired_block {
    () => {
        "u.blocked_until <= "
    };
}
pub(super) use has_expired_block;

/// Selects the columns that [`listed`] reads. Tables to join come before the users.
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
pub(super) use select_listed;

/// Usernames are unique, ignoring case.
pub const USERNAME: Unique = Unique {
    field: "username",
    constraint: "users_username_folded_key",
    select_id: "SELECT id FROM users WHERE username_folded = $1",
};

/// Addresses are unique, ignoring case.
pub const EMAIL: Unique = Unique {
    field: "email",
    constraint: "users_email_folded_key",
    select_id: "SELECT id FROM users WHERE email_folded = $1",
};

pub const UNIQUE: &[Unique] = &[USERNAME, EMAIL];

/// A user with the roles that they hold at `now`.
pub async fn find(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    let found = find_to_change(conn, now, id).await?;
    Ok(found.map(|(user, _)| user))
}

/// A user with the roles that they hold at `now`, in one statement to save a round trip. Also
/// returns whether others have expired.
pub async fn find_to_change(
    conn: &mut Conn,
    now: Timestamp,
    id: i64,
) -> Result<Option<(User, bool)>> {
    let found = conn
        .fold(
            select_users!(
                with ", r.id, r.name, r.description, h.expires_at",
                "LEFT JOIN user_roles h ON h.user_id = u.id
             LEFT JOIN roles r ON r.id = h.role_id
             WHERE u.id = $1"
            ),
            params![id],
            |found: &mut Option<(User, bool)>, row| {
                let (user, has_expired) = match found {
                    Some(found) => found,
                    none => none.insert((user(row, now)?, false)),
                };
                if let Some((role, expiry)) = held_role(row)? {
                    match expiry.has_passed(now) {
                        true => *has_expired = true,
                        false => user.roles.push(role),
                    }
                }
                Ok(())
            },
        )
        .await?;
    Ok(found.map(|(mut user, has_expired)| {
        user.roles.sort_unstable_by_key(|role| role.id);
        (user, has_expired)
    }))
}

/// The users with these ids, without roles, links and devices.
pub async fn find_many(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<Vec<User>> {
    conn.query(select_users!("WHERE u.id = ANY($1)"), params![ids], |row| {
        user(row, now)
    })
    .await
}

fn held_role(row: &Row<'_>) -> Result<Option<(HeldRole, Expiry)>> {
    let Some(id) = row.get(10)? else {
        return Ok(None);
    };
    let expiry = Expiry::from_stored(row.get(13)?);
    let role = HeldRole {
        id,
        name: row.get(11)?,
        description: row.get(12)?,
        expires_at: expiry.time(),
    };
    Ok(Some((role, expiry)))
}

fn blocked_until(row: &Row<'_>, index: usize) -> Result<Option<BlockedUntil>> {
    let stored: Option<i64> = row.get(index)?;
    Ok(stored.map(BlockedUntil::from_stored))
}

/// The block in force at `now`: the columns `blocked_until`, at `index`, and `reason` after it.
pub fn block(row: &Row<'_>, index: usize, now: Timestamp) -> Result<Option<Block>> {
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

/// The fields of a listed user, at `now`.
pub fn listed(row: &Row<'_>, now: Timestamp) -> Result<Listed> {
    Ok(Listed {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        status: BlockedUntil::status(blocked_until(row, 5)?, row.get(3)?, now),
        created_at: Timestamp::from_unix(row.get(4)?),
        blocked_until: row.get(5)?,
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

/// Like [`brief`], and prevents the user's deletion until the end of the transaction.
pub async fn held(tx: &mut Tx, id: i64) -> Result<Option<Brief>> {
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

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", params![id])
        .await
}

/// Locks users in the order of their ids, so that two transactions cannot deadlock.
pub async fn lock_many(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM users WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        params![ids],
    )
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

/// Stores when the user was changed.
pub async fn update_time(tx: &mut Tx, user: &User) -> Result<()> {
    tx.execute(
        "UPDATE users SET updated_at = $2 WHERE id = $1",
        params![user.id, user.updated_at],
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

/// The ids of the roles that a user holds at `now`, in order.
pub async fn role_ids(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT role_id FROM user_roles WHERE user_id = $1 AND expires_at > $2 ORDER BY role_id",
        params![id, now],
        |row| row.get(0),
    )
    .await
}
