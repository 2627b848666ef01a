//! One side of a change: the state before it, or after it.

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::json;

/// The text of a JSON object. It is parsed only when its fields are compared or changed, since most
/// objects are stored unchanged.
#[derive(Debug)]
pub struct Side(String);

/// The fields of a side, borrowed from its text. Raw values, so that no number loses a digit.
type Fields<'a> = IndexMap<Name<'a>, &'a RawValue, RandomState>;

/// A name that is borrowed from the text unless it has escapes.
#[derive(PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Side {
    pub fn empty() -> Self {
        Self("{}".to_owned())
    }

    /// Serialises `state`, which must be an object.
    pub fn of(state: &impl Serialize) -> Self {
        Self(json::to_string(state).expect("a state serialises"))
    }

    /// Both sides without the fields that are equal.
    pub fn differences(before: &Self, after: &Self) -> (Self, Self) {
        let (old, new) = (before.fields(), after.fields());
        (
            Self::missing_from(&old, &new),
            Self::missing_from(&new, &old),
        )
    }

    /// The fields that are missing from `others` or differ there.
    fn missing_from(fields: &Fields<'_>, others: &Fields<'_>) -> Self {
        let differs = |(name, value): &(&Name<'_>, &&RawValue)| {
            let other = others.get(*name);
            other.is_none_or(|other| other.get() != value.get())
        };
        let different: IndexMap<_, _, RandomState> = fields.iter().filter(differs).collect();
        Self::of(&different)
    }

    /// Adds or replaces a field.
    pub fn insert(&mut self, field: &str, value: &RawValue) {
        let mut fields = self.fields();
        fields.insert(Name(field.into()), value);
        *self = Self::of(&fields);
    }

    /// Adds fields that show only that there is a secret.
    pub fn mask(&mut self, secrets: &[&str]) {
        for secret in secrets {
            self.insert(secret, &to_raw_value("***").expect("text serialises"));
        }
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    fn fields(&self) -> Fields<'_> {
        serde_json::from_str(&self.0).expect("a state is an object")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{json, value::to_raw_value};

    use super::Side;

    #[test]
    fn only_the_fields_that_differ_are_kept_in_their_order() {
        let before = json!({ "a": 1, "b": [1, 2], "c": null, "gone": "x", "z": 1.50 });
        let after = json!({ "a": 1, "b": [2, 1], "c": false, "new": {}, "z": 1.50 });
        let (old, new) = Side::differences(&Side::of(&before), &Side::of(&after));
        assert_eq!(old.text(), r#"{"b":[1,2],"c":null,"gone":"x"}"#);
        assert_eq!(new.text(), r#"{"b":[2,1],"c":false,"new":{}}"#);
        let (old, new) = Side::differences(&Side::of(&after), &Side::of(&after));
        assert_eq!((old.text(), new.text()), ("{}", "{}"));
    }

    #[test]
    fn names_can_have_escapes() {
        let before = BTreeMap::from([("a\"b", 1), ("c\nd", 1)]);
        let after = BTreeMap::from([("a\"b", 1), ("c\nd", 2)]);
        let (old, new) = Side::differences(&Side::of(&before), &Side::of(&after));
        assert_eq!((old.text(), new.text()), (r#"{"c\nd":1}"#, r#"{"c\nd":2}"#));
    }

    #[test]
    fn a_field_is_added_or_replaced() {
        let mut side = Side::of(&json!({ "a": 1, "secret": 2 }));
        side.mask(&["secret", "other"]);
        side.insert("a", &to_raw_value(&()).expect("null serialises"));
        assert_eq!(side.text(), r#"{"a":null,"secret":"***","other":"***"}"#);
        let mut side = Side::empty();
        side.mask(&["key"]);
        assert_eq!(side.text(), r#"{"key":"***"}"#);
    }
}
