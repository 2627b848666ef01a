//! SQL of events.

use db::{Conn, OpenWriters, Result, Row, params};

use super::{Event, EventActor, Occurred};
use kernel::types::Timestamp;
use serde_json::value::RawValue;

/// The id of the newest event that is visible; 0 if there is none.
pub async fn newest(conn: &mut Conn) -> Result<i64> {
    conn.query_one(
        "SELECT COALESCE(MAX(id), 0) FROM audit_log",
        params![],
        |row| row.get(0),
    )
    .await
}

/// The id of the oldest event that is kept; 0 if there is none.
pub async fn oldest(conn: &mut Conn) -> Result<i64> {
    conn.query_one(
        "SELECT COALESCE(MIN(id), 0) FROM audit_log",
        params![],
        |row| row.get(0),
    )
    .await
}

pub async fn open_writers(conn: &mut Conn) -> Result<OpenWriters> {
    conn.open_writers("audit_log").await
}

/// The entries after one id and up to another, oldest first.
pub async fn between(conn: &mut Conn, after: i64, to: i64, limit: i64) -> Result<Vec<Event>> {
    conn.query(
        "SELECT id, at, action, resource, resource_id, key_id, key_name, user_id, user_name,
                CASE WHEN action = 'users.role_expired' THEN before END FROM audit_log
         WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3",
        params![after, to, limit],
        event,
    )
    .await
}

fn event(row: &Row<'_>) -> Result<Event> {
    Ok(Event {
        id: row.get(0)?,
        at: Timestamp::from_unix(row.get(1)?),
        action: row.get(2)?,
        resource: row.get(3)?,
        resource_id: row.get(4)?,
        actor: match row.get(7)? {
            Some(user_id) => {
                let name: Option<String> = row.get(8)?;
                EventActor::operator(user_id, name.unwrap_or_default())
            }
            None => EventActor::of(row.get(5)?, row.get(6)?),
        },
        before: row
            .get::<Option<String>>(9)?
            .and_then(|before| RawValue::from_string(before).ok()),
    })
}

/// The events after one id and up to another, oldest first.
pub async fn occurred(conn: &mut Conn, after: i64, to: i64, limit: i64) -> Result<Vec<Occurred>> {
    conn.query(
        "SELECT id, action, resource, resource_id FROM audit_log
         WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3",
        params![after, to, limit],
        read_occurred,
    )
    .await
}

/// The first events of a period, including both ends.
pub async fn occurred_within(
    conn: &mut Conn,
    from: Timestamp,
    to: Timestamp,
    limit: i64,
) -> Result<Vec<Occurred>> {
    conn.query(
        "SELECT id, action, resource, resource_id FROM audit_log
         WHERE at >= $1 AND at <= $2 ORDER BY at, id LIMIT $3",
        params![from, to, limit],
        read_occurred,
    )
    .await
}

fn read_occurred(row: &Row<'_>) -> Result<Occurred> {
    Ok(Occurred {
        id: row.get(0)?,
        action: row.get(1)?,
        resource: row.get(2)?,
        resource_id: row.get(3)?,
    })
}
