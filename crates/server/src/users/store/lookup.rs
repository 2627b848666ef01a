use db::{Conn, Result, params};

use crate::users::lookup::FoundLink;

/// The oldest link to each of these profiles, if there is one. The statement is a file of its own,
/// for the test that looks at its plan.
pub async fn first_links(
    conn: &mut Conn,
    network_id: i64,
    values: &[String],
) -> Result<Vec<(String, FoundLink)>> {
    let found: Vec<(String, Option<FoundLink>)> = conn
        .query(
            include_str!("first_links.sql"),
            params![network_id, values],
            |row| {
                let link: Option<i64> = row.get(1)?;
                let user: Option<i64> = row.get(2)?;
                let link = link.zip(user);
                let link = link.map(|(id, user_id)| FoundLink { id, user_id });
                Ok((row.get(0)?, link))
            },
        )
        .await?;
    let found = found.into_iter();
    let found = found.filter_map(|(value, link)| Some((value, link?)));
    Ok(found.collect())
}
