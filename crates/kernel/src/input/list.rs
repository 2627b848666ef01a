use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{object, partial_object};
use super::{Fault, Faults, Input, ListItems, Place, Raw, Rule};

/// The limit of items in a list, unless an operation has its own.
pub const MOST_ITEMS: usize = 1000;

/// The items of a list, or `None` after adding a fault that names their kind and the limit.
/// A list that is too long is refused before any item is read.
pub fn items<'a>(
    raw: Raw<'a>,
    place: &mut Place<'_>,
    kind: ListItems,
    limit: RangeInclusive<usize>,
) -> Option<Vec<&'a RawValue>> {
    let read = match raw {
        Raw::Json(json) => serde_json::Deserializer::from_str(json.get())
            .deserialize_seq(AtMost(*limit.end()))
            .ok(),
        Raw::Query(_) => None,
    };
    let Some((items, count)) = read else {
        place.add(Fault::NotAList { items: kind });
        return None;
    };
    if limit.contains(&count) {
        return Some(items);
    }
    place.add(Fault::WrongCount {
        min: *limit.start() as i64,
        max: *limit.end() as i64,
        items: kind,
    });
    None
}

/// Keeps the first items of a list up to this number, and counts all of them.
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

/// A list of objects, each with its own fields and rules.
#[derive(Debug)]
pub struct List<T: Input> {
    pub items: Vec<T>,
    /// The parsed fields of each item, if any item has faults. `items` is then empty.
    pub partial: Vec<T::Partial>,
}

impl<T: Input> Rule for List<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let raw_items = items(raw, place, ListItems::Items, 0..=MOST_ITEMS)?;
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
        // The faults have already been added above.
        let mut known = Faults::default();
        let partial = |item: &&RawValue| partial_object::<T>(item, &mut known.root(false));
        Some(Self {
            items: Vec::new(),
            partial: raw_items.iter().map(partial).collect(),
        })
    }
}
