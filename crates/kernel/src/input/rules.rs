//! Rules that several resources use.

use std::borrow::Cow;

use super::{
    Characters, Fault, LengthUnit, Place, Raw, Rule, TextFormat, Unfit, ValueType, decimal,
    integer, is_number, positive_integer,
};
use crate::inline_schema;
use crate::types::Timestamp;

/// The text of a raw value. It cannot contain NUL, which PostgreSQL cannot store.
pub fn text<'a>(raw: Raw<'a>, place: &mut Place<'_>) -> Option<Cow<'a, str>> {
    let text = match raw {
        Raw::Query(text) => Cow::Borrowed(text),
        Raw::Json(json) if json.get().starts_with('"') => {
            // An escape may be an unpaired surrogate.
            let Ok(text) = serde_json::from_str::<String>(json.get()) else {
                place.add(Fault::NotUnicode {});
                return None;
            };
            Cow::Owned(text)
        }
        Raw::Json(_) => {
            place.add(Fault::wrong_type(ValueType::String));
            return None;
        }
    };
    if text.contains('\0') {
        place.add(Fault::ForbiddenCharacters {
            forbidden: Characters::Nul,
        });
        return None;
    }
    Some(text)
}

/// Reads text for which `keeps_rule` is true. Any other text has this fault.
pub fn text_that(
    raw: Raw<'_>,
    place: &mut Place<'_>,
    keeps_rule: impl FnOnce(&str) -> bool,
    fault: Fault,
) -> Option<String> {
    let text = text(raw, place)?;
    if !keeps_rule(&text) {
        place.add(fault);
        return None;
    }
    Some(text.into_owned())
}

/// Reads names separated by commas. Returns for each of `names` whether it is among them.
pub fn some_of<const N: usize>(
    raw: Raw<'_>,
    place: &mut Place<'_>,
    names: &'static [&'static str; N],
) -> Option<[bool; N]> {
    let mut found = [false; N];
    for part in text(raw, place)?.split(',') {
        let Some(at) = names.iter().position(|name| *name == part) else {
            place.add(Fault::NotSomeOf {
                values: names[..].into(),
            });
            return None;
        };
        found[at] = true;
    }
    Some(found)
}

/// Text of `MIN` to `MAX` characters. Unless `MIN` is 0, white space alone is refused. If `MIN` is
/// 0, `null` in an update means empty text.
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

/// A value from the database was validated before it was stored.
impl<const MIN: usize, const MAX: usize> From<&String> for Text<MIN, MAX> {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl<const MIN: usize, const MAX: usize> Rule for Text<MIN, MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        place.check_length(text.chars().count(), MIN..=MAX, LengthUnit::Characters)?;
        if MIN > 0 && text.chars().all(is_blank) {
            place.add(Fault::Blank {});
            return None;
        }
        Some(Self(text.into_owned()))
    }

    fn when_null() -> Option<Self> {
        (MIN == 0).then(Self::default)
    }
}

/// Text of one line, such as a name or a title: without control characters, which could break the
/// lines of a log or change a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Line<MIN, MAX> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// A value from the database was validated before it was stored.
impl<const MIN: usize, const MAX: usize> From<&String> for Line<MIN, MAX> {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl<const MIN: usize, const MAX: usize> Rule for Line<MIN, MAX> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<MIN, MAX>::read(raw, place)?.into_string();
        if text.contains(char::is_control) {
            place.add(Fault::ForbiddenCharacters {
                forbidden: Characters::Control,
            });
            return None;
        }
        Some(Self(text))
    }

    fn when_null() -> Option<Self> {
        Text::<MIN, MAX>::when_null().map(|_| Self::default())
    }
}

/// Returns `true` if this is white space, or a separator that regular expressions treat as such.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
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
            place.add(Fault::wrong_type(ValueType::Boolean));
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
                place.add(integer_fault(raw, 1, None));
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
                place.add(integer_fault(raw, MIN, Some(MAX)));
                None
            }
        }
    }
}

/// The fault of a value that is not an integer from `min` to `max`.
fn integer_fault(raw: Raw<'_>, min: i64, max: Option<i64>) -> Fault {
    let is_integer = match raw {
        Raw::Json(json) => is_number(json.get()) && decimal(json.get(), 0) != Err(Unfit::TooFine),
        Raw::Query(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        }
    };
    match is_integer {
        true => Fault::OutOfRange { min, max },
        false => Fault::NotAnInteger { min, max },
    }
}

/// A moment in ISO 8601 with any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Timestamp);

impl Rule for Moment {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let moment = text(raw, place)?.parse().ok().map(Self);
        if moment.is_none() {
            place.add(Fault::wrong_format(TextFormat::DateTime));
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
    fn an_integer_out_of_range_is_not_taken_for_another_type() {
        let fault = |raw| integer_fault(raw, 1, Some(9));
        let of_json = |json| fault(Raw::Json(serde_json::from_str(json).expect(json)));
        let (min, max) = (1, Some(9));
        for far in ["0", "-1", "10", "10.0", "1e99999999999999999999"] {
            assert_eq!(of_json(far), Fault::OutOfRange { min, max }, "{far}");
        }
        for other in ["1.5", "1e-9", r#""5""#, "true", "[]"] {
            assert_eq!(of_json(other), Fault::NotAnInteger { min, max }, "{other}");
        }
        for far in ["0", "-1", "99999999999999999999"] {
            assert_eq!(
                fault(Raw::Query(far)),
                Fault::OutOfRange { min, max },
                "{far}"
            );
        }
        for other in ["", "-", "1.5", "x"] {
            assert_eq!(
                fault(Raw::Query(other)),
                Fault::NotAnInteger { min, max },
                "{other}"
            );
        }
    }

    #[test]
    fn blank_text_is_refused() {
        for blank in [r#"" ""#, r#""\t\n""#, r#""\u2003""#, r#""\u001c""#] {
            assert!(read::<Text<1, 9>>(blank).is_err(), "{blank}");
            assert!(read::<Text<0, 9>>(blank).is_ok(), "{blank}");
        }
    }

    #[test]
    fn text_that_cannot_be_stored_is_refused() {
        let fault = read::<Text<0, 9>>(r#""a\u0000b""#).expect_err("NUL");
        assert_eq!(fault, r#"{"field":["must not contain the NUL character"]}"#);
        let fault = read::<Text<0, 9>>(r#""\ud800""#).expect_err("half a character");
        assert_eq!(fault, r#"{"field":["must be valid Unicode"]}"#);
    }

    #[test]
    fn a_line_has_no_control_characters() {
        for wrong in [
            "a\\u0001",
            "\\u001b[31m",
            "a\\nb",
            "a\\tb",
            "\\u007f",
            "a\\u0085",
        ] {
            let fault = read::<Line<1, 9>>(&format!("\"{wrong}\"")).expect_err(wrong);
            let expected = r#"{"field":["must not contain control characters"]}"#;
            assert_eq!(fault, expected, "{wrong}");
        }
        for right in ["Anna", "👨\u{200d}👩", "a b", "Жанна"] {
            assert!(
                read::<Line<1, 9>>(&format!("\"{right}\"")).is_ok(),
                "{right}"
            );
        }
    }

    #[test]
    fn values_of_another_type_are_refused() {
        assert!(read::<bool>("1").is_err());
        assert!(read::<bool>(r#""true""#).is_err());
        assert!(read::<Positive>(r#""1""#).is_err());
        assert!(read::<Text<0, 9>>("1").is_err());
        assert_eq!(read::<Positive>("2.0").map(|value| value.0), Ok(2));
    }
}
