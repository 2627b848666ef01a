//! SQL of the people at Discord who belong to users.

use db::{Conn, Result, Row, Select, Tx, params};

use super::Member;
use crate::guild::resource::{MemberState, Snowflake};
use kernel::list::Window;
use kernel::types::Timestamp;

/// The columns that [`member`] reads.
const SELECT: &str =
    "SELECT discord_id, user_id, state, error, attempts, changes, synced_at FROM discord_members";

/// Reads at most the limit of the window, by id.
pub async fn list(
    conn: &mut Conn,
    state: Option<MemberState>,
    window: Window,
) -> Result<Vec<Member>> {
    let (sql, params) = Select::new(SELECT)
        .and("state = ", state.map(MemberState::as_str))
        .and("discord_id > ", window.after_id())
        .push(" ORDER BY discord_id LIMIT ", window.limit)
        .build();
    conn.query(sql, &params, member).await
}

/// Counts members up to a limit.
pub async fn count(conn: &mut Conn, state: Option<MemberState>, limit: i64) -> Result<i64> {
    let (sql, params) = Select::new("SELECT COUNT(*) FROM (SELECT 1 FROM discord_members")
        .and("state = ", state.map(MemberState::as_str))
        .push(" LIMIT ", limit)
        .end_where(") counted")
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

/// A member, locked until the end of the transaction.
pub async fn lock_and_find(tx: &mut Tx, id: i64) -> Result<Option<Member>> {
    tx.lock(
        "SELECT 1 FROM discord_members WHERE discord_id = $1 FOR UPDATE",
        params![id],
    )
    .await?;
    let (sql, params) = Select::new(SELECT).and("discord_id = ", Some(id)).build();
    tx.query_opt(sql, &params, member).await
}

fn member(row: &Row<'_>) -> Result<Member> {
    let unknown = || db::Error::Engine("a member has an unknown state".into());
    Ok(Member {
        discord_id: Snowflake(row.get(0)?),
        user_id: row.get(1)?,
        state: MemberState::from_stored(&row.get::<String>(2)?).ok_or_else(unknown)?,
        error: row.get(3)?,
        attempts: row.get(4)?,
        changes: row.get(5)?,
        synced_at: row.get::<Option<i64>>(6)?.map(Timestamp::from_unix),
    })
}

/// The profiles at Discord that belong to these users, as far as they count, and those that did at
/// the last visit. None if no server is connected.
pub async fn profiles_of(conn: &mut Conn, user_ids: &[i64]) -> Result<Vec<String>> {
    conn.query(
        "SELECT i.subject FROM user_identities i
         WHERE i.user_id = ANY($1) AND i.provider = 'discord' AND EXISTS (SELECT 1 FROM discord)
         UNION
         SELECT l.profile_url FROM user_social_links l
         JOIN social_networks n ON n.id = l.network_id AND n.name = 'discord'
         WHERE l.user_id = ANY($1) AND EXISTS (SELECT 1 FROM discord WHERE trust_links)
         UNION
         SELECT CAST(m.discord_id AS TEXT) FROM discord_members m WHERE m.user_id = ANY($1)",
        params![user_ids],
        |row| row.get(0),
    )
    .await
}

/// The same for those who hold a role, if a role at Discord follows it.
pub async fn profiles_of_holders(conn: &mut Conn, role_id: i64) -> Result<Vec<String>> {
    conn.query(
        "SELECT i.subject FROM user_roles h
         JOIN user_identities i ON i.user_id = h.user_id AND i.provider = 'discord'
         WHERE h.role_id = $1
           AND EXISTS (SELECT 1 FROM discord_roles r WHERE r.role_id = $1)
         UNION
         SELECT l.profile_url FROM user_roles h
         JOIN user_social_links l ON l.user_id = h.user_id
         JOIN social_networks n ON n.id = l.network_id AND n.name = 'discord'
         WHERE h.role_id = $1 AND EXISTS (SELECT 1 FROM discord WHERE trust_links)
           AND EXISTS (SELECT 1 FROM discord_roles r WHERE r.role_id = $1)",
        params![role_id],
        |row| row.get(0),
    )
    .await
}

/// Adds people who are not known yet.
pub async fn insert(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.execute(
        "INSERT INTO discord_members (discord_id, state, attempts, changes)
         SELECT value.value, 'pending', 0, 0 FROM unnest($1::bigint[]) value WHERE TRUE
         ON CONFLICT (discord_id) DO NOTHING",
        params![ids],
    )
    .await?;
    Ok(())
}

pub async fn load(tx: &mut Tx, members: &[Member]) -> Result<()> {
    let columns = [
        "discord_id",
        "user_id",
        "state",
        "error",
        "attempts",
        "changes",
        "synced_at",
    ];
    let rows = members.iter().map(|member| {
        [
            member.discord_id.0.into(),
            member.user_id.into(),
            member.state.as_str().into(),
            member.error.as_deref().into(),
            member.attempts.into(),
            member.changes.into(),
            member.synced_at.into(),
        ]
    });
    tx.load("discord_members", columns, rows).await
}

/// Counts a change of people, and adds those who are not known.
pub async fn mark(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.execute(
        "INSERT INTO discord_members (discord_id, state, attempts, changes)
         SELECT value.value, 'pending', 0, 1 FROM unnest($1::bigint[]) value WHERE TRUE
         ON CONFLICT (discord_id) DO UPDATE
         SET state = excluded.state, error = NULL, attempts = 0,
             changes = discord_members.changes + 1",
        params![ids],
    )
    .await?;
    Ok(())
}

/// Stores what a visit has found.
pub async fn update(tx: &mut Tx, member: &Member) -> Result<()> {
    tx.execute(
        "UPDATE discord_members
         SET user_id = $2, state = $3, error = $4, attempts = $5, synced_at = $6
         WHERE discord_id = $1",
        params![
            member.discord_id.0,
            member.user_id,
            member.state.as_str(),
            member.error.as_deref(),
            member.attempts,
            member.synced_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM discord_members WHERE discord_id = ANY($1)",
        params![ids],
    )
    .await?;
    Ok(())
}

/// Removes a user, whose members are locked, from them.
pub async fn forget_user(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "UPDATE discord_members SET user_id = NULL WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}

/// Deletes everybody, in the order in which all lock them.
pub async fn delete_all(tx: &mut Tx) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM discord_members ORDER BY discord_id FOR UPDATE",
        &[],
    )
    .await?;
    tx.execute("DELETE FROM discord_members", &[]).await?;
    Ok(())
}

/// Those of these people who are known, by id.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Member>> {
    let (sql, params) = Select::new(SELECT)
        .and_in("discord_id = ANY(", Some(ids), ")")
        .end_where(" ORDER BY discord_id")
        .build();
    conn.query(sql, &params, member).await
}

