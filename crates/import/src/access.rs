//! Permissions, roles and API keys.

use std::collections::{BTreeMap, HashMap, HashSet};

use accounts::roles::{self, Color, Role};
use kernel::Result;
use kernel::auth::Restrictions;
use kernel::auth::permission::{PermissionSet, by_name};
use kernel::auth::{KeyValue, LastUse};
use kernel::secret::Secret;
use kernel::write::Edit;
use platform::api_keys::{self, ApiKey};

use crate::context::Context;
use crate::record::Kept;
use crate::report::Output;
use crate::small::{Pair, Rows, Small};
use crate::text::{line, valid};

/// The permission of Flute for everything.
const BOSS: &str = "admin.boss";
const MOST_NAME: usize = 100;

/// The permissions that one of Flute becomes; empty if there is none.
fn permissions_of(name: &str) -> PermissionSet {
    let ours = match name {
        BOSS => return PermissionSet::all(),
        "admin.gateways" | "admin.payments" | "admin.promo-codes" => "admin.payments",
        "admin.currency" => "admin.currencies",
        "admin.navbar" | "admin.navigation" => "admin.navigation",
        "admin.socials" | "admin.social-networks" | "admin.users" => "admin.users",
        "admin.users.view" => "admin.users.read",
        "admin.api-keys" | "admin.servers" | "admin.roles" | "admin.pages" => name,
        _ => return PermissionSet::default(),
    };
    PermissionSet::from_ids(by_name(ours).map(|permission| permission.id))
}

/// Reports the permissions, and gathers those of each row on the left side of the pairs.
fn gather(
    table: &str,
    pairs: &Rows<Pair>,
    owners: &HashSet<i64>,
    owner: &str,
    names: &HashMap<i64, &str>,
    output: &mut Output<'_>,
) -> Result<HashMap<i64, PermissionSet>> {
    let mut sets: HashMap<i64, PermissionSet> = HashMap::new();
    for (kept, Pair { left, right }) in pairs {
        let permissions = names.get(right).map(|name| permissions_of(name));
        let reason = match permissions {
            _ if !owners.contains(left) => format!("{owner} {left} is not there"),
            None => format!("permission {right} is not there"),
            Some(none) if none == PermissionSet::default() => {
                "there is no such permission here".to_owned()
            }
            Some(permissions) => {
                let set = sets.entry(*left).or_default();
                for id in permissions.ids() {
                    set.insert(id);
                }
                output.write(table, kept.id, &[])?;
                continue;
            }
        };
        output.leave_out(table, kept, &reason)?;
    }
    Ok(sets)
}

/// Writes the roles, and returns those that had the permission for everything.
pub async fn write_roles(
    edit: &mut Edit,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<Vec<i64>> {
    let names = small.names_of_permissions();
    for (kept, name) in &small.permissions {
        match permissions_of(name) == PermissionSet::default() {
            false => output.write("permissions", kept.id, &[])?,
            true => {
                let reason = format!("there is nothing like {}", name.escape_debug());
                output.leave_out("permissions", kept, &reason)?;
            }
        }
    }
    let ids: HashSet<i64> = small.roles.iter().map(|(kept, _)| kept.id).collect();
    let pairs = &small.role_permissions;
    let mut sets = gather("role_permissions", pairs, &ids, "role", &names, output)?;
    let mut written = Vec::new();
    for (kept, role) in &small.roles {
        let mut changes = Vec::new();
        let fallback = || format!("role-{}", kept.id);
        written.push(Role {
            id: kept.id,
            name: line(&role.name, MOST_NAME, fallback, "the name", &mut changes),
            description: String::new(),
            color: color(role.color.as_deref(), &mut changes),
            permissions: sets.remove(&kept.id).unwrap_or_default(),
        });
        output.write("roles", kept.id, &changes)?;
    }
    roles::load(edit, &written).await?;
    let is_boss = |pair: &Pair| names.get(&pair.right).is_some_and(|name| *name == BOSS);
    let bosses = pairs.iter().filter(|(_, pair)| is_boss(pair));
    Ok(bosses.map(|(_, pair)| pair.left).collect())
}

/// A colour as `#rrggbb`.
fn color(text: Option<&str>, changes: &mut Vec<String>) -> Color {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Color::default();
    };
    let digits = text.strip_prefix('#').unwrap_or(text);
    let long = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        // The last two are how transparent it is.
        8 => digits.get(..6).unwrap_or_default().to_owned(),
        _ => digits.to_owned(),
    };
    let long = format!("#{long}");
    match valid::<Color>(&long) {
        Some(color) => {
            if long != text {
                changes.push(format!("the colour is written as {long}"));
            }
            color
        }
        None => {
            changes.push("the colour is not one of #rrggbb, so it is the default".to_owned());
            Color::default()
        }
    }
}

