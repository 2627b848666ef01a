use super::{CharacterSet, Fault, Place, Raw, Rule, text_that};

/// A lower-case identifier of 1 to `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<const MAX: usize>(String);

impl<const MAX: usize> Word<MAX> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// A value from the database was validated before it was stored.
impl<const MAX: usize> From<&String> for Word<MAX> {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl<const MAX: usize> Rule for Word<MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_word = |text: &str| {
            let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
            (1..=MAX).contains(&text.len()) && text.bytes().all(allowed)
        };
        let fault = Fault::wrong_characters(CharacterSet::Word, 1, MAX);
        text_that(raw, place, is_word, fault).map(Self)
    }
}
