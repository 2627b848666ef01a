//! The content of a block, and its rules for each type of block.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use kernel::input::{Faults, Fields, Input, Int, Place, Raw, Rule, Text, link_fault};
use kernel::{Error, Result, inline_schema, input};

const MAX_BYTES: usize = 256 << 10;
/// Many JSON parsers refuse little more than this.
const MAX_LEVELS: usize = 100;

/// A JSON value, stored as it was sent.
#[derive(Clone, Debug)]
pub struct Content {
    json: Box<RawValue>,
    /// Whether unknown fields are input errors.
    strict: bool,
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.json.get() == other.json.get()
    }
}

impl Content {
    pub fn from_stored(json: Box<RawValue>) -> Self {
        Self {
            json,
            strict: false,
        }
    }

    /// Validates the content for a type of block, and returns what is stored.
    pub fn validate(self, kind: &str) -> Result<Box<RawValue>> {
        let mut faults = Faults::default();
        let mut root = faults.root(self.strict);
        let mut place = root.inside("content");
        let stored = match kind {
            "text" => text(self.json, &mut place),
            "image" => image(&self.json, &mut place)?,
            _ => Some(self.json),
        };
        match stored {
            Some(stored) if faults.is_empty() => Ok(stored),
            _ => Err(faults.into()),
        }
    }
}

fn text(json: Box<RawValue>, place: &mut Place<'_>) -> Option<Box<RawValue>> {
    if json.get().starts_with('"') {
        return Some(json);
    }
    place.add("must be a string in a text block");
    None
}

/// Stores the fields of an image and drops others.
fn image(json: &RawValue, place: &mut Place<'_>) -> Result<Option<Box<RawValue>>> {
    let Some(fields) = Fields::of_object(json) else {
        place.add("must be an object in an image block");
        return Ok(None);
    };
    let Some(image) = Image::read_at(&fields, place) else {
        return Ok(None);
    };
    let stored = json!({
        "url": image.url.0,
        "alt": image.alt.as_str(),
        "width": image.width.0,
        "height": image.height.0,
    });
    to_raw_value(&stored).map(Some).map_err(Error::internal)
}

type Pixels = Int<0, 2_147_483_647>;

input! {
    /// The content of an image block.
    struct Image {
        url: ImageUrl,
        alt: Text<0, MAX_BYTES>,
        width: Pixels,
        height: Pixels,
    }
}

/// The address of an image: relative, http or https.
#[derive(Debug)]
struct ImageUrl(String);

impl Rule for ImageUrl {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let url = Text::<1, 2048>::read(raw, place)?.into_string();
        if let Some(sentence) = link_fault(&url, &["http", "https"]) {
            place.add(sentence);
            return None;
        }
        Some(Self(url))
    }
}

inline_schema!(ImageUrl, { "type": "string", "minLength": 1, "maxLength": 2048 });

impl Rule for Content {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let Raw::Json(json) = raw else {
            place.add("must be a JSON value");
            return None;
        };
        let sentence = if json.get().len() > MAX_BYTES {
            Some(format!("must be at most {MAX_BYTES} bytes long"))
        } else {
            fault(json.get())
        };
        match sentence {
            Some(sentence) => {
                place.add(sentence);
                None
            }
            None => Some(Self {
                json: json.to_owned(),
                strict: place.is_strict(),
            }),
        }
    }
}

// Any JSON but null, which only a list of types could exclude; generated clients fail at one.
inline_schema!(Content, {});

/// Refuses valid JSON that cannot be stored: invalid Unicode, NUL, or too deep nesting.
fn fault(json: &str) -> Option<String> {
    let mut levels = 0_usize;
    let mut rest = json;
    while let Some(at) = rest.find(['"', '[', ']', '{', '}']) {
        rest = &rest[at..];
        let mut step = 1;
        match rest.as_bytes()[0] {
            b'"' => {
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                match strings.next() {
                    Some(Ok(text)) if !text.contains('\0') => step = strings.byte_offset(),
                    Some(Ok(_)) => return Some("must not contain the NUL character".into()),
                    _ => return Some("must be valid Unicode".into()),
                }
            }
            b'[' | b'{' => levels += 1,
            _ => levels -= 1,
        }
        if levels > MAX_LEVELS {
            return Some(format!("must be at most {MAX_LEVELS} levels deep"));
        }
        rest = &rest[step..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_validated_at_any_depth() {
        for good in [
            "1e999",
            "true",
            r#""[{[{""#,
            r#"{"a\"]":["\\","\ud83e\udd80",{"b":[]}],"a\"]":{}}"#,
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for half in [
            r#""\ud800""#,
            r#"[1,["\udd80"]]"#,
            r#"{"\ud800":1}"#,
            r#"{"a":1,"a":"\ud800","a":2}"#,
        ] {
            assert_eq!(
                fault(half).as_deref(),
                Some("must be valid Unicode"),
                "{half}"
            );
        }
        for nul in [r#""\u0000""#, r#"{"a\u0000":1}"#] {
            let sentence = "must not contain the NUL character";
            assert_eq!(fault(nul).as_deref(), Some(sentence), "{nul}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(fault(&nested(100)), None);
        assert!(fault(&nested(101)).is_some());
        assert!(fault(&nested(100_000)).is_some());
        // Closed levels do not count.
        assert_eq!(fault(&format!("[{}1]", "[],".repeat(500))), None);
    }
}
