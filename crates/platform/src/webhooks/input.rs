//! Request bodies and query parameters of webhooks, and the rules of their fields.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use webhook_client::Url;

use super::deliveries::State;
use crate::audit::events::may_see;
use kernel::auth::permission::PermissionSet;
use kernel::input::{
    Fault, Int, LengthUnit, Line, ListItems, Moment, Patch, Place, Raw, Rule, TextFormat, items,
    text, text_that,
};
use kernel::schema::JsonSchema;
use kernel::{inline_schema, input};

const MAX_URL: usize = 2048;
const MAX_PATTERNS: usize = 50;
const MAX_PATTERN: usize = 100;
/// A week, in seconds.
const MAX_OVERLAP: i64 = 7 * 24 * 60 * 60;

input! {
    /// A webhook to create.
    pub struct NewWebhook {
        /// The URL that events are sent to, over `http` or `https`. An address that is not public,
        /// or is one of this machine, is refused unless the option `--webhook-networks` includes it.
        url: ReceiverUrl,
        /// The default is the host of the URL.
        name: Option<Line<1, 255>>,
        /// The events to send: actions of the audit log such as `users.block`, all of a resource
        /// such as `payment_invoices.*`, or `*` for all, which is the default. Failed sign-ins
        /// (`console_sessions.fail`, `sessions.fail`) are sent only if they are named. The caller
        /// needs the permission to read every resource that is named; for `*`, `admin.audit.read`.
        events: Option<Patterns>,
        /// `standard` for the format of Standard Webhooks, which is the default, or `discord` for
        /// a message in a channel.
        format: Option<Format>,
        /// Whether events are sent. The default is true.
        active: Option<bool>,
    }
}

input! {
    /// Changes to a webhook. Absent fields keep their value.
    pub struct WebhookChanges {
        /// The URL that events are sent to, including pending ones.
        url: Patch<ReceiverUrl>,
        name: Patch<Line<1, 255>>,
        /// The events to send: actions of the audit log such as `users.block`, all of a resource
        /// such as `payment_invoices.*`, or `*` for all.
        events: Patch<Patterns>,
        format: Patch<Format>,
        /// Whether events are sent. Events that happen while it is false are not sent later, except
        /// by a replay.
        active: Patch<bool>,
    }
}

input! {
    /// The rotation of a signing secret.
    pub struct WebhookSecretRotation {
        /// How long requests are also signed with the old secret, in seconds.
        overlap_seconds: Int<0, MAX_OVERLAP>,
    }
}

input! {
    /// The period whose events are sent again, including both ends.
    pub struct WebhookReplay {
        from: Moment,
        to: Moment,
    }
}

input! {
    /// Filters of deliveries.
    pub struct DeliveryFilters {
        /// Only deliveries in this state.
        state: Option<State>,
    }
}

/// The URL of a receiver, spelled as the client sent it. Serialised, for the audit log, it is
/// [masked](ReceiverUrl::masked).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverUrl(String);

impl Serialize for ReceiverUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.masked())
    }
}

impl ReceiverUrl {
    pub fn from_stored(url: String) -> Self {
        Self(url)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL without its secret: in `https://discord.com/api/webhooks/1/TOKEN`, whoever has the
    /// token can write to the channel.
    pub fn masked(&self) -> Cow<'_, str> {
        const BEFORE_ID: &str = "/webhooks/";
        let found = self.0.find(BEFORE_ID).and_then(|start| {
            let id = start + BEFORE_ID.len();
            let length = self.0[id..].find('/')?;
            let is_id = self.0[id..id + length].bytes().all(|c| c.is_ascii_digit());
            (is_id && length > 0).then_some(id + length + 1)
        });
        match found {
            Some(secret) if secret < self.0.len() => format!("{}***", &self.0[..secret]).into(),
            _ => Cow::Borrowed(&self.0),
        }
    }

    /// Parses the URL. `None` only if the stored value is damaged.
    pub fn parse(&self) -> Option<Url> {
        Url::parse(&self.0).ok()
    }

    pub fn host(&self) -> String {
        let url = self.parse();
        let host = url.as_ref().and_then(Url::host_str);
        host.unwrap_or_default().to_owned()
    }
}

impl Rule for ReceiverUrl {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        place.check_length(text.chars().count(), 0..=MAX_URL, LengthUnit::Characters)?;
        if !has_url_characters(&text) {
            place.add(Fault::UnescapedUrl {});
            return None;
        }
        let Some(url) = Url::parse(&text).ok().filter(is_web) else {
            place.add(Fault::wrong_format(TextFormat::Url));
            return None;
        };
        if !url.username().is_empty() || url.password().is_some() {
            place.add(Fault::CredentialsInUrl {});
            return None;
        }
        Some(Self(text.into_owned()))
    }
}

