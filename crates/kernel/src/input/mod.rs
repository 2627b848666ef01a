//! Request bodies and query strings, read by rules that are types.
//!
//! `input!` declares a struct whose fields say everything: the name on the wire, the rule
//! (`Text<1, 100>`), and what absence means (`T` is required, `Option<T>` may be left out, `Patch<T>`
//! keeps what is stored). After the fields come those that exclude each other: two flags
//! (`not both a and b`), or fields of any kind (`exactly one of a, b`); and another input whose
//! fields belong to this one as well (`with filters: Filters`). Reading gives either the struct or
//! ALL faults; the JSON schema comes from the same declaration.
//!
//! Of a request with faults, what could be read of each field is its [`Partial`], so that the
//! rules that need the database can be checked for the other fields.

mod address;
mod day_or_moment;
mod exclusive;
mod fault;
mod ids;
mod list;
mod name;
mod number;
mod object;
mod presence;
mod rules;
mod word;

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::Value;
use serde_json::value::RawValue;

pub use self::address::{is_web_address, link_fault};
pub use self::day_or_moment::DayOrMoment;
pub use self::exclusive::{exactly_one, excluded_by, not_both, without_both};
pub use self::fault::{Faults, Place, Step, TAKEN};
pub use self::ids::Ids;
pub use self::list::{List, MOST_ITEMS, items};
pub use self::name::{HIDDEN, Name, normalised};
pub use self::number::{Unfit, decimal, integer, is_number, positive_integer};
pub use self::object::Object;
pub use self::presence::{Nullable, Patch, Presence};
pub use self::rules::{Int, Moment, Positive, Text, is_blank, text, text_that};
pub use self::word::Word;

/// A value as it came over the wire.
#[derive(Clone, Copy)]
pub enum Raw<'a> {
    Json(&'a RawValue),
    /// From a query string, where everything is text.
    Query(&'a str),
}

impl Raw<'_> {
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json.get() == "null")
    }
}

/// A type that only holds values which keep its rule.
pub trait Rule: Sized + schemars::JsonSchema {
    /// The value, or `None` after adding a fault at `place`. A list with faults is read without
    /// the items that have them; [`Input::read`] refuses it all the same.
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self>;

    /// What `null` in an update stands for, if it is allowed there.
    fn when_null() -> Option<Self> {
        None
    }
}

/// What could be read of an input, field by field.
pub type Partial<T> = <T as Input>::Partial;

/// A whole body or query string.
pub trait Input: Sized + schemars::JsonSchema {
    /// The same fields, each `None` if it has faults.
    type Partial: std::fmt::Debug;

    /// Where a field comes in the declaration.
    fn position(field: &str) -> Option<usize>;

    /// Reads all fields, and adds the faults of those that are refused.
    fn read_partial(fields: &Fields<'_>, place: &mut Place<'_>) -> Self::Partial;

    /// The input, if every field could be read.
    fn complete(partial: Self::Partial) -> Option<Self>;

    /// Reads all fields; unknown ones are ignored, or faults when `strict`.
    fn read(fields: &Fields<'_>, strict: bool) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        match Self::read_at(fields, &mut faults.root(strict)) {
            Some(input) if faults.is_empty() => Ok(input),
            _ => Err(faults),
        }
    }

    /// The same, somewhere inside a request.
    fn read_at(fields: &Fields<'_>, place: &mut Place<'_>) -> Option<Self> {
        let partial = Self::read_partial(fields, place);
        if place.is_strict() {
            for name in fields.0.keys() {
                if Self::position(name).is_none() {
                    place.inside(name).add("is not a field of this request");
                }
            }
        }
        Self::complete(partial)
    }
}

/// Named values before they are read.
#[derive(Default)]
pub struct Fields<'a>(BTreeMap<String, Raw<'a>>);

impl<'a> Fields<'a> {
    /// The fields of a JSON object.
    pub fn of_object(json: &'a RawValue) -> Option<Self> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json.get()).ok()?;
        let raw = fields
            .into_iter()
            .map(|(name, value)| (name, Raw::Json(value)));
        Some(raw.collect())
    }

    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0.get(name).copied()
    }
}

impl<'a> FromIterator<(String, Raw<'a>)> for Fields<'a> {
    fn from_iter<I: IntoIterator<Item = (String, Raw<'a>)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}

/// The name on the wire of a field that is written `r#type`, because `type` is a Rust keyword.
pub const fn field_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', plain @ ..] => match std::str::from_utf8(plain) {
            Ok(plain) => plain,
            Err(_) => name,
        },
        _ => name,
    }
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

/// Declares an [`Input`]; see the module's description.
#[macro_export]
macro_rules! input {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty),* $(,)?
        }
        $(not both $one:ident and $other:ident)?
        $(exactly one of $($choice:ident),+)?
        $(with $part:ident: $input:ty)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: $type,)*
            $(pub $part: $input,)?
        }

        const _: () = {
            /// What could be read of each field.
            #[allow(dead_code, reason = "only some fields have rules that need the database")]
            #[derive(Debug)]
            $vis struct Partial {
                $(pub $field: Option<$type>,)*
                $(pub $part: $crate::input::Partial<$input>,)?
            }

            impl $crate::input::Input for $name {
                type Partial = Partial;

                fn position(field: &str) -> Option<usize> {
                    const FIELDS: &[&str] =
                        &[$($crate::input::field_name(stringify!($field))),*];
                    let position = FIELDS.iter().position(|name| *name == field);
                    $(let position = position.or_else(|| {
                        let further = <$input as $crate::input::Input>::position(field)?;
                        Some(FIELDS.len() + further)
                    });)?
                    position
                }

                fn read_partial(
                    fields: &$crate::input::Fields<'_>,
                    place: &mut $crate::input::Place<'_>,
                ) -> Partial {
                    $(let $field = <$type as $crate::input::Presence>::read_field(
                        fields.get($crate::input::field_name(stringify!($field))),
                        &mut place.inside($crate::input::field_name(stringify!($field))),
                    );)*
                    $($crate::input::not_both(
                        fields,
                        place,
                        [stringify!($one), stringify!($other)],
                    );)?
                    $($crate::input::exactly_one(fields, place, &[$(stringify!($choice)),+]);)?
                    $(let $part = <$input as $crate::input::Input>::read_partial(fields, place);)?
                    Partial { $($field,)* $($part,)? }
                }

                fn complete(partial: Partial) -> Option<Self> {
                    Some(Self {
                        $($field: partial.$field?,)*
                        $($part: <$input as $crate::input::Input>::complete(partial.$part)?,)?
                    })
                }
            }
        };

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $(
                    let mut property = <$type as $crate::input::Presence>::schema(generator);
                    let description = concat!($($field_doc),*).trim();
                    if !description.is_empty() {
                        property.insert("description".to_owned(), description.into());
                    }
                    let name = $crate::input::field_name(stringify!($field));
                    properties.insert(name.to_owned(), property.to_value());
                    if <$type as $crate::input::Presence>::REQUIRED {
                        required.push(name);
                    }
                )*
                let description = concat!($($doc),*).trim();
                let schema = schemars::json_schema!({
                    "type": "object",
                    "description": description,
                    "properties": properties,
                    "required": required,
                });
                $(let schema = $crate::input::without_both(
                    schema,
                    [stringify!($one), stringify!($other)],
                );)?
                $(let schema = $crate::input::joined(schema, <$input>::json_schema(generator));)?
                schema
            }
        }
    };
}

/// Gives a type its schema, which the OpenAPI document shows wherever the type is used.
#[macro_export]
macro_rules! inline_schema {
    ($type:ty, $schema:tt) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}
