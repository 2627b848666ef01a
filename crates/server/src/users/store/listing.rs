use db::{Conn, Filter, Result};

use super::{select_users, user};
use crate::page::Window;
use crate::sort::Cursor;
use crate::timestamp::Timestamp;
use crate::users::input::{ACTIVE, BLOCKED};
use crate::users::{User, UserFilters, UserKey};

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<Vec<User>> {
    let sort = filters.sort();
    let after = window.after.as_ref().map(|cursor| cursor.mark.values());
    let (sql, params) = filtered(select_users!(), filters, now)
        .ordered(columns(sort.by), sort.descending, after)
        .then(" LIMIT ", window.limit)
        .then(" OFFSET ", window.offset)
        .build();
    conn.query(sql, &params, |row| user(row, now)).await
}

fn columns(key: UserKey) -> &'static [&'static str] {
    match key {
        UserKey::Id => &["u.id"],
        UserKey::Username => &["u.username_folded"],
        UserKey::CreatedAt => &["u.created_at", "u.id"],
    }
}

pub async fn count(conn: &mut Conn, now: Timestamp, filters: &UserFilters) -> Result<i64> {
    let (sql, params) = filtered("SELECT COUNT(*) FROM users u", filters, now).build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

/// Whether a block keeps a user out at the moment that is put in the middle.
macro_rules! blocked_at {
    ($before:literal) => {
        concat!(
            $before,
            "EXISTS (SELECT 1 FROM user_blocks b WHERE b.user_id = u.id AND b.lifted_at IS NULL
                     AND (b.until IS NULL OR b.until > "
        )
    };
}

/// The conditions on the status say the same as [`user`] does of a single row.
fn filtered<'a>(select: &str, filters: &'a UserFilters, now: Timestamp) -> Filter<'a> {
    let filter = Filter::new(select).when_inside(
        "u.id IN (SELECT user_id FROM user_roles WHERE role_id = ",
        filters.role_id.map(|id| id.0),
        ")",
    );
    match filters.status.as_ref().map(|status| status.as_str()) {
        Some(BLOCKED) => filter.when_inside(
            blocked_at!("u.status = 'blocked' AND "),
            Some(now),
            "))",
        ),
        Some(ACTIVE) => filter.when_inside(
            blocked_at!("(u.status = 'active' OR u.status = 'blocked' AND NOT "),
            Some(now),
            ")))",
        ),
        other => filter.when("u.status = ", other),
    }
}
