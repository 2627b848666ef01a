use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::value::RawValue;

use super::{Fields, Input, Place, Raw, Rule};

/// An object inside a request, with fields and rules of its own.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<T: Input> Rule for Object<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Raw::Json(json) => object(json, place).map(Self),
            Raw::Query(_) => not_an_object(place),
        }
    }
}

pub(super) fn object<T: Input>(json: &RawValue, place: &mut Place<'_>) -> Option<T> {
    match Fields::of_object(json) {
        Some(fields) => T::read_at(&fields, place),
        None => not_an_object(place),
    }
}

/// What could be read of an object; of anything else, nothing.
pub(super) fn partial_object<T: Input>(json: &RawValue, place: &mut Place<'_>) -> T::Partial {
    let fields = Fields::of_object(json).unwrap_or_default();
    T::read_partial(&fields, place)
}

fn not_an_object<T>(place: &mut Place<'_>) -> Option<T> {
    place.add("must be an object");
    None
}

impl<T: Input> JsonSchema for Object<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}
