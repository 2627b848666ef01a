//! The body in the format `discord`: a message with an embed.
//!
//! Markdown in data is escaped: a name must not become a link to somewhere else.
//!
//! Texts are truncated to the limits that Discord documents, since it refuses longer ones. It
//! counts characters; the number of UTF-16 units is never less.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::audit::Entry;
use crate::audit::events::EventActor;
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR, MINUTE};

const MAX_TITLE: usize = 256;
const MAX_DESCRIPTION: usize = 4096;
const MAX_FIELDS: usize = 25;
const MAX_FIELD_NAME: usize = 256;
const MAX_FIELD_VALUE: usize = 1024;
/// The limit of all texts of an embed together.
const MAX_EMBED: usize = 6000;

/// Blue for changes, green for new resources, red for deleted ones.
const CHANGED: u32 = 0x34_98_db;
const CREATED: u32 = 0x2e_cc_71;
const DELETED: u32 = 0xe7_4c_3c;

#[derive(Serialize)]
struct Message {
    embeds: [Embed; 1],
    allowed_mentions: AllowedMentions,
}

/// Prevents mentions: the text of a value must notify no one.
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
    let description = cut(&description(entry, actor), MAX_DESCRIPTION);
    let mut free = MAX_EMBED - length(&title) - length(&description);
    let mut fields = Vec::new();
    for (name, value) in changes(entry) {
        let field = Field {
            name: cut(&escape(&name), MAX_FIELD_NAME),
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

fn description(entry: &Entry, actor: &EventActor) -> String {
    if entry.action == "grants.create"
        && let Ok(grant) = serde_json::from_str::<Grant>(entry.after.get())
    {
        return grant.to_string();
    }
    if entry.action == "bans.create"
        && let Ok(ban) = serde_json::from_str::<Ban>(entry.after.get())
    {
        return ban.sentence(entry.at, actor);
    }
    let id = match entry.resource_id {
        0 => String::new(),
        id => format!(" {id}"),
    };
    format!("{}{id}, changed by {}", entry.resource, escape(&actor.name))
}

/// The fields of the audit entry of a grant that describe a purchase.
#[derive(Deserialize)]
struct Grant {
    username: String,
    product_name: String,
    invoice_id: Option<i64>,
    steps: Vec<GrantStep>,
}

#[derive(Deserialize)]
struct GrantStep {
    seconds: Option<i64>,
}

/// "anna bought VIP, 30 days".
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.invoice_id {
            Some(_) => "bought",
            None => "was given",
        };
        let (name, product) = (escape(&self.username), escape(&self.product_name));
        write!(f, "{name} {verb} {product}")?;
        let Some(seconds) = self.steps.iter().find_map(|step| step.seconds) else {
            return Ok(());
        };
        write!(f, ", {}", Length(seconds))
    }
}

/// The fields of the audit entry of a ban that players may see.
#[derive(Deserialize)]
struct Ban {
    kind: String,
    steam_id64: Option<String>,
    player_name: String,
    reason: String,
    expires_at: Option<String>,
}

impl Ban {
    /// "anna banned Gordon for 30 days: Cheating".
    fn sentence(&self, at: Timestamp, issuer: &EventActor) -> String {
        let verb = match self.kind.as_str() {
            "mute" => "muted",
            "gag" => "gagged",
            "silence" => "silenced",
            _ => "banned",
        };
        let player = match (self.player_name.as_str(), &self.steam_id64) {
            ("", Some(id)) => id,
            ("", None) => "a player",
            (name, _) => name,
        };
        let end = self.expires_at.as_ref();
        let end: Option<Timestamp> = end.and_then(|end| end.parse().ok());
        let length = end.map(|end| format!(" for {}", Length(end.unix() - at.unix())));
        let length = length.unwrap_or_default();
        let (issuer, player) = (escape(&issuer.name), escape(player));
        format!("{issuer} {verb} {player}{length}: {}", escape(&self.reason))
    }
}

/// A length of time in seconds, in the largest unit that it is a multiple of.
struct Length(i64);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
        let (count, unit) = match seconds {
            _ if seconds % DAY == 0 => (seconds / DAY, "day"),
            _ if seconds % HOUR == 0 => (seconds / HOUR, "hour"),
            _ => (seconds / MINUTE, "minute"),
        };
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} {unit}{plural}")
    }
}

/// Fields of bans that are not for a channel of players.
fn is_private(entry: &Entry, field: &str) -> bool {
    entry.resource == "bans" && ["ip_range", "note", "evidence"].contains(&field)
}

fn color(entry: &Entry) -> u32 {
    match (entry.before.get(), entry.after.get()) {
        ("{}", _) => CREATED,
        (_, "{}") => DELETED,
        _ => CHANGED,
    }
}

/// The changed fields, each with its values.
fn changes(entry: &Entry) -> Vec<(String, String)> {
    type Fields = IndexMap<String, Box<RawValue>>;
    let fields = |json: &RawValue| serde_json::from_str::<Fields>(json.get()).unwrap_or_default();
    let (before, mut after) = (fields(&entry.before), fields(&entry.after));
    let mut changes: Vec<(String, String)> = Vec::new();
    for (name, old) in before {
        let value = match after.shift_remove(&name) {
            Some(new) if new.get() == old.get() => shown(&old),
            // Both values are shown, so each is truncated separately.
            Some(new) => format!("{} → {}", shown(&old), shown(&new)),
            None => shown(&old),
        };
        changes.push((name, value));
    }
    changes.extend(after.into_iter().map(|(name, new)| (name, shown(&new))));
    changes.retain(|(name, _)| !is_private(entry, name));
    changes
}

