//! The rules of the fields of a role.

use serde::Serialize;

use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, text_that};

/// A colour as `#rrggbb`, stored in the case it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Color(String);

impl Color {
    pub fn from_stored(color: String) -> Self {
        Self(color)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Color {
    fn default() -> Self {
        Self("#808080".into())
    }
}

impl Rule for Color {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_color = |text: &str| {
            let digits = text.strip_prefix('#').unwrap_or_default();
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        text_that(raw, place, is_color, "must be a colour such as #1e90ff").map(Self)
    }
}

inline_schema!(Color, { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" });
