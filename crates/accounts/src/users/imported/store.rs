//! SQL of imported users.

use db::{Conn, Result, Tx, Value, params};

use super::{Identity, Known, OpenBlock, Unique};
use crate::users::devices::Device;
use crate::users::{BLOCKED, PastBlock, SocialLink};
use kernel::types::case_fold::fold;
use kernel::types::{Expiry, Timestamp};

/// Those of the folded values that users have, with the ids of these users.
pub async fn holders_of(
    conn: &mut Conn,
    unique: Unique,
    folded: &[String],
) -> Result<Vec<(String, i64)>> {
    // A look-up of each value, whichever plan was made for the table while it was empty.
    let sql = match unique {
        Unique::Username => {
            "SELECT value.value, (SELECT id FROM users WHERE username_folded = value.value)
             FROM unnest($1::text[]) value"
        }
        Unique::Email => {
            "SELECT value.value, (SELECT id FROM users WHERE email_folded = value.value)
             FROM unnest($1::text[]) value"
        }
    };
    let read = |row: &db::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: Vec<(String, Option<i64>)> = conn.query(sql, params![folded], read).await?;
    let found = found.into_iter();
    Ok(found.filter_map(|(value, id)| Some((value, id?))).collect())
}

pub async fn replace_username(tx: &mut Tx, id: i64, username: &str) -> Result<()> {
    tx.execute(
        "UPDATE users SET username = $2, username_folded = $3 WHERE id = $1",
        params![id, username, &fold(username)],
    )
    .await?;
    Ok(())
}

pub async fn replace_email(tx: &mut Tx, id: i64, email: &str) -> Result<()> {
    tx.execute(
        "UPDATE users SET email = $2, email_folded = $3 WHERE id = $1",
        params![id, email, &fold(email)],
    )
    .await?;
    Ok(())
}

/// The users with these ids. Unknown ids are skipped.
pub async fn known(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Known>> {
    conn.query(
        "SELECT id, username, status FROM users WHERE id = ANY($1)",
        params![ids],
        |row| {
            Ok(Known {
                id: row.get(0)?,
                username: row.get(1)?,
                status: row.get(2)?,
            })
        },
    )
    .await
}

/// The first users who hold one of these roles.
pub async fn names_in(conn: &mut Conn, role_ids: &[i64], limit: i64) -> Result<Vec<(i64, String)>> {
    conn.query(
        "SELECT id, username FROM users
         WHERE id IN (SELECT user_id FROM user_roles WHERE role_id = ANY($1)) ORDER BY id LIMIT $2",
        params![role_ids, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// The blocks of these users that are in force.
pub async fn open_blocks(conn: &mut Conn, user_ids: &[i64]) -> Result<Vec<OpenBlock>> {
    conn.query(
        "SELECT id, user_id, until FROM user_blocks WHERE user_id = ANY($1) AND lifted_at IS NULL",
        params![user_ids],
        |row| {
            Ok(OpenBlock {
                id: row.get(0)?,
                user_id: row.get(1)?,
                until: row.get::<Option<i64>>(2)?.map(Timestamp::from_unix),
            })
        },
    )
    .await
}

pub async fn lift(tx: &mut Tx, block_ids: &[i64], at: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_blocks SET lifted_at = $2 WHERE id = ANY($1)",
        params![block_ids, at],
    )
    .await?;
    Ok(())
}

/// Makes users blocked for as long as their blocks that are in force, which are written already.
pub async fn set_blocked(tx: &mut Tx, user_ids: &[i64]) -> Result<()> {
    tx.execute(
        "UPDATE users
         SET status = $2,
             blocked_until = COALESCE((SELECT until FROM user_blocks
                                       WHERE user_id = users.id AND lifted_at IS NULL), $3)
         WHERE id = ANY($1)",
        params![user_ids, BLOCKED, Expiry::NEVER],
    )
    .await?;
    Ok(())
}

/// Inserts blocks, each with its user.
pub async fn load_blocks(tx: &mut Tx, blocks: &[(i64, PastBlock)]) -> Result<()> {
    let columns = [
        "id",
        "user_id",
        "reason",
        "until",
        "blocked_at",
        "lifted_at",
        "by_key",
        "by_user",
        "by_name",
    ];
    let rows = blocks.iter().map(|(user_id, block)| {
        [
            block.id.into(),
            (*user_id).into(),
            Value::from(&block.terms.reason),
            block.terms.until.into(),
            block.at.into(),
            block.lifted_at.into(),
            block.by.key_id.into(),
            block.by.user_id.into(),
            Value::from(&block.by.name),
        ]
    });
    tx.load("user_blocks", columns, rows).await
}

/// Inserts devices, each with its user.
pub async fn load_devices(tx: &mut Tx, devices: &[(i64, Device)]) -> Result<()> {
    let columns = ["id", "user_id", "name", "user_agent", "last_active"];
    let rows = devices.iter().map(|(user_id, device)| {
        [
            device.id.into(),
            (*user_id).into(),
            Value::from(&device.name),
            Value::from(&device.user_agent),
            device.last_active.into(),
        ]
    });
    tx.load("user_devices", columns, rows).await
}

/// Those of the ids that are devices'.
pub async fn device_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM user_devices WHERE id = ANY($1)",
        params![ids],
        |row| row.get(0),
    )
    .await
}

/// Deletes all devices but the `kept` of each user that were used last. Returns their number.
pub async fn drop_old_devices(tx: &mut Tx, kept: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM user_devices WHERE id IN (
             SELECT id FROM (
                 SELECT id, ROW_NUMBER() OVER (PARTITION BY user_id
                                               ORDER BY last_active DESC, id DESC) AS place
                 FROM user_devices
                 WHERE user_id IN (SELECT user_id FROM user_devices
                                   GROUP BY user_id HAVING COUNT(*) > $1)
             ) ranked WHERE place > $1)",
        params![kept],
    )
    .await
}