/// The next known people.
pub async fn next_ids(conn: &mut Conn, after: i64, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT discord_id FROM discord_members WHERE discord_id > $1
         ORDER BY discord_id LIMIT $2",
        params![after, limit],
        |row| row.get(0),
    )
    .await
}

/// Locks people, in the order in which all lock them.
pub async fn lock(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM discord_members WHERE discord_id = ANY($1) ORDER BY discord_id FOR UPDATE",
        params![ids],
    )
    .await
}

/// Stores whom somebody belongs to who is not visited.
pub async fn set_owner(tx: &mut Tx, id: i64, user_id: Option<i64>) -> Result<()> {
    tx.execute(
        "UPDATE discord_members SET user_id = $2 WHERE discord_id = $1",
        params![id, user_id],
    )
    .await?;
    Ok(())
}

/// Stores that people are not on the server.
pub async fn set_absent(tx: &mut Tx, ids: &[i64], now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE discord_members
         SET state = 'not_a_member', error = NULL, attempts = 0, synced_at = $2
         WHERE discord_id = ANY($1) AND state IN ('ok', 'pending')",
        params![ids, now],
    )
    .await?;
    Ok(())
}

/// Profiles in the order of their rows, and the id of the last row.
pub async fn identities_after(
    conn: &mut Conn,
    after: i64,
    limit: i64,
) -> Result<(Vec<String>, Option<i64>)> {
    let found: Vec<(i64, String, String)> = conn
        .query(
            "SELECT id, provider, subject FROM user_identities WHERE id > $1
             ORDER BY id LIMIT $2",
            params![after, limit],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .await?;
    let last = found.last().map(|(id, _, _)| *id);
    let of_discord = found
        .into_iter()
        .filter(|(_, provider, _)| provider == "discord");
    Ok((of_discord.map(|(_, _, subject)| subject).collect(), last))
}

/// The same for social links.
pub async fn links_after(
    conn: &mut Conn,
    after: i64,
    limit: i64,
) -> Result<(Vec<String>, Option<i64>)> {
    let found: Vec<(i64, String, String)> = conn
        .query(
            "SELECT l.id, n.name, l.profile_url FROM user_social_links l
             JOIN social_networks n ON n.id = l.network_id
             WHERE l.id > $1 ORDER BY l.id LIMIT $2",
            params![after, limit],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .await?;
    let last = found.last().map(|(id, _, _)| *id);
    let of_discord = found
        .into_iter()
        .filter(|(_, network, _)| network == "discord");
    Ok((of_discord.map(|(_, _, value)| value).collect(), last))
}
