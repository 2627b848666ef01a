use db::{Conn, Result, params};

/// The user of the oldest link to each of these profiles, if any. The statement is a separate file,
/// because a test checks its plan.
pub async fn first_links(
    conn: &mut Conn,
    network_id: i64,
    values: &[String],
) -> Result<Vec<(String, i64)>> {
    let found: Vec<(String, Option<i64>)> = conn
        .query(
            include_str!("first_links.sql"),
            params![network_id, values],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    let found = found.into_iter();
    let found = found.filter_map(|(value, user_id)| Some((value, user_id?)));
    Ok(found.collect())
}
