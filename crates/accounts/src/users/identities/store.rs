use db::{Conn, Result, Row, Tx, params};

use super::{Identity, Provider};
use kernel::types::Timestamp;

/// Selects the columns that [`identity`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_id, provider, subject, linked_at, last_used_at FROM user_identities ",
            $rest
        )
    };
}

/// The identities of a user, by id.
pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Identity>> {
    let sql = select!("WHERE user_id = $1 ORDER BY id LIMIT 100");
    conn.query(sql, params![user_id], identity).await
}

pub async fn find(conn: &mut Conn, provider: Provider, subject: &str) -> Result<Option<Identity>> {
    let sql = select!("WHERE provider = $1 AND subject = $2");
    let params = params![provider.name(), subject];
    conn.query_opt(sql, params, identity).await
}

/// The SteamID64s that a user signs in with, the oldest first.
pub async fn steam_ids(conn: &mut Conn, user_id: i64) -> Result<Vec<String>> {
    conn.query(
        "SELECT subject FROM user_identities WHERE user_id = $1 AND provider = 'steam'
         ORDER BY id LIMIT 100",
        params![user_id],
        |row| row.get(0),
    )
    .await
}

/// The user who signs in with this SteamID64.
pub async fn user_of_steam_id(conn: &mut Conn, steam_id64: &str) -> Result<Option<i64>> {
    conn.query_opt(
        "SELECT user_id FROM user_identities WHERE provider = 'steam' AND subject = $1",
        params![steam_id64],
        |row| row.get(0),
    )
    .await
}

/// The users who sign in with these profiles, each with the profile.
pub async fn users_of(
    conn: &mut Conn,
    provider: Provider,
    subjects: &[String],
) -> Result<Vec<(String, i64)>> {
    conn.query(
        "SELECT subject, user_id FROM user_identities WHERE provider = $1 AND subject = ANY($2)",
        params![provider.name(), subjects],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

fn identity(row: &Row<'_>) -> Result<Identity> {
    let provider: String = row.get(2)?;
    Ok(Identity {
        id: row.get(0)?,
        user_id: row.get(1)?,
        provider: match provider.as_str() {
            "steam" => Provider::Steam,
            _ => Provider::Discord,
        },
        subject: row.get(3)?,
        linked_at: Timestamp::from_unix(row.get(4)?),
        last_used_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_unix),
    })
}

pub async fn insert(tx: &mut Tx, identity: &Identity) -> Result<i64> {
    tx.insert(
        "INSERT INTO user_identities (user_id, provider, subject, linked_at)
         VALUES ($1, $2, $3, $4) RETURNING id",
        params![
            identity.user_id,
            identity.provider.name(),
            &identity.subject,
            identity.linked_at,
        ],
    )
    .await
}

/// Records that the user signed in with it.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE user_identities SET last_used_at = $2 WHERE id = $1",
        params![id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM user_identities WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn delete_all(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM user_identities WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}
