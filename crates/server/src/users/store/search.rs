use db::{Conn, Containing, Result, params};

use super::{select_users, user};
use crate::page::Window;
use crate::timestamp::Timestamp;
use crate::users::User;

// Replacing the text makes a difference where it occurs, whatever characters it has.

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    folded: &str,
    window: Window,
) -> Result<Vec<User>> {
    conn.query(
        select_users!(
            "WHERE u.id IN (SELECT rowid FROM user_search($1))
               AND (replace(u.username_folded, $2, '') <> u.username_folded
                    OR replace(u.email_folded, $2, '') <> u.email_folded)
             ORDER BY CASE WHEN u.username_folded = $2 OR u.email_folded = $2 THEN 0 ELSE 1 END,
                      u.id
             LIMIT $3 OFFSET $4"
        ),
        params![Containing(folded), folded, window.limit, window.offset],
        |row| user(row, now),
    )
    .await
}

pub async fn count(conn: &mut Conn, folded: &str) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM users u
         WHERE u.id IN (SELECT rowid FROM user_search($1))
           AND (replace(u.username_folded, $2, '') <> u.username_folded
                OR replace(u.email_folded, $2, '') <> u.email_folded)",
        params![Containing(folded), folded],
        |row| row.get(0),
    )
    .await
}
