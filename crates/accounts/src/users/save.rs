//! Writes a changed user. A change of a part, such as a device, is in the audit log with each field
//! by its path from the user. An entry has only the changed part, since the list may be long.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::store::UNIQUE;
use super::{User, store};
use kernel::Result;
use kernel::input::taken;
use kernel::write::Edit;

pub async fn save(edit: &mut Edit, before: &User, user: &mut User) -> Result<()> {
    user.updated_at = edit.updated_at(before, user, before.updated_at);
    store::update(edit, user).await.map_err(taken(UNIQUE))
}

/// The same for a user of whom only the roles may have changed.
pub async fn save_roles(edit: &mut Edit, before: &User, user: &mut User) -> Result<()> {
    let held = |user: &User| {
        let ends = user.roles.iter().map(|role| (role.id, role.expires_at));
        ends.collect::<Vec<_>>()
    };
    if held(before) == held(user) {
        return Ok(());
    }
    user.updated_at = edit.now();
    Ok(store::update_time(edit, user).await?)
}

/// Counts a change of the user's links or devices.
pub async fn count_part_change(edit: &mut Edit, user: &mut User) -> Result<()> {
    store::count_part_change(edit, user.id).await?;
    user.part_changes += 1;
    Ok(())
}

type PartFields = BTreeMap<String, Value>;

/// The fields before a part is added, or after it is removed.
pub fn no_fields() -> PartFields {
    PartFields::new()
}

/// The fields of a part, each under a path such as `devices.3.name`. The id is in the path.
pub fn part_fields(list: &str, id: i64, part: &impl Serialize) -> PartFields {
    let fields = serde_json::to_value(part).unwrap_or_default();
    let fields = fields.as_object().cloned().unwrap_or_default();
    let fields = fields.into_iter().filter(|(name, _)| name != "id");
    fields
        .map(|(name, value)| (format!("{list}.{id}.{name}"), value))
        .collect()
}
