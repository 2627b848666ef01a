pub mod blocks;
pub mod bulk;
pub mod devices;
pub mod listing;
pub mod load;
pub mod search;
pub mod sign_in;
pub mod social;
pub mod totals;

use db::{Conn, Result, Row, Tx, params};

use super::input::{ACTIVE, BLOCKED};
use super::{Block, Brief, HeldRole, Listed, User};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;

/// Selects what [`user`] reads, and further columns behind it. A block that has run out may be left
/// over beside another status; then it means nothing.
macro_rules! select_users {
    ($($rest:literal)?) => {
        select_users!(with "", $($rest)?)
    };
    (with $columns:literal, $($rest:literal)?) => {
        concat!(
            "SELECT u.id, u.username, u.email, u.password_hash, u.status, u.created_at,
                    u.updated_at, b.reason, b.until, u.part_changes",
            $columns,
            " FROM users u
             LEFT JOIN user_blocks b
               ON b.user_id = u.id AND b.lifted_at IS NULL AND u.status = 'blocked' ",
            $($rest)?
        )
    };
}
use select_users;

/// When the block of a user ends that nobody has lifted, or the end of time; nothing without one.
/// It is looked up for those alone who come out, so nothing is joined.
macro_rules! blocked_until {
    () => {
        "(SELECT COALESCE(b.until, 9223372036854775807) FROM user_blocks b
          WHERE b.user_id = u.id AND b.lifted_at IS NULL)"
    };
}
use blocked_until;

/// Selects what [`listed`] reads. What is joined to comes before the users.
macro_rules! select_listed {
    ($($rest:literal)?) => {
        select_listed!(from "", $($rest)?)
    };
    (from $joined:literal, $($rest:expr)?) => {
        concat!(
            "SELECT u.id, u.username, u.email, u.status, u.created_at,
                    CASE WHEN u.status = 'blocked' THEN ",
            $crate::users::store::blocked_until!(),
            " END FROM ",
            $joined,
            "users u ",
            $($rest)?
        )
    };
}
use select_listed;

/// A user with their roles, which is one statement, since each has its price.
pub async fn find(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    let mut found: Option<User> = None;
    conn.query(
        select_users!(
            with ", r.id, r.name, r.description",
            "LEFT JOIN user_roles h ON h.user_id = u.id
             LEFT JOIN roles r ON r.id = h.role_id
             WHERE u.id = $1"
        ),
        params![id],
        |row| {
            let found = match &mut found {
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

/// A user without what hangs on them, as things stand at this moment.
fn user(row: &Row<'_>, now: Timestamp) -> Result<User> {
    let until: Option<i64> = row.get(8)?;
    let block = row.get::<Option<String>>(7)?.map(|reason| Block {
        reason,
        until: until.map(Timestamp::from_unix),
    });
    let block = block.filter(|block| !block.is_over(now));
    let mut status: String = row.get(4)?;
    if status == BLOCKED && block.is_none() {
        status = ACTIVE.into();
    }
    Ok(User {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        password_hash: Secret::new(row.get(3)?),
        status,
        block,
        roles: Vec::new(),
        social_networks: Vec::new(),
        devices: Vec::new(),
        part_changes: row.get(9)?,
        created_at: Timestamp::from_unix(row.get(5)?),
        updated_at: Timestamp::from_unix(row.get(6)?),
    })
}

/// As much of a user as a list shows, as things stand at this moment.
fn listed(row: &Row<'_>, now: Timestamp) -> Result<Listed> {
    let mut status: String = row.get(3)?;
    if status == BLOCKED {
        let until: Option<i64> = row.get(5)?;
        let is_blocked = until.is_some_and(|until| now.unix() < until);
        status = if is_blocked { BLOCKED } else { ACTIVE }.into();
    }
    Ok(Listed {
        id: row.get(0)?,
        username: row.get(1)?,
        email: row.get(2)?,
        status,
        created_at: Timestamp::from_unix(row.get(4)?),
    })
}

pub async fn brief(conn: &mut Conn, id: i64) -> Result<Option<Brief>> {
    conn.query_opt(
        "SELECT id, username, email FROM users WHERE id = $1",
        params![id],
        |row| {
            Ok(Brief {
                id: row.get(0)?,
                username: row.get(1)?,
                email: row.get(2)?,
            })
        },
    )
    .await
}

/// Whether anybody else has this name, and whether anybody else has this address.
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

/// Keeps the user from being deleted.
pub async fn hold(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, user: &User) -> Result<i64> {
    tx.query_one(
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
        |row| row.get(0),
    )
    .await
}

pub async fn update(tx: &mut Tx, user: &User) -> Result<()> {
    tx.execute(
        "UPDATE users SET username = $2, email = $3, username_folded = $4, email_folded = $5,
                          password_hash = $6, status = $7, updated_at = $8, part_changes = $9
         WHERE id = $1",
        params![
            user.id,
            &user.username,
            &user.email,
            &fold(&user.username),
            &fold(&user.email),
            user.password_hash.reveal(),
            &user.status,
            user.updated_at,
            user.part_changes,
        ],
    )
    .await?;
    Ok(())
}

/// For a part that comes without a change of the user's own.
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