/// The networks that these users have linked.
pub async fn linked(conn: &mut Conn, user_ids: &[i64]) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "SELECT user_id, network_id FROM user_social_links WHERE user_id = ANY($1)",
        params![user_ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// Inserts social links, each with its user.
pub async fn load_links(tx: &mut Tx, links: &[(i64, SocialLink)]) -> Result<()> {
    let columns = ["id", "user_id", "network_id", "profile_url"];
    let rows = links.iter().map(|(user_id, link)| {
        [
            link.id.into(),
            (*user_id).into(),
            link.network_id.into(),
            Value::from(&link.profile_url),
        ]
    });
    tx.load("user_social_links", columns, rows).await
}

/// Those of the subjects that are known, with their users.
pub async fn identities_of(
    conn: &mut Conn,
    provider: &str,
    subjects: &[String],
) -> Result<Vec<(String, i64)>> {
    let found: Vec<(String, Option<i64>)> = conn
        .query(
            "SELECT value.value, (SELECT user_id FROM user_identities
                                  WHERE provider = $1 AND subject = value.value)
             FROM unnest($2::text[]) value",
            params![provider, subjects],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    let found = found.into_iter();
    Ok(found.filter_map(|(value, id)| Some((value, id?))).collect())
}

pub async fn load_identities(tx: &mut Tx, identities: &[Identity]) -> Result<()> {
    let columns = ["user_id", "provider", "subject", "linked_at"];
    let rows = identities.iter().map(|identity| {
        [
            identity.user_id.into(),
            identity.provider.into(),
            Value::from(&identity.subject),
            identity.linked_at.into(),
        ]
    });
    tx.load("user_identities", columns, rows).await
}

/// Gives a known identity to another user.
pub async fn move_identity(tx: &mut Tx, identity: &Identity) -> Result<()> {
    tx.execute(
        "UPDATE user_identities SET user_id = $3, linked_at = $4
         WHERE provider = $1 AND subject = $2",
        params![
            identity.provider,
            &identity.subject,
            identity.user_id,
            identity.linked_at,
        ],
    )
    .await?;
    Ok(())
}
