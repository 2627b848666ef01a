//! Request bodies of pages, and the rules of their fields.

use serde::Serialize;

use kernel::input::{
    CharacterSet, Fault, LengthUnit, Line, Patch, Place, Raw, Rule, Text, text, text_that,
};
use kernel::{inline_schema, input};

const MAX_SLUG: usize = 255;
const MAX_CONTENT: usize = 512 << 10;

input! {
    /// A page to create.
    pub struct NewPage {
        title: Line<1, 255>,
        /// The path of the page; unique, ignoring case. A leading slash is removed.
        slug: Slug,
        /// HTML, up to 512 KiB.
        content: Content,
        meta_title: Option<Line<0, 255>>,
        meta_description: Option<Text<0, 1000>>,
        /// Whether the page is shown; true by default.
        is_active: Option<bool>,
    }
}

input! {
    /// Changes to a page. Absent fields keep their value.
    pub struct PageChanges {
        title: Patch<Line<1, 255>>,
        /// The path of the page; unique, ignoring case. A leading slash is removed.
        slug: Patch<Slug>,
        /// HTML, up to 512 KiB.
        content: Patch<Content>,
        meta_title: Patch<Line<0, 255>>,
        meta_description: Patch<Text<0, 1000>>,
        is_active: Patch<bool>,
    }
}

/// The path of a page, without a leading slash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slug(String);

impl Slug {
    pub fn from_stored(slug: String) -> Self {
        Self(slug)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The unique form.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl Rule for Slug {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let fault = Fault::wrong_characters(CharacterSet::Path, 1, MAX_SLUG);
        let mut slug = text_that(
            raw,
            place,
            |text| is_slug(without_leading_slash(text)),
            fault,
        )?;
        if slug.starts_with('/') {
            slug.remove(0);
        }
        Some(Self(slug))
    }
}

fn without_leading_slash(text: &str) -> &str {
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
    // One more for a leading slash.
    "maxLength": MAX_SLUG + 1,
    "pattern": "^/?[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$",
});

/// HTML, stored unchanged.
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
        place.check_length(text.len(), 0..=MAX_CONTENT, LengthUnit::Bytes)?;
        Some(Self(text.into_owned()))
    }
}

inline_schema!(Content, {
    "type": "string",
    "maxLength": MAX_CONTENT,
    "pattern": r"^[^\x00]*$",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_segments_separated_by_single_slashes() {
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
