//! `Key`: the part of an API key that authentication needs.

use serde::{Serialize, Serializer};

use super::Restrictions;
use super::permission::PermissionSet;
use crate::secret::Secret;
use crate::types::Timestamp;

/// An API key with its permissions and restrictions.
#[derive(Clone, Debug)]
pub struct Key {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub permissions: PermissionSet,
    pub restrictions: Restrictions,
    pub hash: Secret<Vec<u8>>,
    pub previous: Option<PreviousValue>,
}

/// The value that a key had before it was rotated. It stays valid for a limited time.
#[derive(Clone, Debug)]
pub struct PreviousValue {
    pub hash: Secret<Vec<u8>>,
    pub valid_until: Timestamp,
}

/// Serialises the expiry only.
impl Serialize for PreviousValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.valid_until.serialize(serializer)
    }
}
