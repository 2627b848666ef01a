//! SQL of the social networks.

use db::{Conn, Result, Row, Tx, params};

use super::SocialNetwork;
use kernel::input::Unique;
use kernel::list::Window;

/// Selects the columns that [`network`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, title, url_template FROM social_networks ",
            $rest
        )
    };
}

/// Names are unique.
pub const NAME: Unique = Unique {
    field: "name",
    constraint: "social_networks_name_key",
    select_id: "SELECT id FROM social_networks WHERE name = $1",
};

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<SocialNetwork>> {
    conn.query(
        select!("WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        network,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM social_networks", &[], |row| {
        row.get(0)
    })
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<SocialNetwork>> {
    conn.query_opt(select!("WHERE id = $1"), params![id], network)
        .await
}

/// Finds the network and locks it against changes and deletion, which need [`lock`].
pub async fn find_and_lock(tx: &mut Tx, id: i64) -> Result<Option<SocialNetwork>> {
    tx.query_opt(select!("WHERE id = $1 FOR KEY SHARE"), params![id], network)
        .await
}

pub async fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<SocialNetwork>> {
    conn.query_opt(select!("WHERE name = $1"), params![name], network)
        .await
}

fn network(row: &Row<'_>) -> Result<SocialNetwork> {
    Ok(SocialNetwork {
        id: row.get(0)?,
        name: row.get(1)?,
        title: row.get(2)?,
        url_template: row.get(3)?,
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM social_networks WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, network: &SocialNetwork) -> Result<i64> {
    tx.insert(
        "INSERT INTO social_networks (name, title, url_template) VALUES ($1, $2, $3)
         RETURNING id",
        params![&network.name, &network.title, &network.url_template],
    )
    .await
}

pub async fn update(tx: &mut Tx, network: &SocialNetwork) -> Result<()> {
    tx.execute(
        "UPDATE social_networks SET name = $2, title = $3, url_template = $4 WHERE id = $1",
        params![
            network.id,
            &network.name,
            &network.title,
            &network.url_template
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM social_networks WHERE id = $1", params![id])
        .await?;
    Ok(())
}
