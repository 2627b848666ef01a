//! The JSON schemas of rules and inputs.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::{
    HIDDEN, Input, Int, Line, List, MOST_ITEMS, Name, Nullable, Object, Patch, Presence, Rule,
    Text, Word,
};

/// The schema of a field of an input.
pub trait FieldSchema: Presence {
    const REQUIRED: bool;

    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

impl<T: Rule> FieldSchema for T {
    const REQUIRED: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: Rule> FieldSchema for Option<T> {
    const REQUIRED: bool = false;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        nullable(T::json_schema(generator))
    }
}

impl<T: Rule> FieldSchema for Patch<T> {
    const REQUIRED: bool = false;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = T::json_schema(generator);
        if T::when_null().is_some() {
            nullable(schema)
        } else {
            schema
        }
    }
}

/// The same, or `null`.
fn nullable(mut schema: Schema) -> Schema {
    if let Some(Value::Array(choices)) = schema.ensure_object().get_mut("enum") {
        choices.push(Value::Null);
    }
    match schema.ensure_object().get_mut("type") {
        Some(kind) => *kind = Value::from(vec![kind.take(), Value::from("null")]),
        None => schema = json_schema!({ "anyOf": [schema, { "type": "null" }] }),
    }
    schema
}

/// The schema of an input that also has the fields of another.
pub fn joined(mut schema: Schema, mut other: Schema) -> Schema {
    for part in ["properties", "required"] {
        match (schema.ensure_object().get_mut(part), other.remove(part)) {
            (Some(Value::Object(own)), Some(Value::Object(more))) => own.extend(more),
            (Some(Value::Array(own)), Some(Value::Array(more))) => own.extend(more),
            _ => {}
        }
    }
    schema
}

/// Adds the rule of [`not_both`](super::not_both) to a schema.
pub fn without_both(mut schema: Schema, names: [&str; 2]) -> Schema {
    let [one, other] = names;
    let both = json!({
        "properties": { one: { "const": true }, other: { "const": true } },
        "required": names,
    });
    schema.insert("not".to_owned(), both);
    schema
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

impl<const MIN: usize, const MAX: usize> JsonSchema for Line<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Line{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pattern = match MIN {
            0 => format!("^[^{HIDDEN}]*$"),
            _ => format!(r"^[^{HIDDEN}]*[^\s{HIDDEN}][^{HIDDEN}]*$"),
        };
        json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX, "pattern": pattern })
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

impl<const MIN: usize, const MAX: usize> JsonSchema for Name<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Name{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": MIN,
            "maxLength": MAX,
            "pattern": format!(r"^[^{HIDDEN}]*[^\s{HIDDEN}][^{HIDDEN}]*$"),
        })
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

impl<T: Input> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "maxItems": MOST_ITEMS,
        })
    }
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

impl<T: Rule> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Nullable{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
