//! A JSON serialiser that writes the same bytes as `serde_json`, faster. Lists consist of many
//! short strings and field names, and `serde_json` spends most of its time examining them byte by
//! byte.

mod compound;
mod text;

use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use serde_json::{Error, Result};

use self::compound::{Compound, RAW_VALUE};
use self::text::push_text;

/// Enough for most replies.
const CAPACITY: usize = 1024;

pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut json = Vec::with_capacity(CAPACITY);
    value.serialize(Json(&mut json))?;
    Ok(json)
}

pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    String::from_utf8(to_vec(value)?).map_err(Error::custom)
}

struct Json<'a>(&'a mut Vec<u8>);

impl<'a> Json<'a> {
    /// Writes `{"variant":`. The caller closes the object.
    fn open_variant(self, variant: &str) -> Self {
        self.0.push(b'{');
        push_text(self.0, variant);
        self.0.push(b':');
        self
    }

    /// Leaves rare types to `serde_json`.
    fn push_other<T: Serialize>(self, value: &T) -> Result<()> {
        serde_json::to_writer(self.0, value)
    }
}

macro_rules! integers {
    ($($function:ident($type:ty),)*) => {$(
        fn $function(self, value: $type) -> Result<()> {
            self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            Ok(())
        }
    )*};
}

impl<'a> Serializer for Json<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        let text: &[u8] = if value { b"true" } else { b"false" };
        self.0.extend_from_slice(text);
        Ok(())
    }

    integers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64),
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.push_other(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.push_other(&value)
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        push_text(self.0, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let Json(json) = self.open_variant(variant);
        value.serialize(Json(json))?;
        json.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.0, b'[', "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.0, b'[', "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.0, b'[', "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.open_variant(variant).0, b'[', "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.0, b'{', "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(match name {
            RAW_VALUE => Compound::Raw(self.0),
            _ => Compound::begin(self.0, b'{', "}"),
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>> {
        Ok(Compound::begin(self.open_variant(variant).0, b'{', "}}"))
    }
}

#[cfg(test)]
mod tests;
