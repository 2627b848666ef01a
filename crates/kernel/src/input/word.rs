use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Place, Raw, Rule, text_that};

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

/// For a value from the database, which was validated before it was stored.
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
        let sentence = format!("must be 1 to {MAX} of a-z, 0-9, _ and -");
        text_that(raw, place, is_word, &sentence).map(Self)
    }
}

impl<const MAX: usize> JsonSchema for Word<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("WordTo{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": format!("^[a-z0-9_-]{{1,{MAX}}}$") })
    }
}
