//! Fields that exclude each other.

use schemars::Schema;
use serde_json::json;

use super::{Fields, Place, Raw};

/// Refuses a request in which both fields are `true`.
pub fn not_both(fields: &Fields<'_>, place: &mut Place<'_>, names: [&str; 2]) {
    let is_set = |name| matches!(fields.get(name), Some(Raw::Json(json)) if json.get() == "true");
    if names.into_iter().all(is_set) {
        let [one, other] = names;
        place.inside(one).add(excluded_by(other));
        place.inside(other).add(excluded_by(one));
    }
}

/// The fault of a flag that is set together with the `other`.
pub fn excluded_by(other: &str) -> String {
    format!("must not be true together with {other}")
}

/// Adds the rule of [`not_both`] to a schema.
pub fn without_both(mut schema: Schema, names: [&str; 2]) -> Schema {
    let [one, other] = names;
    let both = json!({
        "properties": { one: { "const": true }, other: { "const": true } },
        "required": names,
    });
    schema.insert("not".to_owned(), both);
    schema
}

/// Refuses a request that has none or several of the fields. Descriptions state this rule, schemas
/// do not: generated clients turn alternatives of an object into types that are hard to use.
pub fn exactly_one(fields: &Fields<'_>, place: &mut Place<'_>, names: &[&str]) {
    let is_given = |name: &&&str| fields.get(name).is_some_and(|raw| !raw.is_null());
    let given: Vec<&&str> = names.iter().filter(is_given).collect();
    match (given.as_slice(), names) {
        ([], [first, others @ ..]) => {
            let others = others.join(", ");
            let mut place = place.inside(*first);
            place.add(format!("is required, unless there is one of {others}"));
        }
        ([_], _) => {}
        (many, _) => {
            for name in many {
                let names = names.join(", ");
                let mut place = place.inside(**name);
                place.add(format!("must be the only one of {names}"));
            }
        }
    }
}