/// Writes the API keys. The dump has them in plain text; they are stored as hashes.
pub async fn write_keys(
    edit: &mut Edit,
    context: &Context,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<()> {
    const TABLE: &str = "api_keys";
    let names = small.names_of_permissions();
    let mut firsts: BTreeMap<&str, i64> = BTreeMap::new();
    for (kept, key) in &small.api_keys {
        let first = firsts.entry(&key.value).or_insert(kept.id);
        *first = kept.id.min(*first);
    }
    let mut written = Vec::new();
    for (kept, key) in &small.api_keys {
        let Some(value) = KeyValue::chosen(&key.value) else {
            let reason = "the key does not have 16 to 256 visible ASCII characters";
            output.leave_out(TABLE, kept, reason)?;
            continue;
        };
        let first = firsts.get(key.value.as_str()).copied().unwrap_or(kept.id);
        if first != kept.id {
            let reason = format!("the key is the same as that of {first}");
            output.leave_out(TABLE, kept, &reason)?;
            continue;
        }
        if kept.id < 1 {
            output.leave_out(TABLE, kept, "the id is not positive")?;
            continue;
        }
        let mut changes = Vec::new();
        let fallback = || format!("key-{}", kept.id);
        let name = line(&key.name, MOST_NAME, fallback, "the name", &mut changes);
        let created_at = key.created_at.or("created_at", context.now, &mut changes);
        let last_use = key.last_used_at.or_none("last_used_at", &mut changes);
        if !context.options.keys_are_active {
            changes.push("the key is inactive, since the dump has it in plain text".to_owned());
        }
        written.push((
            kept,
            changes,
            ApiKey {
                id: kept.id,
                name,
                active: context.options.keys_are_active,
                permissions: PermissionSet::default(),
                restrictions: Restrictions::default(),
                prefix: value.prefix().to_owned(),
                hash: Secret::new(value.hash().to_vec()),
                previous: None,
                last_use: last_use.map(|at| LastUse { at, ip: None }),
                created_at,
            },
        ));
    }
    let ids = written.iter().map(|(kept, _, _): &(&Kept, _, _)| kept.id);
    let ids: HashSet<i64> = ids.collect();
    let pairs = &small.api_key_permissions;
    let mut sets = gather("api_key_permissions", pairs, &ids, "key", &names, output)?;
    for (kept, changes, mut key) in written {
        key.permissions = sets.remove(&kept.id).unwrap_or_default();
        api_keys::load(edit, &key).await?;
        output.write(TABLE, kept.id, &changes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_follow_their_names() {
        let names = |name| -> Vec<&str> {
            let list = permissions_of(name).list();
            list.iter().map(|permission| permission.name).collect()
        };
        assert_eq!(permissions_of("admin.boss"), PermissionSet::all());
        for (flute, ours) in [
            ("admin.gateways", "admin.payments"),
            ("admin.payments", "admin.payments"),
            ("admin.promo-codes", "admin.payments"),
            ("admin.currency", "admin.currencies"),
            ("admin.navbar", "admin.navigation"),
            ("admin.navigation", "admin.navigation"),
            ("admin.socials", "admin.users"),
            ("admin.social-networks", "admin.users"),
            ("admin.users", "admin.users"),
            ("admin.users.view", "admin.users.read"),
            ("admin.servers", "admin.servers"),
            ("admin.roles", "admin.roles"),
            ("admin.pages", "admin.pages"),
        ] {
            assert_eq!(names(flute), [ours], "{flute}");
        }
        // A module may call a permission as one of ours, with another meaning.
        for other in [
            "admin",
            "admin.bans",
            "admin.backups",
            "admin.servers.rcon",
            "Admin.Boss",
        ] {
            assert_eq!(names(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn a_color_is_made_rrggbb_or_the_default() {
        let made = |text| {
            let mut changes = Vec::new();
            let color = color(text, &mut changes);
            (color.as_str().to_owned(), changes.len())
        };
        assert_eq!(made(Some("#BAFF68")), ("#BAFF68".to_owned(), 0));
        assert_eq!(made(Some("#F0f")), ("#FF00ff".to_owned(), 1));
        assert_eq!(made(Some("baff68")), ("#baff68".to_owned(), 1));
        assert_eq!(made(Some("#baff6880")), ("#baff68".to_owned(), 1));
        assert_eq!(made(Some("red")), ("#808080".to_owned(), 1));
        assert_eq!(made(Some("#жжж")), ("#808080".to_owned(), 1));
        assert_eq!(made(Some(" ")), ("#808080".to_owned(), 0));
        assert_eq!(made(None), ("#808080".to_owned(), 0));
    }
}