/// A value in a form for people. Discord refuses an empty field.
fn shown(value: &RawValue) -> String {
    const MAX: usize = (MAX_FIELD_VALUE - 3) / 2;
    let text = serde_json::from_str::<String>(value.get());
    let text = text.unwrap_or_else(|_| value.get().to_owned());
    match text.trim().is_empty() {
        true => "–".to_owned(),
        false => cut(&escape(&text), MAX),
    }
}

/// The text with a backslash before each character that has a meaning in Discord's Markdown.
fn escape(text: &str) -> String {
    const SPECIAL: &str = "\\*_~`|>[]()<@#-:";
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if SPECIAL.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The text, truncated to `most` with an ellipsis.
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
        message_of("users.update", before, after)
    }

    fn message_of(action: &str, before: Value, after: Value) -> Value {
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
            action: action.into(),
            resource: action.split('.').next().unwrap_or_default().into(),
            resource_id: 7,
            before: raw(before),
            after: raw(after),
        };
        let actor = EventActor::of_entry(&entry);
        serde_json::from_slice(&render(&entry, &actor)).expect("JSON")
    }

    #[test]
    fn a_ban_is_told_in_words_without_address_and_note() {
        let after = |kind: &str, name: &str, end: Option<&str>| {
            json!({
                "kind": kind, "steam_id64": "76561197969249708", "ip_range": "192.0.2.7",
                "player_name": name, "reason": "*Cheating*", "note": "from his ISP",
                "evidence": ["https://example.org/192.0.2.7"], "expires_at": end,
            })
        };
        for (after, sentence) in [
            (
                after("ban", "Gordon_F", Some("2026-03-31T12:00:00Z")),
                "\\@everyone banned Gordon\\_F for 30 days: \\*Cheating\\*",
            ),
            (
                after("gag", "", None),
                "\\@everyone gagged 76561197969249708: \\*Cheating\\*",
            ),
        ] {
            let message = message_of("bans.create", json!({}), after);
            assert_eq!(message["embeds"][0]["description"], sentence);
            let text = message.to_string();
            assert!(
                !text.contains("192.0.2.7") && !text.contains("ISP"),
                "{text}"
            );
        }
        let message = message_of(
            "bans.update",
            json!({ "note": "a" }),
            json!({ "note": "b" }),
        );
        assert_eq!(message["embeds"][0]["fields"], json!([]));
    }

    #[test]
    fn a_message_shows_the_changes_and_mentions_no_one() {
        let message = message(
            json!({ "name": "Anna", "note": "", "role": "VIP" }),
            json!({ "name": "@here", "note": "x", "role": "VIP", "age": 3 }),
        );
        assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
        let embed = &message["embeds"][0];
        assert_eq!(embed["title"], "users.update");
        assert_eq!(embed["description"], "users 7, changed by \\@everyone");
        assert_eq!(embed["timestamp"], "2026-03-01T12:00:00Z");
        assert_eq!(
            embed["fields"],
            json!([
                { "name": "name", "value": "Anna → \\@here" },
                { "name": "note", "value": "– → x" },
                { "name": "role", "value": "VIP" },
                { "name": "age", "value": "3" },
            ])
        );
    }

    #[test]
    fn a_grant_is_told_in_words() {
        let steps = json!([{ "kind": "rcon" }, { "kind": "role", "seconds": 30 * DAY }]);
        for (invoice_id, steps, expected) in [
            (json!(7), steps.clone(), r"an\_na bought VIP, 30 days"),
            (Value::Null, steps, r"an\_na was given VIP, 30 days"),
            (
                json!(7),
                json!([{ "seconds": HOUR }]),
                r"an\_na bought VIP, 1 hour",
            ),
            (
                json!(7),
                json!([{ "seconds": 90 }]),
                r"an\_na bought VIP, 1 minute",
            ),
            (json!(7), json!([]), r"an\_na bought VIP"),
        ] {
            let after = json!({
                "username": "an_na", "product_name": "VIP", "invoice_id": invoice_id, "steps": steps,
            });
            let message = message_of("grants.create", json!({}), after);
            assert_eq!(message["embeds"][0]["description"], expected);
        }
    }

    #[test]
    fn markdown_in_data_is_escaped() {
        for (text, expected) in [
            (
                "[Verify](https://evil.example)",
                r"\[Verify\]\(https\://evil.example\)",
            ),
            ("**bold** __a__ ~~b~~", r"\*\*bold\*\* \_\_a\_\_ \~\~b\~\~"),
            ("`code` ||spoiler||", r"\`code\` \|\|spoiler\|\|"),
            (
                "# big\n> quote\n-# small",
                "\\# big\n\\> quote\n\\-\\# small",
            ),
            ("<@&1> <:x:2> \\", r"\<\@&1\> \<\:x\:2\> \\"),
            ("plain, 1.5 %", "plain, 1.5 %"),
        ] {
            let message = message(json!({}), json!({ text: text }));
            let field = &message["embeds"][0]["fields"][0];
            assert_eq!(field["value"], expected);
            assert_eq!(field["name"], expected);
        }
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
