//! Events: every audit entry, told to those who listen, in the order of the log.

mod access;
mod feed;
pub mod http;
mod store;
mod stream;
mod tail;

use kernel::types::Timestamp;
use serde::Serialize;

pub use self::feed::Events;

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
