//! SQL of the parts of many users, by user id.

use std::collections::HashMap;

use db::{Conn, Result, params};

use crate::users::blocks::blocked_by;
use crate::users::included::CurrentBlock;
use crate::users::store::block;
use crate::users::{HeldRole, SocialLink};
use kernel::types::{Expiry, Timestamp};

/// The roles held at `now`, by user id.
pub async fn roles(
    conn: &mut Conn,
    now: Timestamp,
    user_ids: &[i64],
) -> Result<HashMap<i64, Vec<HeldRole>>> {
    conn.fold(
        "SELECT h.user_id, r.id, r.name, r.description, h.expires_at
         FROM user_roles h JOIN roles r ON r.id = h.role_id
         WHERE h.user_id = ANY($1) AND h.expires_at > $2 ORDER BY r.id",
        params![user_ids, now],
        |found: &mut HashMap<i64, Vec<HeldRole>>, row| {
            found.entry(row.get(0)?).or_default().push(HeldRole {
                id: row.get(1)?,
                name: row.get(2)?,
                description: row.get(3)?,
                expires_at: Expiry::from_stored(row.get(4)?).time(),
            });
            Ok(())
        },
    )
    .await
}

/// The links, by user id.
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
) -> Result<HashMap<i64, CurrentBlock>> {
    conn.fold(
        "SELECT u.id, u.blocked_until, b.reason, b.blocked_at, b.by_key, b.by_user, b.by_name
         FROM users u JOIN user_blocks b ON b.user_id = u.id AND b.lifted_at IS NULL
         WHERE u.id = ANY($1)",
        params![user_ids],
        |found: &mut HashMap<i64, CurrentBlock>, row| {
            if let Some(terms) = block(row, 1, now)? {
                let current = CurrentBlock {
                    terms,
                    at: Timestamp::from_unix(row.get(3)?),
                    by: blocked_by(row, 4)?,
                };
                found.insert(row.get(0)?, current);
            }
            Ok(())
        },
    )
    .await
}
