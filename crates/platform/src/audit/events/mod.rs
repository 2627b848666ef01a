//! Events: every audit entry, sent to listeners in the order of the log.

mod access;
mod feed;
pub mod http;
mod slots;
mod store;
mod stream;
mod tail;

use kernel::auth::Actor;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Entry;

pub use self::access::may_see;
pub use self::feed::Events;
pub use self::store::{newest, occurred, occurred_within, oldest};
pub use self::tail::Tail;

/// The part of an audit entry that listeners receive.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: i64,
    pub at: Timestamp,
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
    pub actor: EventActor,
    /// The role that has expired, for listeners that act on it.
    pub before: Option<Box<RawValue>>,
}

/// The fields of an event that decide who receives it.
#[derive(Debug)]
pub struct Occurred {
    pub id: i64,
    pub action: String,
    pub resource: String,
    pub resource_id: i64,
}

/// The actor that made the change.
#[derive(Clone, Debug, Serialize)]
pub struct EventActor {
    pub kind: ActorKind,
    pub id: Option<i64>,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ActorKind {
    Key,
    Operator,
    System,
    CommandLine,
}

/// The actor as a resource stores it: an API key, an operator, or neither for the service itself
/// and the command line.
#[derive(Clone, Debug)]
pub struct StoredActor {
    pub key_id: Option<i64>,
    pub user_id: Option<i64>,
    pub name: String,
}

impl From<&Actor> for StoredActor {
    fn from(actor: &Actor) -> Self {
        Self {
            key_id: actor.key_id,
            user_id: actor.user_id,
            name: EventActor::of_actor(actor).name,
        }
    }
}

impl From<StoredActor> for EventActor {
    fn from(actor: StoredActor) -> Self {
        Self::of_stored(actor.key_id, actor.user_id, actor.name)
    }
}

impl EventActor {
    pub fn of_entry(entry: &Entry) -> Self {
        match entry.user_id {
            Some(id) => Self::operator(id, entry.user_name.clone().unwrap_or_default()),
            None => Self::of(entry.key_id, entry.key_name.clone()),
        }
    }

    pub fn of_actor(actor: &Actor) -> Self {
        match actor.user_id {
            Some(id) => Self::operator(id, actor.user_name.clone().unwrap_or_default()),
            None => Self::of(actor.key_id, actor.key_name.clone()),
        }
    }

    /// Of the columns of a resource that records its last actor.
    pub fn of_stored(key_id: Option<i64>, user_id: Option<i64>, name: String) -> Self {
        match user_id {
            Some(id) => Self::operator(id, name),
            None => Self::of(key_id, name),
        }
    }

    fn operator(user_id: i64, name: String) -> Self {
        Self {
            kind: ActorKind::Operator,
            id: Some(user_id),
            name,
        }
    }

    fn of(key_id: Option<i64>, key_name: String) -> Self {
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
