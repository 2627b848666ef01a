//! Names that people compare by eye.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::rules::Text;
use super::{Place, Raw, Rule};

/// Text of `MIN` to `MAX` characters in normalisation form C, in which a letter with an accent has
/// one form. Characters that cannot be seen or that reorder others are refused: with them, two
/// different names would look the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Name<MIN, MAX> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// What is stored is valid, even if it is older than this rule.
impl<const MIN: usize, const MAX: usize> From<&String> for Name<MIN, MAX> {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl<const MIN: usize, const MAX: usize> Rule for Name<MIN, MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<MIN, MAX>::read(raw, place)?.into_string();
        let name = normalised(text);
        if name.contains(char::is_control) {
            place.add("must not contain control characters");
            return None;
        }
        if name.contains(is_invisible) {
            place.add("must not contain bidirectional or zero-width characters");
            return None;
        }
        // A few characters become two or three.
        if name.chars().count() > MAX {
            place.add(format!("must be {MIN} to {MAX} characters long"));
            return None;
        }
        Some(Self(name))
    }
}

/// The ASCII characters that a name cannot contain, for a regular expression. Not every dialect can
/// name the others: PHP has no `\u`, and without a flag it matches bytes.
pub const HIDDEN: &str = r"\x00-\x1f\x7f";

impl<const MIN: usize, const MAX: usize> JsonSchema for Name<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Name{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": MIN,
            "maxLength": MAX,
            "pattern": format!(r"^[^{HIDDEN}]*[^\s{HIDDEN}][^{HIDDEN}]*$"),
        })
    }
}

/// The text in normalisation form C.
pub fn normalised(text: String) -> String {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text,
        _ => text.nfc().collect(),
    }
}

/// Zero-width characters, and those that change the direction of text.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_normalisation_form_c() {
        assert_eq!(normalised("Zoe\u{308}".into()), "Zoë");
        assert_eq!(normalised("Zoë".into()), "Zoë");
        assert_eq!(normalised("Å".into()), "Å");
        assert_eq!(normalised("anna".into()), "anna");
    }

    #[test]
    fn ordinary_letters_of_all_scripts_are_visible() {
        let names = "Anna Жанна Ζωή 安娜 アンナ 안나 अन्ना نورا נועה 🦀 ´`~ß";
        assert!(!names.contains(is_invisible));
        for hidden in [
            '\u{200b}', '\u{200d}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ad}',
        ] {
            assert!(is_invisible(hidden), "{hidden:?}");
        }
    }
}
