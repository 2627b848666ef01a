//! Arrays and objects.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::{Error, Result};

use super::Json;
use super::text::push_name;

/// The name under which `serde_json::value::RawValue` serialises itself, as a struct with one
/// field: the JSON text.
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

    /// The output position of the next element, after a comma unless it is the first.
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

/// Appends JSON text unchanged.
fn push_raw<T: Serialize + ?Sized>(json: &mut Vec<u8>, text: &T) -> Result<()> {
    let text = serde_json::to_value(text)?;
    let text = text
        .as_str()
        .ok_or_else(|| Error::custom("raw JSON is text"))?;
    json.extend_from_slice(text.as_bytes());
    Ok(())
}

macro_rules! compounds {
    ($($trait:ident::$add:ident($($name:ident)?) => $push:ident;)*) => {$(
        impl $trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $add<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<()> {
                self.$push($($name,)? value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )*};
}

compounds! {
    SerializeSeq::serialize_element() => value;
    SerializeTuple::serialize_element() => value;
    SerializeTupleStruct::serialize_field() => value;
    SerializeTupleVariant::serialize_field() => value;
    SerializeStruct::serialize_field(name) => field;
    SerializeStructVariant::serialize_field(name) => field;
}

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    /// Converts numeric keys to strings.
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
