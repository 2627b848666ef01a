//! Events: every audit entry, told to those who listen, in the order of the log.

mod access;
mod feed;
pub mod http;
mod store;
mod stream;
mod tail;

use db::Conn;
use kernel::Result;
use kernel::types::Timestamp;
use serde::Serialize;

use super::Entry;

pub use self::feed::Events;
pub use self::tail::Tail;

/// What listeners are told of an audit entry.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: i64,
    pub at: Timestamp,
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
    pub actor: EventActor,
}

/// An event as far as it takes to choose it.
#[derive(Debug)]
pub struct Occurred {
    pub id: i64,
    pub action: String,
}

/// The events after one id and up to another, oldest first.
pub async fn occurred(conn: &mut Conn, after: i64, to: i64, limit: i64) -> Result<Vec<Occurred>> {
    Ok(store::occurred(conn, after, to, limit).await?)
}

/// The first events of a period, both of its ends included.
pub async fn occurred_within(
    conn: &mut Conn,
    from: Timestamp,
    to: Timestamp,
    limit: i64,
) -> Result<Vec<Occurred>> {
    Ok(store::occurred_within(conn, from, to, limit).await?)
}

/// The id of the newest event that is visible; 0 if there is none.
pub async fn newest(conn: &mut Conn) -> Result<i64> {
    Ok(store::newest(conn).await?)
}

/// Who made the change.
#[derive(Clone, Debug, Serialize)]
pub struct EventActor {
    pub kind: ActorKind,
    pub id: Option<i64>,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    Key,
    Operator,
    System,
    CommandLine,
}

impl EventActor {
    pub fn of_entry(entry: &Entry) -> Self {
        match entry.user_id {
            Some(id) => Self::operator(id, entry.user_name.clone().unwrap_or_default()),
            None => Self::of(entry.key_id, entry.key_name.clone()),
        }
    }

    pub fn operator(user_id: i64, name: String) -> Self {
        Self {
            kind: ActorKind::Operator,
            id: Some(user_id),
            name,
        }
    }

    pub fn of(key_id: Option<i64>, key_name: String) -> Self {
        let kind = match key_id {
            Some(_) => ActorKind::Key,
            None if key_name == kernel::auth::COMMAND_LINE => ActorKind::CommandLine,
            None => ActorKind::System,
        };
        Self {
            kind,
            id: key_id,
            name: key_name,
        }
    }
}
