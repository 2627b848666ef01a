//! [`Resource`]: what writes, the audit log and entity tags need to know about a resource.

use serde::Serialize;

use crate::json;

/// A resource that can be written. The audit log compares its serialised form, so that has every
/// field that an update can set, and secrets only as `***`.
pub trait Resource: Serialize {
    /// As in the path and the audit log: `roles`.
    const PLURAL: &'static str;
    /// As in `There is no such role.`
    const SINGULAR: &'static str;

    /// Fields that can be written but are never shown; in the audit log they read `***`.
    const SECRETS: &'static [&'static str] = &[];

    fn id(&self) -> i64;

    /// State that is not serialised but is part of the entity tag.
    fn hidden(&self) -> &[u8] {
        &[]
    }

    /// What the entity tag is computed from, besides [`Resource::hidden`]. A resource whose parts
    /// are read separately overrides it and includes a counter of their changes.
    fn state(&self) -> Vec<u8> {
        serialised(self)
    }
}

pub fn serialised<T: Serialize + ?Sized>(state: &T) -> Vec<u8> {
    json::to_vec(state).expect("a resource serialises")
}
