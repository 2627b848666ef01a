//! The rules of the fields of a role.

use serde::Serialize;

use kernel::inline_schema;
use kernel::input::{Fault, Place, Raw, Rule, TextFormat, some_of, text_that};

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
        text_that(raw, place, is_color, Fault::wrong_format(TextFormat::Color)).map(Self)
    }
}

inline_schema!(Color, { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" });

/// Optional fields of roles in a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    pub color: bool,
    pub members: bool,
}

impl Rule for Include {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let [color, members] = some_of(raw, place, &["color", "members"])?;
        Some(Self { color, members })
    }
}

inline_schema!(Include, {
    "type": "string",
    "pattern": "^(color|members)(,(color|members))*$",
});
