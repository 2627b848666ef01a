//! SQL of the servers.

use db::{Conn, Result, Row, Tx, Value, params};

use super::{Address, Game, Server};
use kernel::list::Window;
use kernel::secret::Secret;
use kernel::types::Timestamp;

/// Selects the columns that [`server`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, ip, port, enabled, game, query_port, rcon_password, created_at,
                    updated_at
             FROM servers ",
            $rest
        )
    };
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Server>> {
    conn.query(
        select!("WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        server,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM servers", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Server>> {
    conn.query_opt(select!("WHERE id = $1"), params![id], server)
        .await
}

/// The servers with these ids, ordered by id. Unknown ids are skipped.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Server>> {
    conn.query(
        select!("WHERE id = ANY($1) ORDER BY id"),
        params![ids],
        server,
    )
    .await
}

fn server(row: &Row<'_>) -> Result<Server> {
    Ok(Server {
        id: row.get(0)?,
        name: row.get(1)?,
        ip: Address::from_stored(row.get(2)?),
        port: row.get(3)?,
        enabled: row.get(4)?,
        game: Game::from_stored(row.get(5)?),
        query_port: row.get(6)?,
        rcon_password: Secret::new(row.get(7)?),
        created_at: Timestamp::from_unix(row.get(8)?),
        updated_at: Timestamp::from_unix(row.get(9)?),
    })
}

/// The ids among these that exist.
pub async fn existing_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<i64>> {
    let sql = "SELECT id FROM servers WHERE id = ANY($1)";
    conn.query(sql, params![ids], |row| row.get(0)).await
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM servers WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, server: &Server) -> Result<i64> {
    tx.insert(
        "INSERT INTO servers (name, ip, port, enabled, game, query_port, rcon_password,
                              created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        params![
            &server.name,
            server.ip.as_str(),
            server.port,
            server.enabled,
            server.game.as_str(),
            server.query_port,
            server.rcon_password.reveal(),
            server.created_at,
            server.updated_at,
        ],
    )
    .await
}

/// Inserts a server with its id.
pub async fn load(tx: &mut Tx, server: &Server) -> Result<()> {
    let columns = [
        "id",
        "name",
        "ip",
        "port",
        "enabled",
        "game",
        "query_port",
        "rcon_password",
        "created_at",
        "updated_at",
    ];
    let row = [
        server.id.into(),
        Value::from(&server.name),
        server.ip.as_str().into(),
        server.port.into(),
        server.enabled.into(),
        server.game.as_str().into(),
        server.query_port.into(),
        Value::Blob(server.rcon_password.reveal()),
        server.created_at.into(),
        server.updated_at.into(),
    ];
    tx.load("servers", columns, [row]).await
}

pub async fn update(tx: &mut Tx, server: &Server) -> Result<()> {
    tx.execute(
        "UPDATE servers SET name = $2, ip = $3, port = $4, enabled = $5, game = $6,
                            query_port = $7, rcon_password = $8, updated_at = $9
         WHERE id = $1",
        params![
            server.id,
            &server.name,
            server.ip.as_str(),
            server.port,
            server.enabled,
            server.game.as_str(),
            server.query_port,
            server.rcon_password.reveal(),
            server.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM servers WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Every encrypted password, with the id of its server.
pub async fn passwords(conn: &mut Conn) -> Result<Vec<(i64, Vec<u8>)>> {
    conn.query(
        "SELECT id, rcon_password FROM servers WHERE LENGTH(rcon_password) > 0 ORDER BY id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

pub async fn set_password(tx: &mut Tx, id: i64, sealed: &[u8]) -> Result<()> {
    tx.execute(
        "UPDATE servers SET rcon_password = $2 WHERE id = $1",
        params![id, sealed],
    )
    .await?;
    Ok(())
}

/// Replaces a password unless it was changed: a concurrent update can remove it.
pub async fn replace_password(tx: &mut Tx, id: i64, before: &[u8], after: &[u8]) -> Result<()> {
    tx.execute(
        "UPDATE servers SET rcon_password = $3 WHERE id = $1 AND rcon_password = $2",
        params![id, before, after],
    )
    .await?;
    Ok(())
}

/// Removes every password. Returns their number.
pub async fn forget_passwords(tx: &mut Tx) -> Result<u64> {
    tx.execute(
        "UPDATE servers SET rcon_password = $1 WHERE LENGTH(rcon_password) > 0",
        params![&[0_u8; 0]],
    )
    .await
}

/// Locks the servers against deletion, so that their samples can be written. Every writer locks a
/// server before its live status.
pub async fn lock_shared(tx: &mut Tx, server_ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM servers WHERE id = ANY($1) ORDER BY id FOR KEY SHARE",
        params![server_ids],
    )
    .await
}
