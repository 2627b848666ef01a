//! `Actor`: who makes a change.

use std::net::IpAddr;

use crate::auth::Restrictions;
use crate::auth::permission::PermissionSet;

/// Who makes a change, for the audit log and for checks against privilege escalation.
#[derive(Clone, Debug)]
pub struct Actor {
    /// `None` for the command line and for maintenance, which need no key.
    pub key_id: Option<i64>,
    pub key_name: String,
    pub permissions: PermissionSet,
    pub restrictions: Restrictions,
    pub request_id: String,
    pub ip: Option<IpAddr>,
}

impl Actor {
    /// The command line or the service itself. It may do anything, as it has the database.
    pub fn internal(name: &str, request_id: String) -> Self {
        Self {
            key_id: None,
            key_name: name.into(),
            permissions: PermissionSet::all(),
            restrictions: Restrictions::default(),
            request_id,
            ip: None,
        }
    }
}
