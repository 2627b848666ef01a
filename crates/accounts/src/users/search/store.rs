use db::{Conn, Containing, Query, Result, Row, params};

use super::{Counted, Since, Terms};
use crate::users::Listed;
use crate::users::store::{listed, select_listed};
use kernel::list::Window;
use kernel::types::Timestamp;

/// Whether the username or the email address contains the text.
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

/// The number of users, and of those deleted or renamed so far.
macro_rules! state {
    () => {
        "(SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM user_totals WHERE role_id = 0),
         (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM user_changes)"
    };
}

fn select_exact<'a>(
    folded: &'a str,
    now: Timestamp,
) -> Query<'a, impl Fn(&Row<'_>) -> Result<Listed> + use<'a>> {
    Query {
        sql: select_listed!("WHERE u.username_folded = $1 OR u.email_folded = $1 ORDER BY u.id"),
        params: params![folded].to_vec(),
        map: move |row: &Row<'_>| listed(row, now),
    }
}

/// The usernames and email addresses of at most `most` users, spread over all ids.
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

/// Some of the matching users, in no order.
pub async fn some(
    conn: &mut Conn,
    now: Timestamp,
    Terms { text, pieces }: &Terms<'_>,
    limit: i64,
) -> Result<Vec<Listed>> {
    let sql = select_listed!(from "user_search($1) s CROSS JOIN ", concat!(
        "WHERE u.id = s.rowid AND ",
        contains!("$2"),
        " LIMIT $3"
    ));
    let params = params![Containing(pieces), *text, limit];
    conn.query(sql, params, |row| listed(row, now)).await
}

/// The exact matches, and the number of matching users.
pub async fn count(
    conn: &mut Conn,
    now: Timestamp,
    Terms { text, pieces }: &Terms<'_>,
) -> Result<(Vec<Listed>, Option<Counted>)> {
    let mut params = params![Containing(pieces)].to_vec();
    // For a single trigram the index alone is exact.
    let sql = if text.chars().nth(3).is_none() {
        concat!(
            "SELECT COUNT(*), ",
            state!(),
            ", (SELECT COALESCE(MAX(id), 0) FROM users) FROM user_search($1)"
        )
    } else {
        params.push((*text).into());
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
        .query_both(select_exact(text, now), Query { sql, params, map })
        .await?;
    Ok((exact, counted.into_iter().next()))
}

/// The exact matches, and the changes since the highest id was `last_id`.
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
    let (exact, since) = conn.query_both(select_exact(folded, now), query).await?;
    Ok((exact, since.into_iter().next()))
}

/// The users found in the index, by id, without exact matches.
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
    Terms { text, pieces }: &Terms<'_>,
    window: Window,
    collects: bool,
) -> Result<Vec<Listed>> {
    // Either collect all matches and sort them, or read users by id and check each.
    let sql = match (collects, window.from_end) {
        (true, false) => others!("MATERIALIZED", ""),
        (true, true) => others!("MATERIALIZED", " DESC"),
        (false, false) => others!("", ""),
        (false, true) => others!("", " DESC"),
    };
    let params = params![Containing(pieces), *text, window.limit, window.offset];
    let read = conn.query(sql, params, |row| listed(row, now)).await?;
    Ok(window.restore_order(read))
}
