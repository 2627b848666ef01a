use db::{Conn, Query, Result, Row, Select, Value, params};

use super::{has_expired_block, listed, select_listed, totals};
use crate::users::input::{ACTIVE, BLOCKED};
use crate::users::{Listed, UserFilters, UserKey};
use kernel::list::{Cursor, Window, in_order_of, place_in};
use kernel::types::Timestamp;

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<Vec<Listed>> {
    if !window.is_near() {
        return far_inside(conn, now, filters, window).await;
    }
    let (sql, params) = part(now, filters, window).build();
    let read = conn.query(sql, &params, |row| listed(row, now)).await?;
    Ok(window.in_order(read))
}

/// Passes over ids alone, and over as few as can be, before it reads users.
async fn far_inside(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<Vec<Listed>> {
    let sort = filters.sort();
    let descending = sort.descending != window.from_end;
    let mut place = Place {
        offset: window.offset,
        ..Place::default()
    };
    if sort.by == UserKey::Id && filters.status.is_none() && filters.role_id.is_none() {
        match by_stretches(conn, window, descending).await? {
            Some(found) => place = found,
            None => return Ok(Vec::new()),
        }
    }
    let ids = "SELECT u.id FROM users u ";
    let of_role = "SELECT u.id FROM users u JOIN user_roles r ON r.user_id = u.id";
    let (filter, columns) = with_role(ids, of_role, filters);
    let filter = of_status(filter, filters, now, uses_status_index(filters))
        .and("u.id >= ", place.first)
        .and("u.id <= ", place.last);
    let (sql, params) = filter
        .order_by(columns, descending, None)
        .push(" LIMIT ", window.limit)
        .push(" OFFSET ", place.offset)
        .build();
    let ids: Vec<i64> = conn.query(sql, &params, |row| row.get(0)).await?;
    Ok(window.in_order(by_ids(conn, now, &ids).await?))
}

/// Those who have these ids, in this order.
pub async fn by_ids(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<Vec<Listed>> {
    let sql = select_listed!("WHERE u.id = ANY($1)");
    let params = params![ids];
    let found = conn.query(sql, params, |row| listed(row, now)).await?;
    Ok(in_order_of(ids, found, |user| user.id))
}

/// Where a list begins that is read only from somewhere inside.
#[derive(Default)]
struct Place {
    first: Option<i64>,
    last: Option<i64>,
    offset: i64,
}

/// How many ids a stretch spans, as a power of two, and a wide one.
const STRETCH: u32 = 10;
const WIDE: u32 = 15;

/// Goes by wide stretches first, then by those inside the one that the window begins in.
async fn by_stretches<K>(
    conn: &mut Conn,
    window: &Window<K>,
    descending: bool,
) -> Result<Option<Place>> {
    let wide = "SELECT stretch, CAST(SUM(count) AS BIGINT) FROM user_wide_stretches
                GROUP BY stretch ORDER BY stretch";
    let wide = stretches(conn, wide, &[], descending).await?;
    let Some((wide, offset)) = place_in(wide, window.offset) else {
        return Ok(None);
    };
    let inside = "SELECT stretch, CAST(SUM(count) AS BIGINT) FROM user_stretches
                  WHERE stretch >= $1 AND stretch < $2 GROUP BY stretch ORDER BY stretch";
    let ends = [wide, wide + 1].map(|end| (end << (WIDE - STRETCH)).into());
    let inside = stretches(conn, inside, &ends, descending).await?;
    // Some may have gone in between; then what is left is passed over one by one.
    let (width, (stretch, offset)) = match place_in(inside, offset) {
        Some(found) => (STRETCH, found),
        None => (WIDE, (wide, offset)),
    };
    Ok(Some(Place {
        first: (!descending).then_some(stretch << width),
        last: descending.then_some((stretch << width) | ((1 << width) - 1)),
        offset,
    }))
}

async fn stretches(
    conn: &mut Conn,
    sql: &'static str,
    params: &[Value<'_>],
    descending: bool,
) -> Result<Vec<(i64, i64)>> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let mut stretches = conn.query(sql, params, read).await?;
    if descending {
        stretches.reverse();
    }
    Ok(stretches)
}

/// A list and how long it is as a whole.
pub async fn list_and_count(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<(Vec<Listed>, i64)> {
    let (sql, params) = part(now, filters, window).build();
    let list = Query {
        sql,
        params,
        map: |row: &Row<'_>| listed(row, now),
    };
    let (total, read) = conn.query_both(totals::of(now, filters), list).await?;
    Ok((window.in_order(read), total.into_iter().sum()))
}

fn part<'a>(
    now: Timestamp,
    filters: &'a UserFilters,
    window: &'a Window<Option<Cursor<UserKey>>>,
) -> Select<'a> {
    let sort = filters.sort();
    let of_role = select_listed!("JOIN user_roles r ON r.user_id = u.id");
    let (filter, columns) = with_role(select_listed!(), of_role, filters);
    let after = window.after.as_ref().map(|cursor| cursor.mark.values());
    of_status(filter, filters, now, uses_status_index(filters))
        .order_by(columns, sort.descending != window.from_end, after)
        .push(" LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
}

/// Those who have a role are in an index by their ids; in any other order the index of the order
/// is walked. With it come the columns of the order.
fn with_role<'a>(
    select: &str,
    of_role: &str,
    filters: &'a UserFilters,
) -> (Select<'a>, &'static [&'static str]) {
    let role_id = filters.role_id.map(|id| id.0);
    match (filters.sort().by, role_id) {
        (UserKey::Id, Some(_)) => {
            let filter = Select::new(of_role).and("r.role_id = ", role_id);
            (filter, &["r.user_id"])
        }
        (key, _) => {
            let filter = Select::new(select).and_in(
                "EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id AND r.role_id = ",
                role_id,
                ")",
            );
            (filter, columns(key))
        }
    }
}

fn uses_status_index(filters: &UserFilters) -> bool {
    filters.sort().by == UserKey::Id && filters.role_id.is_none()
}

fn columns(key: UserKey) -> &'static [&'static str] {
    match key {
        UserKey::Id => &["u.id"],
        UserKey::Username => &["u.username_folded"],
        UserKey::CreatedAt => &["u.created_at", "u.id"],
    }
}

/// Says the same of all rows as [`listed`] does of one: a user with an expired block is active.
fn of_status<'a>(
    filter: Select<'a>,
    filters: &'a UserFilters,
    now: Timestamp,
    by_index: bool,
) -> Select<'a> {
    let filter = filter.without_index(!by_index);
    match filters.status.as_ref().map(|status| status.as_str()) {
        Some(BLOCKED) => filter.and(
            concat!("u.status = 'blocked' AND NOT ", has_expired_block!()),
            Some(now),
        ),
        // Most are active, so this condition leaves hardly anybody out.
        Some(ACTIVE) => filter.without_index(true).and_in(
            concat!(
                "u.status IN ('active', 'blocked') AND (/*no index*/u.status = 'active' OR ",
                has_expired_block!()
            ),
            Some(now),
            ")",
        ),
        other => filter.and("u.status = ", other),
    }
}
