//! SQL of the console: sessions, setup tokens, invitations and second factors.

pub mod invitations;
pub mod setup;
pub mod two_factor;
pub mod wrong_codes;

use db::{Conn, Db, Result, Row, Tx, Value, params};

use super::{Live, Owner, Session};
use crate::operators::Failures;
use kernel::list::Window;
use kernel::types::Timestamp;

/// A statement about the sessions of one owner, who is the first parameter.
macro_rules! of_owner {
    ($owner:expr, $before:literal, $after:literal) => {
        match $owner {
            Owner::Operator(_) => concat!($before, "user_id = $1", $after),
            Owner::Key(_) => concat!($before, "key_hash = $1", $after),
        }
    };
}

impl Owner {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Operator(user_id) => (*user_id).into(),
            Self::Key(hash) => hash.as_slice().into(),
        }
    }
}

pub async fn insert(
    tx: &mut Tx,
    owner: Owner,
    token_hash: &[u8; 32],
    session: &Session,
    failures: Failures,
) -> Result<i64> {
    let key_hash = match &owner {
        Owner::Key(hash) => Some(hash.as_slice()),
        Owner::Operator(_) => None,
    };
    tx.insert(
        "INSERT INTO console_sessions (token_hash, user_id, key_hash, created_at, last_used_at, ip,
                                       user_agent, confirmed_at, failed_passwords,
                                       failed_codes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $4, $8, $9) RETURNING id",
        params![
            token_hash,
            session.user_id,
            key_hash,
            session.created_at,
            session.last_used_at,
            session.ip.as_deref(),
            &session.user_agent,
            failures.passwords,
            failures.codes,
        ],
    )
    .await
}

/// Deletes all but the newest sessions of an owner.
pub async fn delete_oldest(tx: &mut Tx, owner: Owner, left: i64) -> Result<()> {
    let sql = of_owner!(
        owner,
        "DELETE FROM console_sessions WHERE id IN (SELECT id FROM console_sessions WHERE ",
        " ORDER BY id DESC LIMIT 1000 OFFSET $2)"
    );
    tx.execute(sql, &[owner.value(), left.into()]).await?;
    Ok(())
}

pub async fn key_hash(conn: &mut Conn, id: i64) -> Result<Option<[u8; 32]>> {
    let hash: Option<Option<Vec<u8>>> = conn
        .query_opt(
            "SELECT key_hash FROM console_sessions WHERE id = $1",
            params![id],
            |row| row.get(0),
        )
        .await?;
    Ok(hash.flatten().and_then(|hash| hash.try_into().ok()))
}

/// The wrong passwords and codes before a session began.
pub async fn failures(conn: &mut Conn, id: i64) -> Result<Option<Failures>> {
    conn.query_opt(
        "SELECT failed_passwords, failed_codes FROM console_sessions WHERE id = $1",
        params![id],
        |row| {
            Ok(Failures {
                passwords: row.get(0)?,
                codes: row.get(1)?,
            })
        },
    )
    .await
}

fn session(row: &Row<'_>) -> Result<Session> {
    Ok(Session {
        id: row.get(0)?,
        user_id: row.get(1)?,
        created_at: Timestamp::from_unix(row.get(2)?),
        last_used_at: Timestamp::from_unix(row.get(3)?),
        ip: row.get(4)?,
        user_agent: row.get(5)?,
    })
}

pub async fn list(
    conn: &mut Conn,
    owner: Owner,
    live: Live,
    window: Window,
) -> Result<Vec<Session>> {
    let sql = of_owner!(
        owner,
        "SELECT id, user_id, created_at, last_used_at, ip, user_agent FROM console_sessions WHERE ",
        " AND created_at > $2 AND last_used_at > $3 AND id > $4 ORDER BY id LIMIT $5 OFFSET $6"
    );
    let params = [
        owner.value(),
        live.created_after.into(),
        live.used_after.into(),
        window.after.into(),
        window.limit.into(),
        window.offset.into(),
    ];
    conn.query(sql, &params, session).await
}

pub async fn count(conn: &mut Conn, owner: Owner, live: Live) -> Result<i64> {
    let sql = of_owner!(
        owner,
        "SELECT COUNT(*) FROM console_sessions WHERE ",
        " AND created_at > $2 AND last_used_at > $3"
    );
    let (created, used) = (live.created_after.into(), live.used_after.into());
    conn.query_one(sql, &[owner.value(), created, used], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, owner: Owner, live: Live, id: i64) -> Result<Option<Session>> {
    let sql = of_owner!(
        owner,
        "SELECT id, user_id, created_at, last_used_at, ip, user_agent FROM console_sessions WHERE ",
        " AND created_at > $2 AND last_used_at > $3 AND id = $4"
    );
    let (created, used) = (live.created_after.into(), live.used_after.into());
    conn.query_opt(sql, &[owner.value(), created, used, id.into()], session)
        .await
}

pub async fn confirm(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE console_sessions SET confirmed_at = $2 WHERE id = $1",
        params![id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM console_sessions WHERE id = $1", params![id])
        .await?;
    Ok(())
}

pub async fn delete_expired(db: &Db, live: Live, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM console_sessions WHERE id IN
            (SELECT id FROM console_sessions WHERE last_used_at <= $1 OR created_at <= $2
             LIMIT $3)",
        params![live.used_after, live.created_after],
        size,
    )
    .await
}
