//! What the fields of a page may hold.

use serde::Serialize;

use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, text, text_that};

const MAX_SLUG: usize = 255;
const MAX_CONTENT: usize = 512 << 10;

/// The path of a page, without a slash at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slug(String);

impl Slug {
    pub fn from_stored(slug: String) -> Self {
        Self(slug)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form that no two pages share.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl Rule for Slug {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let sentence = "must be 1 to 255 of the letters a to z, digits, - _ . ~ and single slashes \
                        between them";
        let mut slug = text_that(raw, place, |text| is_slug(without_root(text)), sentence)?;
        if slug.starts_with('/') {
            slug.remove(0);
        }
        Some(Self(slug))
    }
}

fn without_root(text: &str) -> &str {
    text.strip_prefix('/').unwrap_or(text)
}

fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let is_segment = |segment: &str| !segment.is_empty() && segment.bytes().all(allowed);
    text.len() <= MAX_SLUG && text.split('/').all(is_segment)
}

inline_schema!(Slug, {
    "type": "string",
    "minLength": 1,
    "anyOf": [
        {
            "maxLength": MAX_SLUG,
            "pattern": "^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$",
        },
        {
            "maxLength": MAX_SLUG + 1,
            "pattern": "^/[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$",
        },
    ],
});

/// HTML, kept byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Content(String);

impl Content {
    pub fn from_stored(content: String) -> Self {
        Self(content)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Content {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        if text.len() > MAX_CONTENT {
            place.add(format!("must be at most {MAX_CONTENT} bytes long"));
            return None;
        }
        Some(Self(text.into_owned()))
    }
}

inline_schema!(Content, {
    "type": "string",
    "maxLength": MAX_CONTENT,
    "pattern": r"^[^\u0000]*$",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_segments_between_single_slashes() {
        for good in ["a", "about/us", "v1.0/~me", "-_.~", "..", "A/b/C"] {
            assert!(is_slug(good), "{good}");
        }
        for bad in [
            "", "/", "//", "a/", "/a", "a//b", "a b", "ä", "a?b", "a#b", "a%20b", "a\\b", "a\n",
        ] {
            assert!(!is_slug(bad), "{bad}");
        }
        assert!(is_slug(&"x".repeat(255)));
        assert!(!is_slug(&"x".repeat(256)));
    }
}
