use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{object, partial_object};
use super::{Faults, Input, Place, Raw, Rule};

/// How many items a list may hold, unless an operation has a limit of its own.
pub const MOST_ITEMS: usize = 1000;

/// The items of a list, or `None` after adding `not_a_list` or a fault that names the limit.
/// A list that is too long is refused before any item is looked at.
pub fn items<'a>(
    raw: Raw<'a>,
    place: &mut Place<'_>,
    not_a_list: &str,
    noun: &str,
    limit: RangeInclusive<usize>,
) -> Option<Vec<&'a RawValue>> {
    let (least, most) = (*limit.start(), *limit.end());
    let read = match raw {
        Raw::Json(json) => serde_json::Deserializer::from_str(json.get())
            .deserialize_seq(AtMost(most))
            .ok(),
        Raw::Query(_) => None,
    };
    let Some((items, count)) = read else {
        place.add(not_a_list);
        return None;
    };
    if limit.contains(&count) {
        return Some(items);
    }
    place.add(match least {
        0 => format!("must hold at most {most} {noun}"),
        _ => format!("must hold {least} to {most} {noun}"),
    });
    None
}

/// Keeps so many items of a list, and counts all.
struct AtMost(usize);

impl<'de> Visitor<'de> for AtMost {
    type Value = (Vec<&'de RawValue>, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut items, mut count) = (Vec::new(), 0);
        while let Some(item) = list.next_element()? {
            if count < self.0 {
                items.push(item);
            }
            count += 1;
        }
        Ok((items, count))
    }
}

/// A list of objects, each with fields and rules of its own.
#[derive(Debug)]
pub struct List<T: Input> {
    pub items: Vec<T>,
    /// If any item has faults: what could be read of each. `items` is empty then.
    pub partial: Vec<T::Partial>,
}

impl<T: Input> Rule for List<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let raw_items = items(raw, place, "must be a list", "items", 0..=MOST_ITEMS)?;
        let mut items = Vec::with_capacity(raw_items.len());
        for (i, item) in raw_items.iter().enumerate() {
            items.extend(object::<T>(item, &mut place.inside(i)));
        }
        if items.len() == raw_items.len() {
            return Some(Self {
                items,
                partial: Vec::new(),
            });
        }
        // The faults have been added above.
        let mut known = Faults::default();
        let partial = |item: &&RawValue| partial_object::<T>(item, &mut known.root(false));
        Some(Self {
            items: Vec::new(),
            partial: raw_items.iter().map(partial).collect(),
        })
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
