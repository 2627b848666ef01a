//! Users: the people of the community.

mod store;

use db::Conn;

use crate::Result;

/// As much of a user as others need to know.
#[derive(Clone, Debug)]
pub struct Brief {
    pub id: i64,
    pub username: String,
    pub email: String,
}

pub async fn brief(conn: &mut Conn, id: i64) -> Result<Option<Brief>> {
    Ok(store::brief(conn, id).await?)
}

/// The ids of a user's roles, in order.
pub async fn role_ids(conn: &mut Conn, id: i64) -> Result<Vec<i64>> {
    Ok(store::role_ids(conn, id).await?)
}
