//! The content of a block, and its rules for each type of block.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use kernel::input::{
    BlockType, Fault, Faults, Fields, Input, Int, LengthUnit, Place, Raw, Rule, Text, TextFormat,
    ValueType, json_fault, link_fault,
};
use kernel::{Error, Result, inline_schema, input};

const MAX_BYTES: usize = 256 << 10;

/// A JSON value, stored as sent.
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
    place.add(Fault::WrongContent {
        block: BlockType::Text,
        expected: ValueType::String,
    });
    None
}

/// Validates an image. Keeps its known fields and drops others.
fn image(json: &RawValue, place: &mut Place<'_>) -> Result<Option<Box<RawValue>>> {
    let Some(fields) = Fields::of_object(json) else {
        place.add(Fault::WrongContent {
            block: BlockType::Image,
            expected: ValueType::Object,
        });
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
        if let Some(fault) = link_fault(&url, &["http", "https"]) {
            place.add(fault);
            return None;
        }
        Some(Self(url))
    }
}

inline_schema!(ImageUrl, { "type": "string", "minLength": 1, "maxLength": 2048 });

impl Rule for Content {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let Raw::Json(json) = raw else {
            place.add(Fault::wrong_format(TextFormat::Json));
            return None;
        };
        place.check_length(json.get().len(), 0..=MAX_BYTES, LengthUnit::Bytes)?;
        match json_fault(json.get()) {
            Some(fault) => {
                place.add(fault);
                None
            }
            None => Some(Self {
                json: json.to_owned(),
                strict: place.is_strict(),
            }),
        }
    }
}

// Any JSON but null. Only a list of types could exclude null, and generated clients fail at one.
inline_schema!(Content, {});
