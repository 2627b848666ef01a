//! Validation of request bodies and query strings, with types as rules.
//!
//! `input!` declares a struct. Each field states its name on the wire, its rule (`Text<1, 100>`),
//! and what absence means: `T` is required, `Option<T>` may be left out, `Patch<T>` keeps the
//! stored value. After the fields come those that exclude each other: two flags (`not both a and
//! b`), or fields of any kind (`exactly one of a, b`); and another input whose fields are included
//! (`with filters: Filters`). Reading gives either the struct or ALL faults; the JSON schema comes
//! from the same declaration.
//!
//! The [`Partial`] of a request with faults holds the fields that parsed, so that the rules that
//! need the database can still be checked for them.

mod address;
mod day_or_moment;
mod exclusive;
mod fault;
#[cfg(feature = "openapi")]
mod fault_schema;
mod faults;
mod ids;
mod json_value;
mod list;
mod name;
mod named;
mod number;
mod object;
mod presence;
mod read;
mod rules;
#[cfg(feature = "openapi")]
mod schema;
mod unique;
mod word;

pub use self::address::{is_web_address, link_fault};
pub use self::day_or_moment::DayOrMoment;
pub use self::exclusive::{exactly_one, not_both};
pub use self::fault::{
    BlockType, CharacterSet, Characters, Fault, LengthUnit, ListItems, Referent, TextFormat,
    ValueType,
};
pub use self::faults::{Faults, ListedFault, Place, Step};
pub use self::ids::Ids;
pub use self::json_value::json_fault;
pub use self::list::{List, MOST_ITEMS, items};
pub use self::name::{HIDDEN, Name, is_invisible, normalised};
pub use self::number::{Unfit, decimal, integer, is_number, positive_integer};
pub use self::object::Object;
pub use self::presence::{Nullable, Patch, Presence};
pub use self::read::{Fields, Input, Partial, Raw, Rule};
pub use self::rules::{Int, Line, Moment, Positive, Text, is_blank, some_of, text, text_that};
#[cfg(feature = "openapi")]
pub use self::schema::{FieldSchema, joined, without_both};
pub use self::unique::{Unique, taken};
pub use self::word::Word;

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
            /// The fields that parsed; `None` for the others.
            #[allow(dead_code, reason = "only some fields have rules that need the database")]
            #[derive(Debug)]
            $vis struct Partial {
                $(pub $field: Option<$type>,)*
                $(pub $part: $crate::input::Partial<$input>,)?
            }

            #[allow(unused_variables, reason = "an input may have no fields")]
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

        $crate::described! {
            #[allow(unused_mut, unused_variables, reason = "an input may have no fields")]
            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let mut properties = $crate::schema::Properties::new();
                    let mut required: Vec<&str> = Vec::new();
                    $(
                        let mut property = <$type as $crate::input::FieldSchema>::schema(generator);
                        let description = concat!($($field_doc),*).trim();
                        if !description.is_empty() {
                            property.insert("description".to_owned(), description.into());
                        }
                        let name = $crate::input::field_name(stringify!($field));
                        properties.insert(name.to_owned(), property.to_value());
                        if <$type as $crate::input::FieldSchema>::REQUIRED {
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
        }
    };
}

/// Sets the inline schema of a type in the OpenAPI document.
#[macro_export]
macro_rules! inline_schema {
    ($type:ty, $schema:tt) => {
        $crate::described! {
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
        }
    };
}
