use db::{Conn, Result, Row, Tx, params};

use super::SocialLink;

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<SocialLink>> {
    conn.query(
        "SELECT l.id, n.id, n.name, l.profile_url
         FROM user_social_links l JOIN social_networks n ON n.id = l.network_id
         WHERE l.user_id = $1 ORDER BY l.id",
        params![user_id],
        link,
    )
    .await
}

fn link(row: &Row<'_>) -> Result<SocialLink> {
    Ok(SocialLink {
        id: row.get(0)?,
        network_id: row.get(1)?,
        network: row.get(2)?,
        profile_url: row.get(3)?,
    })
}

pub async fn insert(tx: &mut Tx, user_id: i64, link: &SocialLink) -> Result<i64> {
    tx.insert(
        "INSERT INTO user_social_links (user_id, network_id, profile_url)
         VALUES ($1, $2, $3) RETURNING id",
        params![user_id, link.network_id, &link.profile_url],
    )
    .await
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM user_social_links WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn delete_all(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_social_links WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}
