//! Rules for every schema.

use aide::openapi::{OpenApi, Parameter, ParameterSchemaOrContent, ReferenceOr};
use serde_json::{Map, Value};

use super::parts::operations;

type Object = Map<String, Value>;

/// Gives ids the same type in requests and replies, and removes empty lists of required fields,
/// which older versions of OpenAPI forbid.
pub fn complete(document: &mut OpenApi) {
    let components = document.components.iter_mut();
    for schema in components.flat_map(|components| components.schemas.values_mut()) {
        complete_object(schema.json_schema.ensure_object());
    }
    for (_, _, operation) in operations(document) {
        let parameters = operation.parameters.iter_mut();
        for parameter in parameters.filter_map(ReferenceOr::as_item_mut) {
            if let Parameter::Query { parameter_data, .. } = parameter
                && let ParameterSchemaOrContent::Schema(schema) = &mut parameter_data.format
            {
                complete_field(&parameter_data.name, schema.json_schema.ensure_object());
            }
        }
    }
}

fn complete_object(schema: &mut Object) {
    if matches!(schema.get("required"), Some(Value::Array(names)) if names.is_empty()) {
        schema.remove("required");
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let Value::Object(property) = property {
            complete_field(name, property);
            complete_object(property);
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        complete_object(items);
    }
}

/// Treats fields named `id`, `*_id` and `*_ids` as ids.
fn complete_field(name: &str, schema: &mut Object) {
    if name == "id" || name.ends_with("_id") {
        complete_id(schema);
    } else if name.ends_with("_ids")
        && let Some(Value::Object(items)) = schema.get_mut("items")
    {
        complete_id(items);
    }
}

/// Sets the type of an id. A field that can be 0 states its own minimum.
fn complete_id(schema: &mut Object) {
    let is_integer = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "integer"),
        name => name.is_some_and(|name| name == "integer"),
    };
    if is_integer {
        schema.entry("format").or_insert("int64".into());
        schema.entry("minimum").or_insert(1.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_positive_64_bit_integers_unless_they_say_otherwise() {
        let id = json!({ "type": "integer", "format": "int64", "minimum": 1 });
        let mut schema = json!({
            "properties": {
                "id": { "type": "integer", "format": "int64" },
                "key_id": { "type": ["integer", "null"] },
                "role_ids": { "type": "array", "items": { "type": "integer" } },
                "resource_id": { "type": "integer", "minimum": 0 },
                "list": { "type": "array", "items": { "properties": { "id": { "type": "integer" } } } },
                "count": { "type": "integer" },
                "transaction_id": { "type": "string" },
            },
            "required": [],
        });
        complete_object(schema.as_object_mut().expect("an object"));
        let fields = &schema["properties"];
        assert_eq!(fields["id"], id);
        assert_eq!(fields["key_id"]["minimum"], 1);
        assert_eq!(fields["role_ids"]["items"], id);
        assert_eq!(fields["resource_id"]["minimum"], 0);
        assert_eq!(fields["list"]["items"]["properties"]["id"], id);
        assert_eq!(fields["count"], json!({ "type": "integer" }));
        assert_eq!(fields["transaction_id"], json!({ "type": "string" }));
        assert_eq!(schema.get("required"), None);
    }
}
