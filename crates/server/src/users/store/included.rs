//! Parts of many users, by the id of the user.

use std::collections::HashMap;

use db::{Conn, Result, params};

use super::block;
use crate::users::{Block, HeldRole, SocialLink};
use kernel::types::Timestamp;

/// The roles of each user, by id.
pub async fn roles(conn: &mut Conn, user_ids: &[i64]) -> Result<HashMap<i64, Vec<HeldRole>>> {
    conn.fold(
        "SELECT h.user_id, r.id, r.name, r.description
         FROM user_roles h JOIN roles r ON r.id = h.role_id
         WHERE h.user_id = ANY($1) ORDER BY r.id",
        params![user_ids],
        |found: &mut HashMap<i64, Vec<HeldRole>>, row| {
            found.entry(row.get(0)?).or_default().push(HeldRole {
                id: row.get(1)?,
                name: row.get(2)?,
                description: row.get(3)?,
            });
            Ok(())
        },
    )
    .await
}

/// The links of each user, by id.
pub async fn social_links(
    conn: &mut Conn,
    user_ids: &[i64],
) -> Result<HashMap<i64, Vec<SocialLink>>> {
    conn.fold(
        "SELECT l.user_id, l.id, n.id, n.name, l.profile_url
         FROM user_social_links l JOIN social_networks n ON n.id = l.network_id
         WHERE l.user_id = ANY($1) ORDER BY l.id",
        params![user_ids],
        |found: &mut HashMap<i64, Vec<SocialLink>>, row| {
            found.entry(row.get(0)?).or_default().push(SocialLink {
                id: row.get(1)?,
                network_id: row.get(2)?,
                network: row.get(3)?,
                profile_url: row.get(4)?,
            });
            Ok(())
        },
    )
    .await
}

/// The blocks in force at `now`.
pub async fn blocks(
    conn: &mut Conn,
    now: Timestamp,
    user_ids: &[i64],
) -> Result<HashMap<i64, Block>> {
    conn.fold(
        "SELECT u.id, u.blocked_until, b.reason
         FROM users u
         LEFT JOIN user_blocks b
           ON b.user_id = u.id AND b.lifted_at IS NULL AND u.blocked_until IS NOT NULL
         WHERE u.id = ANY($1)",
        params![user_ids],
        |found: &mut HashMap<i64, Block>, row| {
            if let Some(block) = block(row, 1, now)? {
                found.insert(row.get(0)?, block);
            }
            Ok(())
        },
    )
    .await
}
