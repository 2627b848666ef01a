//! Request bodies and query parameters of webhooks, and the rules of their fields.

use schemars::JsonSchema;
use serde::Serialize;
use webhook_client::Url;

use super::deliveries::State;
use kernel::input::{Int, Moment, Patch, Place, Raw, Rule, Text, items, text, text_that};
use kernel::{inline_schema, input};

const MAX_URL: usize = 2048;
const MAX_PATTERNS: usize = 50;
const MAX_PATTERN: usize = 100;
/// A week, in seconds.
const MAX_OVERLAP: i64 = 7 * 24 * 60 * 60;

input! {
    /// A webhook to create.
    pub struct NewWebhook {
        /// Where events are sent to, over `http` or `https`. An address that is not public is
        /// refused unless the option `--webhook-networks` names it.
        url: ReceiverUrl,
        /// The default is the host of the URL.
        name: Option<Text<1, 255>>,
        /// Which events are sent: actions of the audit log such as `users.block`, all of a resource
        /// such as `payment_invoices.*`, or `*` for all, which is the default.
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
        /// Where events are sent to, those that wait included.
        url: Patch<ReceiverUrl>,
        name: Patch<Text<1, 255>>,
        /// Which events are sent: actions of the audit log such as `users.block`, all of a resource
        /// such as `payment_invoices.*`, or `*` for all.
        events: Patch<Patterns>,
        format: Patch<Format>,
        /// Whether events are sent. Those that happen while it is false are not sent later; replay
        /// can send them.
        active: Patch<bool>,
    }
}

input! {
    /// The rotation of a signing secret.
    pub struct WebhookSecretRotation {
        /// How long the old secret signs as well, in seconds.
        overlap_seconds: Int<0, MAX_OVERLAP>,
    }
}

input! {
    /// The period whose events are to be sent again. Both of its ends are included.
    pub struct WebhookReplay {
        from: Moment,
        to: Moment,
    }
}

input! {
    /// Which deliveries to list.
    pub struct DeliveryFilters {
        /// Only deliveries in this state.
        state: Option<State>,
    }
}

/// The URL of a receiver, spelled as the client sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiverUrl(String);

impl ReceiverUrl {
    pub fn from_stored(url: String) -> Self {
        Self(url)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `None` only for a stored value that was damaged.
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
        if text.chars().count() > MAX_URL {
            place.add(format!("must be at most {MAX_URL} characters long"));
            return None;
        }
        if !has_url_characters(&text) {
            place.add("must have only the characters of a URL: write others as % codes, and names in Punycode");
            return None;
        }
        let Some(url) = Url::parse(&text).ok().filter(is_web) else {
            place.add("must be a URL that begins with http:// or https:// and has a host");
            return None;
        };
        if !url.username().is_empty() || url.password().is_some() {
            place.add("must not contain a user name or a password");
            return None;
        }
        Some(Self(text.into_owned()))
    }
}

/// Parsers repair other characters, each in its own way: then receivers and logs would show another
/// URL than was sent.
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

/// Which events a webhook receives, as the client sent them, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patterns(Vec<String>);

impl Patterns {
    /// Reads what [`Patterns::to_stored`] wrote.
    pub fn from_stored(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    pub fn to_stored(&self) -> String {
        serde_json::to_string(&self.0).expect("text serialises")
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Whether an event with this action is to be sent.
    pub fn match_action(&self, action: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, action))
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Self(vec!["*".to_owned()])
    }
}

/// A hyphen stands for an underscore, as in the paths of the API.
fn matches(pattern: &str, action: &str) -> bool {
    let pattern = pattern.replace('-', "_");
    match pattern.strip_suffix('*') {
        Some(start) => action.starts_with(start),
        None => action == pattern,
    }
}

impl Rule for Patterns {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let not_a_list = "must be a list of actions";
        let items = items(raw, place, not_a_list, "actions", 1..=MAX_PATTERNS)?;
        let mut patterns: Vec<String> = Vec::new();
        let mut all_valid = true;
        for (i, item) in items.iter().enumerate() {
            let sentence = "must be an action such as users.block, all of a resource such as \
                            users.*, or *";
            let read = text_that(Raw::Json(item), &mut place.inside(i), is_pattern, sentence);
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

/// What a receiver is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
// Comments of variants are not documentation: they would split the schema, which is one list.
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
        let name = text_that(raw, place, known, "must be standard or discord")?;
        Self::from_stored(&name)
    }
}

impl Rule for State {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let known = |text: &str| Self::from_stored(text).is_some();
        let sentence = "must be pending, delivered or failed";
        let name = text_that(raw, place, known, sentence)?;
        Self::from_stored(&name)
    }
}

#[cfg(test)]
mod tests {
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
