//! Names, which must look different if they are different.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::rules::Text;
use super::{Characters, Fault, LengthUnit, Place, Raw, Rule};

/// Text of `MIN` to `MAX` characters in normalisation form C, in which an accented letter has one
/// form. Invisible characters and those that change the direction of text are refused: with them,
/// different names could look the same.
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

/// A stored name was validated when it was stored.
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
            place.add(Fault::ForbiddenCharacters {
                forbidden: Characters::Control,
            });
            return None;
        }
        if name.contains(is_invisible) {
            place.add(Fault::ForbiddenCharacters {
                forbidden: Characters::Invisible,
            });
            return None;
        }
        // Normalisation turns a few characters into two or three.
        place.check_length(name.chars().count(), MIN..=MAX, LengthUnit::Characters)?;
        Some(Self(name))
    }
}

/// The ASCII characters that a name cannot contain, for a regular expression. Some dialects cannot
/// express the others: PHP has no `\u`, and without a flag it matches bytes.
pub const HIDDEN: &str = r"\x00-\x1f\x7f";

/// Converts text to normalisation form C.
pub fn normalised(text: String) -> String {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text,
        _ => text.nfc().collect(),
    }
}

/// Whether this is a zero-width character, or one that changes the direction of text.
pub fn is_invisible(c: char) -> bool {
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
