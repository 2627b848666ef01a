use db::{Conn, Containing, Query, Result, Row, params};

use super::{listed, select_listed};
use crate::users::Listed;
use crate::users::search::{Counted, Since, Terms};
use kernel::list::Window;
use kernel::types::Timestamp;

/// Whether the text is in a name or an address.
macro_rules! contains {
    ($text:literal) => {
        concat!(
            "(strpos(u.username_folded, ",
            $text,
            ") > 0 OR strpos(u.email_folded, ",
            $text,
            ") > 0)"
        )
    };
}

/// How many users there are, and how many were deleted or renamed.
macro_rules! state {
    () => {
        "(SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM user_totals WHERE role_id = 0),
         (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM user_changes)"
    };
}

fn exactly<'a>(
    folded: &'a str,
    now: Timestamp,
) -> Query<'a, impl FnMut(&Row<'_>) -> Result<Listed> + use<'a>> {
    Query {
        sql: select_listed!("WHERE u.username_folded = $1 OR u.email_folded = $1 ORDER BY u.id"),
        params: params![folded].to_vec(),
        map: move |row: &Row<'_>| listed(row, now),
    }
}

/// The names and addresses of some users, from the first to the last.
pub async fn sample(conn: &mut Conn, most: i64) -> Result<Vec<(String, String)>> {
    let last: i64 = conn
        .query_one("SELECT COALESCE(MAX(id), 0) FROM users", &[], |row| {
            row.get(0)
        })
        .await?;
    let step = last / most + 1;
    let ids: Vec<i64> = (1..=most).map(|n| step.saturating_mul(n)).collect();
    conn.query(
        "SELECT username_folded, email_folded FROM users WHERE id = ANY($1)",
        params![&ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// Some of those whose name or address contains the text, in no order.
pub async fn some(
    conn: &mut Conn,
    now: Timestamp,
    Terms { text, piece }: Terms<'_>,
    limit: i64,
) -> Result<Vec<Listed>> {
    let sql = select_listed!(from "user_search($1) s CROSS JOIN ", concat!(
        "WHERE u.id = s.rowid AND ",
        contains!("$2"),
        " LIMIT $3"
    ));
    let params = params![Containing(piece), text, limit];
    conn.query(sql, params, |row| listed(row, now)).await
}

/// Whose name or address is this, and how many there are whose name or address contains it.
pub async fn count(
    conn: &mut Conn,
    now: Timestamp,
    Terms { text, piece }: Terms<'_>,
) -> Result<(Vec<Listed>, Option<Counted>)> {
    let mut params = params![Containing(piece)].to_vec();
    // Of three characters alone the index gives nothing that does not contain them.
    let sql = if text.chars().nth(3).is_none() {
        concat!(
            "SELECT COUNT(*), ",
            state!(),
            ", (SELECT COALESCE(MAX(id), 0) FROM users) FROM user_search($1)"
        )
    } else {
        params.push(text.into());
        concat!(
            "SELECT COUNT(*), ",
            state!(),
            ", (SELECT COALESCE(MAX(id), 0) FROM users)
             FROM user_search($1) s CROSS JOIN users u WHERE u.id = s.rowid AND ",
            contains!("$2")
        )
    };
    let map = |row: &Row<'_>| {
        Ok(Counted {
            total: row.get(0)?,
            users: row.get(1)?,
            changes: row.get(2)?,
            last_id: row.get(3)?,
        })
    };
    let (exact, counted) = conn
        .query_both(exactly(text, now), Query { sql, params, map })
        .await?;
    Ok((exact, counted.into_iter().next()))
}

/// Whose name or address is this, and how things have changed among those who came after `last_id`.
pub async fn since(
    conn: &mut Conn,
    now: Timestamp,
    folded: &str,
    last_id: i64,
) -> Result<(Vec<Listed>, Option<Since>)> {
    let query = Query {
        sql: concat!(
            "SELECT COUNT(CASE WHEN ",
            contains!("$2"),
            " THEN 1 END), COUNT(*), ",
            state!(),
            ", COALESCE(MAX(u.id), $1) FROM users u WHERE u.id > $1"
        ),
        params: params![last_id, folded].to_vec(),
        map: |row: &Row<'_>| {
            Ok(Since {
                matching: row.get(0)?,
                added: row.get(1)?,
                users: row.get(2)?,
                changes: row.get(3)?,
                last_id: row.get(4)?,
            })
        },
    };
    let (exact, since) = conn.query_both(exactly(folded, now), query).await?;
    Ok((exact, since.into_iter().next()))
}

/// Those who are found in the index, in the order of their ids, but for whoever has exactly this
/// name or address.
macro_rules! others {
    ($found:literal, $order:literal) => {
        concat!(
            "WITH found AS ",
            $found,
            " (SELECT rowid FROM user_search($1)) ",
            select_listed!(from "found s CROSS JOIN ", concat!(
                "WHERE u.id = s.rowid AND u.username_folded <> $2 AND u.email_folded <> $2 AND ",
                contains!("$2"),
                " ORDER BY s.rowid",
                $order,
                " LIMIT $3 OFFSET $4"
            ))
        )
    };
}

pub async fn others(
    conn: &mut Conn,
    now: Timestamp,
    Terms { text, piece }: Terms<'_>,
    window: Window,
    are_few: bool,
) -> Result<Vec<Listed>> {
    // Few are collected, then put in order; many are met often enough in the order of ids.
    let sql = match (are_few, window.from_end) {
        (true, false) => others!("MATERIALIZED", ""),
        (true, true) => others!("MATERIALIZED", " DESC"),
        (false, false) => others!("", ""),
        (false, true) => others!("", " DESC"),
    };
    let params = params![Containing(piece), text, window.limit, window.offset];
    let read = conn.query(sql, params, |row| listed(row, now)).await?;
    Ok(window.in_order(read))
}
