use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Cursor, PositionKind, Sorted};
use crate::input::{Faults, Place, Raw, Rule, text};

/// What the items of a list can be ordered by.
pub trait Key: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The keys that a client can choose, by their names on the wire. Empty if the order is fixed.
    const ALL: &'static [(&'static str, Self)];
    const DEFAULT: Sort<Self>;

    /// What identifies a position in this order.
    fn kind(self) -> PositionKind;
}

/// An order: by a key, ascending or descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort<K> {
    pub by: K,
    pub descending: bool,
}

impl<K> Sort<K> {
    pub const fn ascending(by: K) -> Self {
        Self {
            by,
            descending: false,
        }
    }

    pub const fn descending(by: K) -> Self {
        Self {
            by,
            descending: true,
        }
    }
}

impl<K: Key> Sort<K> {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, descending) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let mut keys = K::ALL.iter();
        let (_, by) = *keys.find(|(known, _)| *known == name)?;
        Some(Self { by, descending })
    }

    pub fn cursor(self, item: &impl Sorted<K>) -> Cursor<K> {
        Cursor {
            sort: self,
            position: item.position(self.by),
        }
    }

    /// Adds a fault if the cursor belongs to another order.
    pub fn check(self, after: Option<&Cursor<K>>, faults: &mut Faults) {
        if after.is_some_and(|cursor| cursor.sort != self) {
            let sentence = "must come from a Link header under the same sort";
            faults.at("after").add(sentence);
        }
    }
}

impl<K: Key> fmt::Display for Sort<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        let named = K::ALL.iter().find(|(_, key)| *key == self.by);
        write!(f, "{sign}{}", named.map_or("", |(name, _)| name))
    }
}

impl<K: Key> Rule for Sort<K> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let sort = Self::parse(&text(raw, place)?);
        if sort.is_none() {
            let names: Vec<&str> = K::ALL.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            place.add(format!(
                "must be one of {names}, with - in front for descending"
            ));
        }
        sort
    }
}

impl<K: Key> JsonSchema for Sort<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Sort".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": names::<K>() })
    }
}

/// Both directions of every key, as they are written on the wire.
pub(super) fn names<K: Key>() -> Vec<String> {
    let names = K::ALL.iter();
    names
        .flat_map(|(name, _)| [(*name).to_owned(), format!("-{name}")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{By, parse};
    use super::*;

    #[test]
    fn a_sort_is_parsed_as_it_is_written() {
        for text in ["id", "-id", "age", "-age", "name", "-name"] {
            let sort: Sort<By> = parse(text).expect(text);
            assert_eq!(sort.to_string(), text);
            assert_eq!(sort.descending, text.starts_with('-'));
        }
        for text in ["", "-", "--id", "ID", "id ", "+id", "size"] {
            let fault = parse::<Sort<By>>(text).expect_err(text);
            assert!(
                fault.contains("must be one of id, age, name, with - in front"),
                "{fault}"
            );
        }
    }
}
