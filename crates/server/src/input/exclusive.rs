//! Two flags of which only one can be set.

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