/// Whether the text has only characters of a URL. Parsers repair others in different ways, so
/// receivers and logs would show a URL that differs from the one sent.
fn has_url_characters(text: &str) -> bool {
    let mut parts = text.split('%');
    let is_plain = |part: &str| {
        let allowed =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte);
        part.bytes().all(allowed)
    };
    let first = parts.next().unwrap_or_default();
    is_plain(first)
        && parts.all(|part| {
            let code = part.as_bytes().first_chunk::<2>();
            code.is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit)) && is_plain(part)
        })
}

fn is_web(url: &Url) -> bool {
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    ["http", "https"].contains(&url.scheme()) && has_host
}

inline_schema!(ReceiverUrl, {
    "type": "string",
    "maxLength": MAX_URL,
    "pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$",
});

/// The events that a webhook receives, as sent by the client, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patterns(Vec<String>);

impl Patterns {
    /// Reads a value written by [`Patterns::to_stored`].
    pub fn from_stored(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    pub fn to_stored(&self) -> String {
        serde_json::to_string(&self.0).expect("text serialises")
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Whether these permissions suffice to read the events of every resource that is named.
    pub fn are_covered_by(&self, permissions: PermissionSet) -> bool {
        self.0.iter().all(|pattern| {
            // `*` is not a resource, so it needs the permission to read the audit log.
            let resource = pattern.split('.').next().unwrap_or_default();
            may_see(permissions, &resource.replace('-', "_"))
        })
    }

    /// Whether events with this action are sent.
    pub fn match_action(&self, action: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, action))
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Self(vec!["*".to_owned()])
    }
}

/// Failed attempts to sign in. Strangers cause them, so that a pattern for many events would let
/// strangers decide what is sent, and how often.
const CAUSED_BY_STRANGERS: [&str; 2] = ["console_sessions.fail", "sessions.fail"];

/// Whether a pattern matches. A hyphen stands for an underscore, as in the paths of the API.
fn matches(pattern: &str, action: &str) -> bool {
    let pattern = pattern.replace('-', "_");
    match pattern.strip_suffix('*') {
        Some(start) => action.starts_with(start) && !CAUSED_BY_STRANGERS.contains(&action),
        None => action == pattern,
    }
}

impl Rule for Patterns {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Actions, 1..=MAX_PATTERNS)?;
        let mut patterns: Vec<String> = Vec::new();
        let mut all_valid = true;
        for (i, item) in items.iter().enumerate() {
            let fault = Fault::wrong_format(TextFormat::ActionPattern);
            let read = text_that(Raw::Json(item), &mut place.inside(i), is_pattern, fault);
            match read {
                Some(pattern) if !patterns.contains(&pattern) => patterns.push(pattern),
                Some(_) => {}
                None => all_valid = false,
            }
        }
        all_valid.then_some(Self(patterns))
    }
}

fn is_pattern(text: &str) -> bool {
    let is_word = |word: &str| {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        !word.is_empty() && word.bytes().all(allowed)
    };
    if text == "*" {
        return true;
    }
    let parts = text.split_once('.');
    let is_valid = parts
        .is_some_and(|(resource, action)| is_word(resource) && (action == "*" || is_word(action)));
    is_valid && text.len() <= MAX_PATTERN
}

inline_schema!(Patterns, {
    "type": "array",
    "items": {
        "type": "string",
        "maxLength": MAX_PATTERN,
        "pattern": r"^(\*|[a-z0-9_-]+\.(\*|[a-z0-9_-]+))$",
    },
    "minItems": 1,
    "maxItems": MAX_PATTERNS,
});

/// The format of the request body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
// Variants have no doc comments: those would split the schema, which is one list.
pub enum Format {
    // The format of Standard Webhooks.
    #[default]
    Standard,
    // A message in a channel of Discord.
    Discord,
}

impl Format {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Discord => "discord",
        }
    }

    pub fn from_stored(name: &str) -> Option<Self> {
        [Self::Standard, Self::Discord]
            .into_iter()
            .find(|format| format.as_str() == name)
    }
}

impl Rule for Format {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let known = |text: &str| Self::from_stored(text).is_some();
        let name = text_that(
            raw,
            place,
            known,
            Fault::not_one_of(&["standard", "discord"]),
        )?;
        Self::from_stored(&name)
    }
}

impl Rule for State {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let known = |text: &str| Self::from_stored(text).is_some();
        let fault = Fault::not_one_of(&["pending", "delivered", "failed"]);
        let name = text_that(raw, place, known, fault)?;
        Self::from_stored(&name)
    }
}

#[cfg(test)]
mod tests {
    use kernel::auth::permission::by_name;
    use kernel::input::Faults;
    use serde_json::value::to_raw_value;

    use super::*;

    fn read<T: Rule>(value: &serde_json::Value) -> Option<T> {
        let raw = to_raw_value(value).expect("JSON");
        let mut faults = Faults::default();
        T::read(Raw::Json(&raw), &mut faults.at("field"))
    }

