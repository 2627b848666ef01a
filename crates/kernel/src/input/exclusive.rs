//! Fields that do not go together.

use schemars::Schema;
use serde_json::{Value, json};

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

/// What is wrong with a flag while the `other` is set.
pub fn excluded_by(other: &str) -> String {
    format!("must not be true together with {other}")
}

/// The same rule in the schema of the request.
pub fn without_both(mut schema: Schema, names: [&str; 2]) -> Schema {
    let [one, other] = names;
    let both = json!({
        "properties": { one: { "const": true }, other: { "const": true } },
        "required": names,
    });
    schema.insert("not".to_owned(), both);
    schema
}

/// Refuses a request unless it has one of the fields and no other of them.
pub fn exactly_one(fields: &Fields<'_>, place: &mut Place<'_>, names: &[&str]) {
    let is_given = |name: &&&str| fields.get(name).is_some_and(|raw| !raw.is_null());
    let given: Vec<&&str> = names.iter().filter(is_given).collect();
    match (given.as_slice(), names) {
        ([], [first, others @ ..]) => {
            let others = others.join(", ");
            let mut place = place.inside(first);
            place.add(format!("is required, unless there is one of {others}"));
        }
        ([_], _) => {}
        (many, _) => {
            for name in many {
                let names = names.join(", ");
                let mut place = place.inside(name);
                place.add(format!("must be the only one of {names}"));
            }
        }
    }
}

/// The same rule in the schema of the request.
pub fn with_one_of(mut schema: Schema, names: &[&str]) -> Schema {
    let given = |name: &&str| json!({ "required": [name], "properties": { *name: { "not": { "type": "null" } } } });
    let choices: Vec<Value> = names.iter().map(given).collect();
    schema.insert("oneOf".to_owned(), choices.into());
    schema
}
