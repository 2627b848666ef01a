//! Arrays and objects.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::{Error, Result};

use super::Json;
use super::text::push_name;

/// The name of the struct as which `serde_json::value::RawValue` serialises itself. Its only field
/// is the JSON text.
pub const RAW_VALUE: &str = "$serde_json::private::RawValue";

pub enum Compound<'a> {
    Open {
        json: &'a mut Vec<u8>,
        is_empty: bool,
        end: &'static str,
    },
    Raw(&'a mut Vec<u8>),
}

impl<'a> Compound<'a> {
    pub fn begin(json: &'a mut Vec<u8>, start: u8, end: &'static str) -> Self {
        json.push(start);
        let is_empty = true;
        Self::Open {
            json,
            is_empty,
            end,
        }
    }

    /// The place of the next element, after a comma if it is not the first.
    fn next(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Open { json, is_empty, .. } => {
                if !std::mem::take(is_empty) {
                    json.push(b',');
                }
                json
            }
            Self::Raw(json) => json,
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Json(self.next()))
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if let Self::Raw(json) = self {
            return push_raw(json, value);
        }
        let json = self.next();
        push_name(json, name);
        value.serialize(Json(json))
    }

    fn close(self) -> Result<()> {
        if let Self::Open { json, end, .. } = self {
            json.extend_from_slice(end.as_bytes());
        }
        Ok(())
    }
}

/// Adds JSON text as it is.
fn push_raw<T: Serialize + ?Sized>(json: &mut Vec<u8>, text: &T) -> Result<()> {
    let text = serde_json::to_value(text)?;
    let text = text
        .as_str()
        .ok_or_else(|| Error::custom("raw JSON is text"))?;
    json.extend_from_slice(text.as_bytes());
    Ok(())
}

/// The items of a list.
pub struct Items<'a> {
    json: &'a mut Vec<u8>,
    /// Where the first item begins.
    start: usize,
    count: usize,
}

/// At most this much is reserved for a list when its first item is written.
const MOST_RESERVED: usize = 64 * 1024;

impl<'a> Items<'a> {
    pub fn begin(json: &'a mut Vec<u8>, count: usize) -> Self {
        json.push(b'[');
        let start = json.len();
        Self { json, start, count }
    }
}

impl SerializeSeq for Items<'_> {
    type Ok = ();
    type Error = Error;

    /// Items of a list have about the same size, so the first one says how much room the others
    /// need. Growing step by step would copy the list several times.
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if self.json.len() > self.start {
            self.json.push(b',');
            return value.serialize(Json(self.json));
        }
        value.serialize(Json(self.json))?;
        let size = self.json.len() - self.start + 1;
        let list = size.saturating_mul(self.count);
        self.json.reserve(list.min(MOST_RESERVED));
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.json.push(b']');
        Ok(())
    }
}

impl SerializeTuple for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeTupleStruct for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeTupleVariant for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeStruct for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(key, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeStructVariant for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(key, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    /// Keys that are numbers become text.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let json = self.next();
        let start = json.len();
        key.serialize(Json(json))?;
        match json.get(start) {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9') => {
                json.insert(start, b'"');
                json.push(b'"');
            }
            _ => return Err(Error::custom("key must be a string")),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Self::Open { json, .. } | Self::Raw(json) => {
                json.push(b':');
                value.serialize(Json(json))
            }
        }
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}
