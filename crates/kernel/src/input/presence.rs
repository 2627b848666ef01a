//! What the absence of a field means.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::{Place, Raw, Rule};

/// The type of a field in an input.
pub trait Presence: Sized {
    const REQUIRED: bool;

    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self>;

    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

/// Required.
impl<T: Rule> Presence for T {
    const REQUIRED: bool = true;

    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Some(raw) if !raw.is_null() => T::read(raw, place),
            Some(_) => null(place),
            None => {
                place.add("is required");
                None
            }
        }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

fn null<T>(place: &mut Place<'_>) -> Option<T> {
    place.add("must not be null");
    None
}

/// May be left out; `null` means the same.
impl<T: Rule> Presence for Option<T> {
    const REQUIRED: bool = false;

    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Some(raw) if !raw.is_null() => T::read(raw, place).map(Some),
            _ => Some(None),
        }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        nullable(T::json_schema(generator))
    }
}

/// A field of an update: left out, it keeps its value.
#[derive(Debug, PartialEq, Eq)]
pub enum Patch<T> {
    Keep,
    Set(T),
}

impl<T> Patch<T> {
    /// The new value if one was given, otherwise the `current` one.
    pub fn or(self, current: impl Into<T>) -> T {
        match self {
            Self::Keep => current.into(),
            Self::Set(value) => value,
        }
    }

    /// The new value, if one was given.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T: Rule> Presence for Patch<T> {
    const REQUIRED: bool = false;

    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            None => Some(Self::Keep),
            Some(raw) if !raw.is_null() => T::read(raw, place).map(Self::Set),
            Some(_) => match T::when_null() {
                Some(value) => Some(Self::Set(value)),
                None => null(place),
            },
        }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = T::json_schema(generator);
        if T::when_null().is_some() {
            nullable(schema)
        } else {
            schema
        }
    }
}

/// A value that may be `null`, as in `Patch<Nullable<T>>`: absent keeps, `null` clears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<S: Into<T>, T> From<Option<S>> for Nullable<T> {
    fn from(value: Option<S>) -> Self {
        Self(value.map(Into::into))
    }
}

impl<T: Rule> Rule for Nullable<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        T::read(raw, place).map(|value| Self(Some(value)))
    }

    fn when_null() -> Option<Self> {
        Some(Self(None))
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

/// The same, or `null`.
pub fn nullable(mut schema: Schema) -> Schema {
    if let Some(Value::Array(choices)) = schema.ensure_object().get_mut("enum") {
        choices.push(Value::Null);
    }
    match schema.ensure_object().get_mut("type") {
        Some(kind) => *kind = Value::from(vec![kind.take(), Value::from("null")]),
        None => schema = schemars::json_schema!({ "anyOf": [schema, { "type": "null" }] }),
    }
    schema
}
