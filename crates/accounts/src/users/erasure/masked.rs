//! Masks the personal data in an audit entry.

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};

pub const MASK: &str = "***";

/// The fields as raw JSON, so that no number loses a digit.
type Fields = IndexMap<String, Box<RawValue>>;

/// The fields of an entry with personal data masked. A value that is not an object is masked whole.
pub fn masked(user_id: i64, resource: &str, fields: &RawValue) -> String {
    let Ok(mut fields) = serde_json::from_str::<Fields>(fields.get()) else {
        return "{}".to_owned();
    };
    match resource {
        "sessions" | "console_sessions" => mask_session(&mut fields),
        "grants" => ["username", "reason", "note"]
            .iter()
            .for_each(|name| mask_field(&mut fields, name)),
        "bans" => ["player_name", "note", "evidence"]
            .iter()
            .for_each(|name| mask_field(&mut fields, name)),
        // A command of a grant, which has the name or the links of its user.
        "servers" => mask_field(&mut fields, "command"),
        _ => {
            mask_user(&mut fields);
            // A change of many users has the state of each under their id.
            mask_inside(&mut fields, "users", |users| {
                mask_inside(users, &user_id.to_string(), mask_user);
            });
        }
    }
    serde_json::to_string(&fields).unwrap_or_else(|_| "{}".to_owned())
}

fn mask_user(fields: &mut Fields) {
    for (name, value) in fields.iter_mut() {
        // Parts have a path: `devices.3.name`.
        let is_part = |list: &str, field: &str| name.starts_with(list) && name.ends_with(field);
        let is_personal = matches!(name.as_str(), "username" | "email")
            || is_part("devices.", ".name")
            || is_part("devices.", ".user_agent")
            || is_part("social_networks.", ".profile_url")
            || is_part("identities.", ".subject");
        if is_personal {
            mask(value);
        }
    }
    mask_inside(fields, "block", |block| mask_field(block, "reason"));
}

fn mask_session(fields: &mut Fields) {
    mask_field(fields, "client_ip");
    mask_inside(fields, "device", |device| {
        mask_field(device, "name");
        mask_field(device, "user_agent");
    });
}

fn mask_inside(fields: &mut Fields, name: &str, change: impl FnOnce(&mut Fields)) {
    let Some(value) = fields.get_mut(name) else {
        return;
    };
    let Ok(mut inner) = serde_json::from_str::<Fields>(value.get()) else {
        return;
    };
    change(&mut inner);
    if let Ok(changed) = to_raw_value(&inner) {
        *value = changed;
    }
}

fn mask_field(fields: &mut Fields, name: &str) {
    if let Some(value) = fields.get_mut(name) {
        mask(value);
    }
}

/// Masks a value. Null and the empty string reveal nothing and stay.
fn mask(value: &mut Box<RawValue>) {
    if !matches!(value.get(), "null" | "\"\"")
        && let Ok(masked) = to_raw_value(MASK)
    {
        *value = masked;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::masked;

    #[track_caller]
    fn check(resource: &str, fields: serde_json::Value, expected: serde_json::Value) {
        let fields = to_raw_value(&fields).expect("JSON");
        let masked = masked(7, resource, &fields);
        let masked: serde_json::Value = serde_json::from_str(&masked).expect("JSON");
        assert_eq!(masked, expected);
    }

    #[test]
    fn the_values_of_a_user_are_masked_and_the_rest_is_kept() {
        check(
            "users",
            json!({
                "id": 7, "username": "anna", "email": "anna@example.com", "status": "blocked",
                "block": { "reason": "Anna spams", "until": null },
                "roles": [{ "id": 1, "name": "Guard" }],
                "devices.3.name": "Phone", "devices.3.user_agent": "Mozilla",
                "social_networks.2.profile_url": "anna", "social_networks.2.network": "steam",
                "identities.4.subject": "76561197969249708", "identities.4.provider": "steam",
            }),
            json!({
                "id": 7, "username": "***", "email": "***", "status": "blocked",
                "block": { "reason": "***", "until": null },
                "roles": [{ "id": 1, "name": "Guard" }],
                "devices.3.name": "***", "devices.3.user_agent": "***",
                "social_networks.2.profile_url": "***", "social_networks.2.network": "steam",
                "identities.4.subject": "***", "identities.4.provider": "steam",
            }),
        );
    }

    #[test]
    fn of_many_users_only_the_one_is_masked() {
        let of = |reason: &str| json!({ "status": "blocked", "block": { "reason": reason } });
        check(
            "users",
            json!({ "users": { "7": of("Anna spams"), "70": of("Berta spams") } }),
            json!({ "users": { "7": of("***"), "70": of("Berta spams") } }),
        );
        check("users", json!({ "block": null }), json!({ "block": null }));
    }

    #[test]
    fn a_session_keeps_its_ids() {
        check(
            "sessions",
            json!({
                "user_id": 7, "client_ip": "192.0.2.7", "code": "invalid_credentials",
                "device": { "id": 3, "name": "Phone", "user_agent": "Mozilla" },
            }),
            json!({
                "user_id": 7, "client_ip": "***", "code": "invalid_credentials",
                "device": { "id": 3, "name": "***", "user_agent": "***" },
            }),
        );
    }

    #[test]
    fn grants_and_their_commands_are_masked() {
        check(
            "grants",
            json!({ "username": "anna", "product_name": "VIP", "reason": "Anna won" }),
            json!({ "username": "***", "product_name": "VIP", "reason": "***" }),
        );
        check(
            "servers",
            json!({ "command": "vip anna" }),
            json!({ "command": "***" }),
        );
    }
}
