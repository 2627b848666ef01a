//! SQL of the commands of servers and of bans.

use db::{Conn, Result, Row, Tx, params};

use super::{BanCommand, CommandKind, CommandState, ServerCommands};

pub async fn find(conn: &mut Conn, server_id: i64) -> Result<Option<ServerCommands>> {
    conn.query_opt(
        "SELECT server_id, kick_command, mute_command, unmute_command FROM server_commands
         WHERE server_id = $1",
        params![server_id],
        |row| {
            Ok(ServerCommands {
                server_id: row.get(0)?,
                kick_command: row.get(1)?,
                mute_command: row.get(2)?,
                unmute_command: row.get(3)?,
            })
        },
    )
    .await
}

pub async fn upsert(tx: &mut Tx, commands: &ServerCommands) -> Result<()> {
    tx.execute(
        "INSERT INTO server_commands (server_id, kick_command, mute_command, unmute_command)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (server_id) DO UPDATE
         SET kick_command = excluded.kick_command, mute_command = excluded.mute_command,
             unmute_command = excluded.unmute_command",
        params![
            commands.server_id,
            commands.kick_command.as_deref(),
            commands.mute_command.as_deref(),
            commands.unmute_command.as_deref(),
        ],
    )
    .await?;
    Ok(())
}

/// The servers that have a command of this kind.
pub async fn servers_with(conn: &mut Conn, kind: CommandKind, limit: i64) -> Result<Vec<i64>> {
    let sql = match kind {
        CommandKind::Kick => {
            "SELECT server_id FROM server_commands WHERE kick_command IS NOT NULL
             ORDER BY server_id LIMIT $1"
        }
        CommandKind::Mute => {
            "SELECT server_id FROM server_commands WHERE mute_command IS NOT NULL
             ORDER BY server_id LIMIT $1"
        }
        CommandKind::Unmute => {
            "SELECT server_id FROM server_commands WHERE unmute_command IS NOT NULL
             ORDER BY server_id LIMIT $1"
        }
    };
    conn.query(sql, params![limit], |row| row.get(0)).await
}

/// Adds a pending command, or makes it pending again. Returns its id.
pub async fn insert(
    tx: &mut Tx,
    ban_id: i64,
    server_id: i64,
    kind: CommandKind,
    now: i64,
) -> Result<i64> {
    tx.query_one(
        "INSERT INTO ban_commands (ban_id, server_id, kind, state, queued_at)
         VALUES ($1, $2, $3, 'pending', $4)
         ON CONFLICT (ban_id, server_id, kind) DO UPDATE
         SET state = excluded.state, error = NULL, queued_at = excluded.queued_at
         RETURNING id",
        params![ban_id, server_id, kind.as_str(), now],
        |row| row.get(0),
    )
    .await
}

/// The columns that [`command`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, ban_id, server_id, kind, state, error, queued_at FROM ban_commands ",
            $rest
        )
    };
}

/// The commands of a ban, by server.
pub async fn of_ban(conn: &mut Conn, ban_id: i64) -> Result<Vec<BanCommand>> {
    let sql = select!("WHERE ban_id = $1 ORDER BY server_id, kind");
    conn.query(sql, params![ban_id], command).await
}

/// A command, locked until the end of the transaction.
pub async fn lock_and_find(tx: &mut Tx, id: i64) -> Result<Option<BanCommand>> {
    tx.lock(
        "SELECT 1 FROM ban_commands WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await?;
    tx.query_opt(select!("WHERE id = $1"), params![id], command)
        .await
}

pub async fn set_state(
    tx: &mut Tx,
    id: i64,
    state: CommandState,
    error: Option<&str>,
) -> Result<()> {
    tx.execute(
        "UPDATE ban_commands SET state = $2, error = $3 WHERE id = $1",
        params![id, state.as_str(), error],
    )
    .await?;
    Ok(())
}

fn command(row: &Row<'_>) -> Result<BanCommand> {
    let unknown = || db::Error::Engine("a command of a ban has an unknown kind or state".into());
    Ok(BanCommand {
        id: row.get(0)?,
        ban_id: row.get(1)?,
        server_id: row.get(2)?,
        kind: CommandKind::from_stored(&row.get::<String>(3)?).ok_or_else(unknown)?,
        state: CommandState::from_stored(&row.get::<String>(4)?).ok_or_else(unknown)?,
        error: row.get(5)?,
        queued_at: row.get(6)?,
    })
}
