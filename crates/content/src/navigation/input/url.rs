//! `Url`: the target of an item.

use kernel::inline_schema;
use kernel::input::{LengthUnit, Place, Raw, Rule, link_fault, text};

const MAX_CHARS: usize = 2048;
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// An address that is safe in a link: relative, or of a scheme that cannot run code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(String);

impl Url {
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Wraps a stored URL, which was validated when it was written.
impl From<&String> for Url {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for Url {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        place.check_length(text.chars().count(), 0..=MAX_CHARS, LengthUnit::Characters)?;
        match link_fault(&text, &SCHEMES) {
            Some(fault) => {
                place.add(fault);
                None
            }
            None => Some(Self(text.into_owned())),
        }
    }
}

inline_schema!(Url, {
    "type": "string",
    "maxLength": MAX_CHARS,
    "pattern": "^(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Mm][Aa][Ii][Ll][Tt][Oo]):[^\\x00-\\x1f\\x7f]*\
                |(?:[^\\x00-\\x20\\x7f:/?#][^\\x00-\\x1f\\x7f:/?#]*)?\
                (?:[/?#][^\\x00-\\x1f\\x7f]*)?)$",
});

#[cfg(test)]
mod tests {
    use kernel::input::Faults;

    use super::*;

    fn is_valid(url: &str) -> bool {
        Url::read(Raw::Query(url), &mut Faults::default().at("url")).is_some()
    }

    #[test]
    fn relative_and_web_addresses_are_accepted() {
        for url in [
            "",
            "/",
            "about",
            "../up",
            "/my page",
            "//cdn.example/x",
            "?tab=1:2",
            "#",
            "#a:b",
            "/a:b",
            "https://example.com/a b?c#d",
            "HTTP://EXAMPLE.COM",
            "mailto:someone@example.com",
            "стр",
            "\u{a0}x",
        ] {
            assert!(is_valid(url), "{url:?}");
        }
    }

    #[test]
    fn schemes_that_run_code_are_refused_in_any_disguise() {
        for url in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " javascript:alert(1)",
            "\tjavascript:alert(1)",
            "java\nscript:alert(1)",
            "java\r\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "javascript\t:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc",
            "ftp://example.com",
            "httpx://example.com",
            "blob:https://example.com/1",
            "a:b",
            ":",
            "1:2",
            "http :x",
            "/x\u{7f}",
        ] {
            assert!(!is_valid(url), "{url:?}");
        }
    }

    #[test]
    fn the_length_is_counted_in_characters() {
        assert!(is_valid(&"é".repeat(2048)));
        assert!(!is_valid(&"x".repeat(2049)));
    }
}
