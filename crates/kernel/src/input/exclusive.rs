//! Fields that exclude each other.

use super::{Fault, Fields, Place, Raw};

/// Refuses a request in which both fields are `true`.
pub fn not_both(fields: &Fields<'_>, place: &mut Place<'_>, names: [&'static str; 2]) {
    let is_set = |name| matches!(fields.get(name), Some(Raw::Json(json)) if json.get() == "true");
    if names.into_iter().all(is_set) {
        let [one, other] = names;
        place.inside(one).add(Fault::NotBoth { other });
        place.inside(other).add(Fault::NotBoth { other: one });
    }
}

/// Refuses a request that has none or several of the fields. Only descriptions state this rule:
/// generated clients turn alternatives in a schema into types that are hard to use.
pub fn exactly_one(fields: &Fields<'_>, place: &mut Place<'_>, names: &'static [&'static str]) {
    let is_given = |name: &&&str| fields.get(name).is_some_and(|raw| !raw.is_null());
    let given: Vec<&&str> = names.iter().filter(is_given).collect();
    match (given.as_slice(), names) {
        ([], [first, fields @ ..]) => {
            place.inside(*first).add(Fault::RequiredUnless { fields });
        }
        ([_], _) => {}
        (many, fields) => {
            for name in many {
                place.inside(**name).add(Fault::NotTheOnlyOne { fields });
            }
        }
    }
}
