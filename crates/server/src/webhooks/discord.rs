//! What a receiver of the format `discord` gets: a message with an embed.
//!
//! Lengths are cut to the limits that Discord documents, since it refuses a message beyond them.
//! It counts characters; counting UTF-16 units is never less.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::audit::Entry;
use crate::audit::events::EventActor;
use kernel::types::Timestamp;

const MAX_TITLE: usize = 256;
const MAX_DESCRIPTION: usize = 4096;
const MAX_FIELDS: usize = 25;
const MAX_FIELD_NAME: usize = 256;
const MAX_FIELD_VALUE: usize = 1024;
/// Of all texts of an embed together.
const MAX_EMBED: usize = 6000;

/// Blue for changes, green for what is new, red for what is gone.
const CHANGED: u32 = 0x34_98_db;
const CREATED: u32 = 0x2e_cc_71;
const DELETED: u32 = 0xe7_4c_3c;

#[derive(Serialize)]
struct Message {
    embeds: [Embed; 1],
    allowed_mentions: AllowedMentions,
}

/// What a value contains notifies no one.
#[derive(Serialize)]
struct AllowedMentions {
    parse: [&'static str; 0],
}

#[derive(Serialize)]
struct Embed {
    title: String,
    description: String,
    color: u32,
    timestamp: Timestamp,
    fields: Vec<Field>,
}

#[derive(Serialize)]
struct Field {
    name: String,
    value: String,
}

pub fn render(entry: &Entry, actor: &EventActor) -> Vec<u8> {
    let title = cut(&entry.action, MAX_TITLE);
    let id = match entry.resource_id {
        0 => String::new(),
        id => format!(" {id}"),
    };
    let description = format!("{}{id}, changed by {}", entry.resource, actor.name);
    let description = cut(&description, MAX_DESCRIPTION);
    let mut free = MAX_EMBED - length(&title) - length(&description);
    let mut fields = Vec::new();
    for (name, value) in changes(entry) {
        let field = Field {
            name: cut(&name, MAX_FIELD_NAME),
            value: cut(&value, MAX_FIELD_VALUE),
        };
        let size = length(&field.name) + length(&field.value);
        if fields.len() == MAX_FIELDS || size > free {
            break;
        }
        free -= size;
        fields.push(field);
    }
    let message = Message {
        embeds: [Embed {
            title,
            description,
            color: color(entry),
            timestamp: entry.at,
            fields,
        }],
        allowed_mentions: AllowedMentions { parse: [] },
    };
    serde_json::to_vec(&message).expect("a message serialises")
}

fn color(entry: &Entry) -> u32 {
    match (entry.before.get(), entry.after.get()) {
        ("{}", _) => CREATED,
        (_, "{}") => DELETED,
        _ => CHANGED,
    }
}

/// The fields that changed, each with its values.
fn changes(entry: &Entry) -> Vec<(String, String)> {
    type Fields = IndexMap<String, Box<RawValue>>;
    let fields = |json: &RawValue| serde_json::from_str::<Fields>(json.get()).unwrap_or_default();
    let (before, mut after) = (fields(&entry.before), fields(&entry.after));
    let mut changes: Vec<(String, String)> = Vec::new();
    for (name, old) in before {
        let value = match after.shift_remove(&name) {
            // Both ends are shown, so each is cut by itself.
            Some(new) => format!("{} → {}", shown(&old), shown(&new)),
            None => shown(&old),
        };
        changes.push((name, value));
    }
    changes.extend(after.into_iter().map(|(name, new)| (name, shown(&new))));
    changes
}

/// A value as a person reads it. Discord refuses a field that is empty.
fn shown(value: &RawValue) -> String {
    const MAX: usize = (MAX_FIELD_VALUE - 3) / 2;
    let text = serde_json::from_str::<String>(value.get());
    let text = text.unwrap_or_else(|_| value.get().to_owned());
    match text.trim().is_empty() {
        true => "–".to_owned(),
        false => cut(&text, MAX),
    }
}

fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The text itself, or its beginning and an ellipsis if it is longer than `most`.
fn cut(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let mut left = most - 1;
    let fits = text.chars().take_while(|c| {
        let size = c.len_utf16();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    let mut kept: String = fits.collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(before: Value, after: Value) -> Value {
        let raw = |value: Value| RawValue::from_string(value.to_string()).expect("JSON");
        let entry = Entry {
            id: 1,
            at: Timestamp::from_unix(1_772_366_400),
            key_id: Some(1),
            key_name: "@everyone".into(),
            user_id: None,
            user_name: None,
            request_id: String::new(),
            ip: None,
            action: "users.update".into(),
            resource: "users".into(),
            resource_id: 7,
            before: raw(before),
            after: raw(after),
        };
        let actor = EventActor::of_entry(&entry);
        serde_json::from_slice(&render(&entry, &actor)).expect("JSON")
    }

    #[test]
    fn a_message_shows_what_changed_and_mentions_nobody() {
        let message = message(
            json!({ "name": "Anna", "note": "" }),
            json!({ "name": "@here", "note": "x", "age": 3 }),
        );
        assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
        let embed = &message["embeds"][0];
        assert_eq!(embed["title"], "users.update");
        assert_eq!(embed["description"], "users 7, changed by @everyone");
        assert_eq!(embed["timestamp"], "2026-03-01T12:00:00Z");
        assert_eq!(
            embed["fields"],
            json!([
                { "name": "name", "value": "Anna → @here" },
                { "name": "note", "value": "– → x" },
                { "name": "age", "value": "3" },
            ])
        );
    }

    #[test]
    fn lengths_are_cut_to_the_limits_of_discord() {
        let long = "🔑".repeat(5000);
        let many: serde_json::Map<String, Value> = (0..60)
            .map(|i| (format!("field {i}"), json!(if i < 2 { &long } else { "x" })))
            .collect();
        let wide: serde_json::Map<String, Value> = (0..20)
            .map(|i| (format!("{i}{long}"), json!(long)))
            .collect();
        for (before, after) in [
            (json!({}), Value::Object(many.clone())),
            (Value::Object(many.clone()), Value::Object(many)),
            (json!({}), Value::Object(wide)),
        ] {
            let message = message(before, after);
            let embed = &message["embeds"][0];
            let fields = embed["fields"].as_array().expect("a list");
            assert!(!fields.is_empty() && fields.len() <= MAX_FIELDS);
            let size = |value: &Value| length(value.as_str().expect("text"));
            let mut total = size(&embed["title"]) + size(&embed["description"]);
            for field in fields {
                let (name, value) = (size(&field["name"]), size(&field["value"]));
                assert!((1..=MAX_FIELD_NAME).contains(&name), "{name}");
                assert!((1..=MAX_FIELD_VALUE).contains(&value), "{value}");
                total += name + value;
            }
            assert!(total <= MAX_EMBED, "{total}");
        }
    }
}