    #[test]
    fn events_are_an_action_all_of_a_resource_or_everything() {
        let patterns = |list: &[&str]| read::<Patterns>(&list.into()).expect("valid");
        for (list, action, expected) in [
            (&["*"][..], "users.block", true),
            (&["users.block"], "users.block", true),
            (&["users.block"], "users.unblock", false),
            (&["users.*"], "users.unblock", true),
            (&["users.*"], "user.block", false),
            (&["payment_invoices.*"], "payment_invoices.create", true),
            (&["payment-invoices.*"], "payment_invoices.create", true),
            (&["users.add-device"], "users.add_device", true),
            (&["roles.*", "users.create"], "users.create", true),
            (&["roles.*", "users.create"], "users.delete", false),
            (&["roles.*"], "roles_of_old.create", false),
            (&["*"], "payment_invoices.fail", true),
            (&["*"], "sessions.fail", false),
            (
                &["sessions.*", "console_sessions.*"],
                "sessions.fail",
                false,
            ),
            (&["*", "console_sessions.*"], "console_sessions.fail", false),
            (&["console_sessions.*"], "console_sessions.create", true),
            (
                &["*", "console-sessions.fail"],
                "console_sessions.fail",
                true,
            ),
            (&["sessions.fail"], "sessions.fail", true),
        ] {
            assert_eq!(
                patterns(list).match_action(action),
                expected,
                "{list:?} {action}"
            );
        }
        assert_eq!(patterns(&["a.b", "a.b", "*"]).as_slice(), ["a.b", "*"]);
        let stored = patterns(&["a.b", "*"]);
        assert_eq!(Patterns::from_stored(&stored.to_stored()), stored);
    }

    #[test]
    fn every_resource_of_the_events_needs_the_permission_to_read_it() {
        let set = |names: &[&str]| {
            let ids = names.iter().map(|name| by_name(name).expect(name).id);
            PermissionSet::from_ids(ids)
        };
        for (list, permissions, expected) in [
            (&["users.block"][..], &["admin.users.read"][..], true),
            (&["users.block"], &["admin.users"], true),
            (&["users.*", "roles.create"], &["admin.users"], false),
            (&["payment-invoices.*"], &["admin.payments.read"], true),
            (&["*"], &["admin.users", "admin.webhooks"], false),
            (&["*", "backups.create"], &["admin.audit.read"], true),
            (&["demo.fill"], &["admin.users"], false),
            (&["demo.fill"], &["admin.audit.read"], true),
        ] {
            let patterns = read::<Patterns>(&list.into()).expect("valid");
            let is_covered = patterns.are_covered_by(set(permissions));
            assert_eq!(is_covered, expected, "{list:?} {permissions:?}");
        }
    }

    #[test]
    fn other_text_is_not_an_event() {
        for bad in [
            "",
            "users",
            "users.",
            ".block",
            "users*",
            "*.block",
            "users.bl*",
            "Users.block",
            "a.b.c",
            "users .*",
        ] {
            assert!(
                read::<Patterns>(&serde_json::json!([bad])).is_none(),
                "{bad}"
            );
        }
        assert!(read::<Patterns>(&serde_json::json!([])).is_none());
        assert!(read::<Patterns>(&serde_json::json!("*")).is_none());
    }

    #[test]
    fn the_token_in_the_url_of_a_discord_webhook_is_masked() {
        for (url, masked) in [
            (
                "https://discord.com/api/webhooks/1/abc",
                "https://discord.com/api/webhooks/1/***",
            ),
            (
                "https://ptb.discord.com/api/v10/webhooks/123456789012345678/aB-_c/slack?wait=1",
                "https://ptb.discord.com/api/v10/webhooks/123456789012345678/***",
            ),
            (
                "https://example.com/webhooks/1",
                "https://example.com/webhooks/1",
            ),
            (
                "https://example.com/webhooks/1/",
                "https://example.com/webhooks/1/",
            ),
            (
                "https://example.com/webhooks/x/y",
                "https://example.com/webhooks/x/y",
            ),
            (
                "https://example.com/hook?a=b",
                "https://example.com/hook?a=b",
            ),
        ] {
            let url = ReceiverUrl::from_stored(url.to_owned());
            assert_eq!(url.masked(), masked);
            assert_eq!(serde_json::json!(url), masked);
        }
    }

    #[test]
    fn a_url_has_a_host_and_no_password() {
        for good in [
            "https://example.com",
            "http://example.com:8080/a?b=c#d",
            "HTTPS://xn--e1afmkfd.xn--p1ai/%D1%8F",
            "https://discord.com/api/webhooks/1/abc",
        ] {
            assert!(read::<ReceiverUrl>(&good.into()).is_some(), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "https://",
            "https://user@example.com",
            "https://user:secret@example.com",
            "https://:secret@example.com",
            "javascript:alert(1)",
            "https://exa mple.com",
            "https://пример.рф/",
            "https://example.com/\u{f}",
            "https://example.com/%zz",
            "https://example.com/%a",
            "http://example.com:99999",
        ] {
            assert!(read::<ReceiverUrl>(&bad.into()).is_none(), "{bad}");
        }
        let long = format!("https://example.com/{}", "x".repeat(MAX_URL));
        assert!(read::<ReceiverUrl>(&long.into()).is_none());
    }
}
