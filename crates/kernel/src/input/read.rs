//! Reading raw values: a [`Rule`] reads one, an [`Input`] a whole body or query string.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{Fault, Faults, Place};
use crate::schema::JsonSchema;

/// A value before it is validated.
#[derive(Clone, Copy)]
pub enum Raw<'a> {
    Json(&'a RawValue),
    /// Text from a query string, which has no other types.
    Query(&'a str),
}

impl Raw<'_> {
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json.get() == "null")
    }
}

/// A type whose values all satisfy a rule.
pub trait Rule: Sized + JsonSchema {
    /// The value, or `None` after adding a fault at `place`. Items with faults are left out of a
    /// list; [`Input::read`] still refuses the list.
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self>;

    /// The value that `null` in an update stands for, if `null` is allowed there.
    fn when_null() -> Option<Self> {
        None
    }
}

/// The fields of an input that parsed.
pub type Partial<T> = <T as Input>::Partial;

/// A whole body or query string.
pub trait Input: Sized + JsonSchema {
    /// The same fields, each `None` if it has faults.
    type Partial: std::fmt::Debug;

    /// The position of a field in the declaration.
    fn position(field: &str) -> Option<usize>;

    /// Reads all fields, and adds the faults of invalid ones.
    fn read_partial(fields: &Fields<'_>, place: &mut Place<'_>) -> Self::Partial;

    /// The input, if every field is valid.
    fn complete(partial: Self::Partial) -> Option<Self>;

    /// Reads all fields. Unknown fields are faults if `strict`, and ignored otherwise.
    fn read(fields: &Fields<'_>, strict: bool) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        match Self::read_at(fields, &mut faults.root(strict)) {
            Some(input) if faults.is_empty() => Ok(input),
            _ => Err(faults),
        }
    }

    /// Reads an input at a path inside a request.
    fn read_at(fields: &Fields<'_>, place: &mut Place<'_>) -> Option<Self> {
        let partial = Self::read_partial(fields, place);
        if place.is_strict() {
            for name in fields.0.keys() {
                if Self::position(name).is_none() {
                    place.inside(name).add(Fault::UnknownField {});
                }
            }
        }
        Self::complete(partial)
    }
}

/// Named values before they are validated.
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
