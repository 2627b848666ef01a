use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::value::RawValue;

use super::object::object;
use super::{Input, Place, Raw, Rule};

/// A list of objects, each with fields and rules of its own.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

impl<T: Input> Rule for List<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items: Option<Vec<&RawValue>> = match raw {
            Raw::Json(json) => serde_json::from_str(json.get()).ok(),
            Raw::Query(_) => None,
        };
        let Some(items) = items else {
            place.add("must be a list");
            return None;
        };
        let read: Vec<Option<T>> = items
            .into_iter()
            .enumerate()
            .map(|(i, item)| object(item, &mut place.inside(i)))
            .collect();
        read.into_iter().collect::<Option<Vec<T>>>().map(Self)
    }
}

impl<T: Input> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>() })
    }
}
