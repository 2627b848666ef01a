use std::ops::RangeInclusive;

use super::list::items;
use super::{Fault, Faults, ListItems, MOST_ITEMS, Place, Positive, Raw, Referent, Rule};
use crate::inline_schema;

/// A list of ids. Repeated ids count once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// Each id once, in ascending order.
    distinct: Vec<i64>,
    /// The ids as given, for faults that name a position; `None` for an item that is not an id.
    given: Vec<Option<i64>>,
}

impl Ids {
    /// Reads a list with its own limit. Items with faults are left out.
    pub fn read_within(
        raw: Raw<'_>,
        place: &mut Place<'_>,
        limit: RangeInclusive<usize>,
    ) -> Option<Self> {
        let items = items(raw, place, ListItems::Ids, limit)?;
        let read = |(i, item)| Positive::read(Raw::Json(item), &mut place.inside(i));
        let ids = items.into_iter().enumerate().map(read);
        let given: Vec<Option<i64>> = ids.map(|id| id.map(|id| id.0)).collect();
        let mut distinct: Vec<i64> = given.iter().copied().flatten().collect();
        distinct.sort_unstable();
        distinct.dedup();
        Some(Self { distinct, given })
    }

    /// Each id once, in ascending order.
    pub fn as_slice(&self) -> &[i64] {
        &self.distinct
    }

    /// Each id once, in ascending order.
    pub fn into_vec(self) -> Vec<i64> {
        self.distinct
    }

    pub fn is_empty(&self) -> bool {
        self.distinct.is_empty()
    }

    pub fn contains(&self, id: i64) -> bool {
        self.distinct.binary_search(&id).is_ok()
    }

    /// Adds a fault at every position of `field` whose id is not in `known`.
    pub fn check_known(
        &self,
        known: Vec<i64>,
        field: &str,
        resource: Referent,
        faults: &mut Faults,
    ) {
        let known = std::collections::HashSet::<i64>::from_iter(known);
        for (i, id) in self.given.iter().enumerate() {
            if id.is_some_and(|id| !known.contains(&id)) {
                faults
                    .at(field)
                    .inside(i)
                    .add(Fault::UnknownId { resource });
            }
        }
    }
}

impl Rule for Ids {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Self::read_within(raw, place, 0..=MOST_ITEMS)
    }
}

inline_schema!(Ids, {
    "type": "array",
    "items": { "type": "integer", "format": "int64", "minimum": 1 },
    "maxItems": MOST_ITEMS,
});

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn read(json: &str) -> (Option<Ids>, Faults) {
        let json: &RawValue = serde_json::from_str(json).expect(json);
        let mut faults = Faults::default();
        let ids = Ids::read(Raw::Json(json), &mut faults.at("ids"));
        (ids, faults)
    }

    fn too_long() -> Faults {
        let fault = Fault::WrongCount {
            min: 0,
            max: 1000,
            items: ListItems::Ids,
        };
        Faults::one("ids", fault)
    }

    fn ones(count: usize) -> String {
        format!("[{}]", vec!["1"; count].join(","))
    }

    #[test]
    fn repeated_ids_count_once() {
        let (ids, faults) = read("[3,1,3,1,2]");
        assert!(faults.is_empty());
        let ids = ids.expect("a list of ids");
        assert_eq!(ids.as_slice(), [1, 2, 3]);
        assert!(ids.contains(3) && !ids.contains(4));
    }

    #[test]
    fn a_list_of_1000_is_read_and_one_of_1001_refused() {
        let (ids, faults) = read(&ones(1000));
        assert!(ids.is_some() && faults.is_empty());
        let (ids, faults) = read(&ones(1001));
        assert_eq!(ids, None);
        assert_eq!(faults, too_long());
    }

    #[test]
    fn a_list_that_is_too_long_is_refused_before_its_items_are_read() {
        let zeros = format!("[{}]", vec!["0"; 1001].join(","));
        let (_, faults) = read(&zeros);
        assert_eq!(faults, too_long());
    }

    #[test]
    fn unknown_ids_and_items_that_are_not_ids_are_faults() {
        let (ids, mut faults) = read(r#"[7,"x",1,7]"#);
        let ids = ids.expect("the valid ids");
        ids.check_known(vec![1], "ids", Referent::Role, &mut faults);
        let json = serde_json::to_string(&faults).expect("faults serialise");
        let expected = r#"{"ids.1":["must be an integer of at least 1"],"ids.0":["is not the id of a role"],"ids.3":["is not the id of a role"]}"#;
        assert_eq!(json, expected);
    }
}
