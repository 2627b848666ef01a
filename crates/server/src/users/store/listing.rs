use db::{Conn, Filter, Query, Result, Row};

use super::{select_users, totals, user};
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
    let (sql, params) = part(now, filters, window).build();
    let read = conn.query(sql, &params, |row| user(row, now)).await?;
    Ok(window.in_order(read))
}

/// A list and how long it is as a whole.
pub async fn list_and_count(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<(Vec<User>, i64)> {
    let (sql, params) = part(now, filters, window).build();
    let list = Query {
        sql,
        params,
        map: |row: &Row<'_>| user(row, now),
    };
    let (total, read) = conn.both(totals::of(now, filters), list).await?;
    Ok((window.in_order(read), total.into_iter().sum()))
}

fn part<'a>(
    now: Timestamp,
    filters: &'a UserFilters,
    window: &'a Window<Option<Cursor<UserKey>>>,
) -> Filter<'a> {
    let sort = filters.sort();
    let role_id = filters.role_id.map(|id| id.0);
    // Those who have a role are in an index by their ids; in any other order the index of the
    // order is walked.
    let (filter, columns): (_, &[&str]) = match (sort.by, role_id) {
        (UserKey::Id, Some(_)) => {
            let select = select_users!("JOIN user_roles r ON r.user_id = u.id");
            let filter = Filter::new(select).when("r.role_id = ", role_id);
            (filter, &["r.user_id"])
        }
        _ => {
            let filter = Filter::new(select_users!()).when_inside(
                "EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id AND r.role_id = ",
                role_id,
                ")",
            );
            (filter, columns(sort.by))
        }
    };
    let with_status_index = sort.by == UserKey::Id && role_id.is_none();
    let after = window.after.as_ref().map(|cursor| cursor.mark.values());
    of_status(filter, filters, now, with_status_index)
        .ordered(columns, sort.descending != window.from_end, after)
        .then(" LIMIT ", window.limit)
        .then(" OFFSET ", window.offset)
}

fn columns(key: UserKey) -> &'static [&'static str] {
    match key {
        UserKey::Id => &["u.id"],
        UserKey::Username => &["u.username_folded"],
        UserKey::CreatedAt => &["u.created_at", "u.id"],
    }
}

/// Says the same of all rows as [`user`] does of one: a block that has run out is none. What
/// follows is the moment.
macro_rules! blocked_at {
    () => {
        "EXISTS (SELECT 1 FROM user_blocks b WHERE b.user_id = u.id AND b.lifted_at IS NULL
                 AND (b.until IS NULL OR b.until > "
    };
}

fn of_status<'a>(
    filter: Filter<'a>,
    filters: &'a UserFilters,
    now: Timestamp,
    by_index: bool,
) -> Filter<'a> {
    let filter = filter.aside(!by_index);
    match filters.status.as_ref().map(|status| status.as_str()) {
        Some(BLOCKED) => filter.when_inside(
            concat!("u.status = 'blocked' AND ", blocked_at!()),
            Some(now),
            "))",
        ),
        // Most are active, so this condition leaves hardly anybody out.
        Some(ACTIVE) => filter.aside(true).when_inside(
            concat!(
                "u.status IN ('active', 'blocked') AND (u.status = 'active' OR NOT ",
                blocked_at!()
            ),
            Some(now),
            ")))",
        ),
        other => filter.when("u.status = ", other),
    }
}
