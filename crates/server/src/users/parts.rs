//! How the audit log shows a part of a user, such as a device: each field by its path from the user.
//! An entry has the part alone and not the whole list, which may be long.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

pub type PartFields = BTreeMap<String, Value>;

/// Before a part is added, or after it is removed.
pub fn no_fields() -> PartFields {
    PartFields::new()
}

/// `devices.3.name`. The id is in the path.
pub fn part_fields(list: &str, id: i64, part: &impl Serialize) -> PartFields {
    let fields = serde_json::to_value(part).unwrap_or_default();
    let fields = fields.as_object().cloned().unwrap_or_default();
    let fields = fields.into_iter().filter(|(name, _)| name != "id");
    fields
        .map(|(name, value)| (format!("{list}.{id}.{name}"), value))
        .collect()
}
