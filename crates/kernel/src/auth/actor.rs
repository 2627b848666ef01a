//! `Actor`: who makes a change.

use std::net::IpAddr;

use crate::auth::permission::PermissionSet;
use crate::auth::{Admission, Restrictions};
use crate::types::Timestamp;

/// What the audit log calls the command line.
pub const COMMAND_LINE: &str = "command line";
/// The audit log has this in place of the name of a key for every operator.
pub const OPERATOR: &str = "operator";

/// Who makes a change, for the audit log and for checks against privilege escalation.
#[derive(Clone, Debug)]
pub struct Actor {
    /// `None` for operators, and for the command line and maintenance, which need no key.
    pub key_id: Option<i64>,
    pub key_name: String,
    /// The user, if it is an operator.
    pub user_id: Option<i64>,
    pub user_name: Option<String>,
    /// The session of the console, if the request was made with one.
    pub session: Option<ActorSession>,
    /// How the actor was authenticated, to do it again before a write takes effect.
    pub admission: Option<Admission>,
    pub permissions: PermissionSet,
    pub restrictions: Restrictions,
    /// Made by the service, so that no client can point to the request of another.
    pub request_id: String,
    /// The valid `X-Request-Id` that the client sent.
    pub client_request_id: Option<String>,
    pub ip: Option<IpAddr>,
}

/// The session that a request is made with.
#[derive(Clone, Debug)]
pub struct ActorSession {
    pub id: i64,
    /// When it ends, if it is used until then.
    pub expires_at: Timestamp,
    /// When it ends, if it is not used again.
    pub ends_at: Timestamp,
    pub has_two_factor: bool,
}

impl Actor {
    /// The command line or the service itself. It may do anything, as it has the database.
    pub fn internal(name: &str, request_id: String) -> Self {
        Self {
            permissions: PermissionSet::all(),
            ..Self::without_permissions(name, request_id)
        }
    }

    /// A person who has not signed in.
    pub fn without_permissions(name: &str, request_id: String) -> Self {
        Self {
            key_id: None,
            key_name: name.into(),
            user_id: None,
            user_name: None,
            session: None,
            admission: None,
            permissions: PermissionSet::default(),
            restrictions: Restrictions::default(),
            request_id,
            client_request_id: None,
            ip: None,
        }
    }
    /// A number for each key and each operator, for what is counted by caller: that of an operator
    /// is negative.
    pub fn caller_id(&self) -> Option<i64> {
        self.key_id.or(self.user_id.map(|id| -id))
    }

    /// The same for shares of the database.
    pub fn share(&self) -> Option<u64> {
        self.caller_id().map(i64::cast_unsigned)
    }
}
