//! Request bodies of social networks, and the rules of their fields.

use kernel::input::{
    Fault, Line, Patch, Place, Raw, Rule, Text, TextFormat, Word, is_blank, is_web_address,
};
use kernel::{inline_schema, input};

const HANDLE: &str = "{handle}";

input! {
    /// A social network to create.
    pub struct NewSocialNetwork {
        /// The name that programs use; unique.
        name: Word<50>,
        /// The name that people read.
        title: Line<1, 100>,
        /// The address of a profile: http or https, with `{handle}` in it once.
        url_template: Option<UrlTemplate>,
    }
}

input! {
    /// Changes to a social network. Absent fields keep their value.
    pub struct SocialNetworkChanges {
        /// The name that programs use; unique.
        name: Patch<Word<50>>,
        /// The name that people read.
        title: Patch<Line<1, 100>>,
        /// The address of a profile: http or https, with `{handle}` in it once.
        url_template: Patch<UrlTemplate>,
    }
}

/// A web address with `{handle}` in it, or an empty string.
#[derive(Debug, Default)]
pub struct UrlTemplate(String);

impl UrlTemplate {
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Wraps a stored template, which was validated when it was written.
impl From<&String> for UrlTemplate {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for UrlTemplate {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<0, 2048>::read(raw, place)?.into_string();
        if text.is_empty() || is_template(&text) {
            return Some(Self(text));
        }
        place.add(Fault::wrong_format(TextFormat::ProfileTemplate));
        None
    }

    fn when_null() -> Option<Self> {
        Some(Self::default())
    }
}

fn is_template(text: &str) -> bool {
    let is_plain = |c: char| !is_blank(c) && !c.is_control();
    is_web_address(text) && text.matches(HANDLE).count() == 1 && text.chars().all(is_plain)
}

inline_schema!(UrlTemplate, {
    "type": "string",
    "maxLength": 2048,
    "pattern": r"^$|^(?=[hH][tT][tT][pP][sS]?://[^\s/?#:@\x00-\x1f\x7f])(?!.*\{handle\}.*\{handle\})[^\s\x00-\x1f\x7f]*\{handle\}[^\s\x00-\x1f\x7f]*$",
});

#[cfg(test)]
mod tests {
    use super::is_template;

    #[test]
    fn a_template_contains_handle_once() {
        for good in [
            "https://example.com/{handle}",
            "HTTP://{handle}.example.com/a?b={c}",
            "https://пример.рф/@{handle}#x",
        ] {
            assert!(is_template(good), "{good}");
        }
        for bad in [
            "https://example.com/",
            "https://example.com/{handle}/{handle}",
            "https://example.com/{Handle}",
            "example.com/{handle}",
            "ftp://example.com/{handle}",
            "javascript:alert('{handle}')",
            "https:///{handle}",
            "https://example.com/ {handle}",
            "https://example.com/{handle}\n",
        ] {
            assert!(!is_template(bad), "{bad}");
        }
    }
}
