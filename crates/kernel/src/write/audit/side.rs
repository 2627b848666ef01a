//! One side of a change: the state before it, or after it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Fields;
use crate::json;

/// A JSON object. It is taken apart only when its fields are compared or changed, since most are
/// stored as they are.
#[derive(Debug)]
pub enum Side {
    Whole(String),
    Parted(Fields),
}

impl Side {
    pub fn empty() -> Self {
        Self::Parted(Fields::new())
    }

    pub fn of(state: &impl Serialize) -> Self {
        Self::Whole(json::to_string(state).expect("a state serialises"))
    }

    /// Both sides without the fields that are the same.
    pub fn differences(mut before: Self, mut after: Self) -> (Self, Self) {
        let (old, new) = (before.fields(), after.fields());
        old.retain(|name, value| {
            let same = new.get(name).is_some_and(|new| new.get() == value.get());
            if same {
                new.shift_remove(name);
            }
            !same
        });
        (before, after)
    }

    /// Adds a field, or replaces it.
    pub fn insert(&mut self, field: &str, value: Box<RawValue>) {
        self.fields().insert(field.to_owned(), value);
    }

    /// Adds fields that say only that there is a secret.
    pub fn mask(&mut self, secrets: &[&str]) {
        for secret in secrets {
            self.insert(secret, to_raw_value("***").expect("text serialises"));
        }
    }

    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Whole(text) => text.into(),
            Self::Parted(fields) => {
                let text = json::to_string(fields).expect("fields serialise");
                text.into()
            }
        }
    }

    fn fields(&mut self) -> &mut Fields {
        match self {
            Self::Parted(fields) => fields,
            Self::Whole(text) => {
                let fields = serde_json::from_str(text).expect("a state is an object");
                *self = Self::Parted(fields);
                self.fields()
            }
        }
    }
}
