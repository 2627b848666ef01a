use db::{Conn, Result, params};

use super::Brief;

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

pub async fn role_ids(conn: &mut Conn, id: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT role_id FROM user_roles WHERE user_id = $1 ORDER BY role_id",
        params![id],
        |row| row.get(0),
    )
    .await
}
