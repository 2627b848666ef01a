//! Two flags of which only one can be set.

use schemars::Schema;
use serde_json::json;

use super::{Fields, Place, Raw};

/// Refuses a request in which both fields are `true`.
pub fn not_both(fields: &Fields<'_>, place: &mut Place<'_>, names: [&str; 2]) {
    let is_set = |name| matches!(fields.get(name), Some(Raw::Json(json)) if json.get() == "true");
    if names.into_iter().all(is_set) {
        refuse_both(place, names, |_| true);
    }
}

/// Says so at each of the two that was `given`.
pub fn refuse_both(place: &mut Place<'_>, names: [&str; 2], given: impl Fn(&str) -> bool) {
    let [one, other] = names;
    for (name, rival) in [(one, other), (other, one)] {
        if given(name) {
            let sentence = format!("must not be true together with {rival}");
            place.inside(name).add(sentence);
        }
    }
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
