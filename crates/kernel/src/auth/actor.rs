//! `Actor`: who makes a change.

use std::net::IpAddr;

use crate::auth::permission::PermissionSet;
use crate::auth::{Admission, Restrictions};

/// What the audit log calls the command line.
pub const COMMAND_LINE: &str = "command line";

/// Who makes a change, for the audit log and for checks against privilege escalation.
#[derive(Clone, Debug)]
pub struct Actor {
    /// `None` for the command line and for maintenance, which need no key.
    pub key_id: Option<i64>,
    pub key_name: String,
    /// How the key was authenticated, to do it again before a write takes effect.
    pub admission: Option<Admission>,
    pub permissions: PermissionSet,
    pub restrictions: Restrictions,
    /// Made by the service, so that no client can point to the request of another.
    pub request_id: String,
    /// The valid `X-Request-Id` that the client sent.
    pub client_request_id: Option<String>,
    pub ip: Option<IpAddr>,
}

impl Actor {
    /// The command line or the service itself. It may do anything, as it has the database.
    pub fn internal(name: &str, request_id: String) -> Self {
        Self {
            key_id: None,
            key_name: name.into(),
            admission: None,
            permissions: PermissionSet::all(),
            restrictions: Restrictions::default(),
            request_id,
            client_request_id: None,
            ip: None,
        }
    }
}
