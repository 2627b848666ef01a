//! The rules that more than one resource needs.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Place, Raw, Rule, integer, is_number, positive_integer};
use crate::inline_schema;
use crate::types::Timestamp;

/// The text of a raw value. It cannot contain NUL, which PostgreSQL cannot store.
pub fn text<'a>(raw: Raw<'a>, place: &mut Place<'_>) -> Option<Cow<'a, str>> {
    let text = match raw {
        Raw::Query(text) => Cow::Borrowed(text),
        Raw::Json(json) if json.get().starts_with('"') => {
            // An escape may be half of a surrogate pair.
            let Ok(text) = serde_json::from_str::<String>(json.get()) else {
                place.add("must be valid Unicode");
                return None;
            };
            Cow::Owned(text)
        }
        Raw::Json(_) => {
            place.add("must be a string");
            return None;
        }
    };
    if text.contains('\0') {
        place.add("must not contain the NUL character");
        return None;
    }
    Some(text)
}

/// Text that `keeps_rule`; for any other text, `sentence` is the fault.
pub fn text_that(
    raw: Raw<'_>,
    place: &mut Place<'_>,
    keeps_rule: impl FnOnce(&str) -> bool,
    sentence: &str,
) -> Option<String> {
    let text = text(raw, place)?;
    if !keeps_rule(&text) {
        place.add(sentence);
        return None;
    }
    Some(text.into_owned())
}

/// Text of `MIN` to `MAX` characters. Unless `MIN` is 0, white space alone is refused; if it is 0,
/// `null` in an update empties the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// For a value from the database, which was validated before it was stored.
impl<const MIN: usize, const MAX: usize> From<&String> for Text<MIN, MAX> {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl<const MIN: usize, const MAX: usize> Rule for Text<MIN, MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let length = text.chars().count();
        if length > MAX || length < MIN {
            place.add(match MIN {
                0 => format!("must be at most {MAX} characters long"),
                _ => format!("must be {MIN} to {MAX} characters long"),
            });
            return None;
        }
        if MIN > 0 && text.chars().all(is_blank) {
            place.add("must not be blank");
            return None;
        }
        Some(Self(text.into_owned()))
    }

    fn when_null() -> Option<Self> {
        (MIN == 0).then(Self::default)
    }
}

/// White space, and the separators that count as such in regular expressions.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pattern = match MIN {
            0 => r"^[^\x00]*$",
            _ => r"^[^\x00]*[^\s\x00][^\x00]*$",
        };
        json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX, "pattern": pattern })
    }
}

impl Rule for bool {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let value = match raw {
            Raw::Json(json) => json.get().parse().ok(),
            Raw::Query("true" | "1") => Some(true),
            Raw::Query("false" | "0") => Some(false),
            Raw::Query(_) => None,
        };
        if value.is_none() {
            place.add("must be true or false");
        }
        value
    }
}

/// An integer of at least 1. One that does not fit 64 bits is read as the largest that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positive(pub i64);

impl Rule for Positive {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let value = match raw {
            Raw::Json(json) if is_number(json.get()) => positive_integer(json.get()),
            Raw::Json(_) => None,
            Raw::Query(digits) => saturating(digits),
        };
        match value {
            Some(value @ 1..) => Some(Self(value)),
            _ => {
                place.add("must be an integer of at least 1");
                None
            }
        }
    }
}

fn saturating(digits: &str) -> Option<i64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(i64::MAX))
}

inline_schema!(Positive, { "type": "integer", "format": "int64", "minimum": 1 });

/// An integer from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int<const MIN: i64, const MAX: i64>(pub i64);

impl<const MIN: i64, const MAX: i64> Rule for Int<MIN, MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let value = match raw {
            Raw::Json(json) if is_number(json.get()) => integer(json.get()),
            Raw::Json(_) => None,
            Raw::Query(digits) => digits.parse().ok(),
        };
        match value.filter(|value| (MIN..=MAX).contains(value)) {
            Some(value) => Some(Self(value)),
            None => {
                place.add(format!("must be an integer from {MIN} to {MAX}"));
                None
            }
        }
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Int<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Int{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A moment in ISO 8601 with any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Timestamp);

impl Rule for Moment {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let moment = text(raw, place)?.parse().ok().map(Self);
        if moment.is_none() {
            place.add("must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z");
        }
        moment
    }
}

inline_schema!(Moment, { "type": "string", "format": "date-time" });

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::input::Faults;

    fn read<T: Rule>(json: &str) -> Result<T, String> {
        let json: &RawValue = serde_json::from_str(json).expect(json);
        let mut faults = Faults::default();
        let value = T::read(Raw::Json(json), &mut faults.at("field"));
        value.ok_or_else(|| serde_json::to_string(&faults).expect("faults are plain"))
    }

    #[test]
    fn lengths_count_characters() {
        assert!(read::<Text<1, 2>>(r#""🦀é""#).is_ok());
        let fault = read::<Text<1, 2>>(r#""abc""#).expect_err("too long");
        assert_eq!(fault, r#"{"field":["must be 1 to 2 characters long"]}"#);
    }

    #[test]
    fn blank_is_not_text() {
        for blank in [r#"" ""#, r#""\t\n""#, r#""\u2003""#, r#""\u001c""#] {
            assert!(read::<Text<1, 9>>(blank).is_err(), "{blank}");
            assert!(read::<Text<0, 9>>(blank).is_ok(), "{blank}");
        }
    }

    #[test]
    fn what_cannot_be_stored_is_named() {
        let fault = read::<Text<0, 9>>(r#""a\u0000b""#).expect_err("NUL");
        assert_eq!(fault, r#"{"field":["must not contain the NUL character"]}"#);
        let fault = read::<Text<0, 9>>(r#""\ud800""#).expect_err("half a character");
        assert_eq!(fault, r#"{"field":["must be valid Unicode"]}"#);
    }

    #[test]
    fn types_are_not_guessed() {
        assert!(read::<bool>("1").is_err());
        assert!(read::<bool>(r#""true""#).is_err());
        assert!(read::<Positive>(r#""1""#).is_err());
        assert!(read::<Text<0, 9>>("1").is_err());
        assert_eq!(read::<Positive>("2.0").map(|value| value.0), Ok(2));
    }
}
