use std::net::IpAddr;

use crate::auth::Restrictions;
use crate::auth::permission::PermissionSet;

/// Who does something, for the audit log and for rules about who may do what to whom.
#[derive(Clone, Debug)]
pub struct Actor {
    /// `None` for the command line and for upkeep, which need no key.
    pub key_id: Option<i64>,
    pub key_name: String,
    pub permissions: PermissionSet,
    pub restrictions: Restrictions,
    pub request_id: String,
    pub ip: Option<IpAddr>,
}

impl Actor {
    /// The program itself, or whoever can run it beside its database: they may do anything.
    pub fn without_key(name: &str, request_id: String) -> Self {
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
