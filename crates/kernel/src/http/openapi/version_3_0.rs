//! The document in OpenAPI 3.0, for tools that do not read 3.1.
//!
//! Converts only the features of 3.1 that the document uses. A test fails if the result contains
//! anything that 3.0 does not have.

use serde_json::{Map, Value, json};

const VERSION: &str = "3.0.3";

type Object = Map<String, Value>;

pub fn convert(mut document: Value) -> Value {
    document["openapi"] = VERSION.into();
    if let Some(Value::Object(info)) = document.get_mut("info") {
        info.shift_remove("summary");
        if let Some(Value::Object(license)) = info.get_mut("license") {
            license.shift_remove("identifier");
        }
    }
    convert_part(&mut document);
    document
}

/// Converts the schemas inside a part of the document that is not itself a schema.
fn convert_part(part: &mut Value) {
    match part {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    // Examples are data, which may look like a part of the document.
                    "example" => {}
                    "schema" => convert_schema(value),
                    "schemas" => children(value).for_each(convert_schema),
                    "security" => convert_security(value),
                    _ => convert_part(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(convert_part),
        _ => {}
    }
}

fn children(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fields = object.as_object_mut();
    fields.into_iter().flat_map(Map::values_mut)
}

/// In 3.0 only OAuth has scopes. The description of each operation names its permission.
fn convert_security(requirements: &mut Value) {
    let Value::Array(requirements) = requirements else {
        return;
    };
    for scopes in requirements.iter_mut().flat_map(children) {
        *scopes = json!([]);
    }
    let mut distinct: Vec<Value> = Vec::new();
    for requirement in requirements.drain(..) {
        if !distinct.contains(&requirement) {
            distinct.push(requirement);
        }
    }
    *requirements = distinct;
}

fn convert_schema(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Object(schema) => {
            convert_type(schema);
            convert_alternatives(schema);
            convert_bounds(schema);
            convert_values(schema);
            convert_reference(schema);
            convert_inner(schema);
        }
        _ => {}
    }
}

fn convert_inner(schema: &mut Object) {
    for (keyword, value) in schema {
        match keyword.as_str() {
            "properties" => children(value).for_each(convert_schema),
            "items" | "not" => convert_schema(value),
            // It may also be a boolean in 3.0.
            "additionalProperties" if value.is_object() => convert_schema(value),
            "allOf" | "anyOf" | "oneOf" => {
                let schemas = value.as_array_mut();
                schemas.into_iter().flatten().for_each(convert_schema);
            }
            _ => {}
        }
    }
}

/// Converts `"type": ["string", "null"]`.
fn convert_type(schema: &mut Object) {
    let Some(Value::Array(types)) = schema.get_mut("type") else {
        return;
    };
    let count = types.len();
    types.retain(|name| name != "null");
    let is_nullable = types.len() < count;
    if let [only] = types.as_mut_slice() {
        let only = only.take();
        schema.insert("type".into(), only);
    }
    if is_nullable {
        schema.insert("nullable".into(), true.into());
    }
}

/// Converts `"anyOf": [{ "$ref": "..." }, { "type": "null" }]`.
fn convert_alternatives(schema: &mut Object) {
    let Some(Value::Array(alternatives)) = schema.get_mut("anyOf") else {
        return;
    };
    let count = alternatives.len();
    alternatives.retain(|alternative| *alternative != json!({ "type": "null" }));
    if alternatives.len() == count {
        return;
    }
    let rest = std::mem::take(alternatives);
    schema.shift_remove("anyOf");
    let keyword = if rest.len() == 1 { "allOf" } else { "anyOf" };
    schema.insert(keyword.into(), rest.into());
    schema.insert("nullable".into(), true.into());
}

/// Converts `"exclusiveMinimum": 0`.
fn convert_bounds(schema: &mut Object) {
    for (exclusive, inclusive) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(bound @ Value::Number(_)) = schema.get_mut(exclusive) {
            let bound = std::mem::replace(bound, true.into());
            schema.insert(inclusive.into(), bound);
        }
    }
}

/// Converts `"const": true` and `"examples": ["10.0.0.0/8"]`.
fn convert_values(schema: &mut Object) {
    if let Some(value) = schema.shift_remove("const") {
        schema.insert("enum".into(), json!([value]));
    }
    if let Some(Value::Array(examples)) = schema.shift_remove("examples") {
        let first = examples.into_iter().next();
        schema.extend(first.map(|first| ("example".to_owned(), first)));
    }
}

/// Converts a reference with siblings, which 3.0 does not allow.
fn convert_reference(schema: &mut Object) {
    if schema.len() > 1
        && let Some(reference) = schema.shift_remove("$ref")
    {
        schema.insert("allOf".into(), json!([{ "$ref": reference }]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(mut schema: Value) -> Value {
        convert_schema(&mut schema);
        schema
    }

    #[test]
    fn a_schema_is_converted_to_its_equivalent() {
        for (schema, expected) in [
            (
                json!({ "type": ["string", "null"], "enum": ["a", null] }),
                json!({ "type": "string", "enum": ["a", null], "nullable": true }),
            ),
            (
                json!({ "anyOf": [{ "$ref": "#/x" }, { "type": "null" }] }),
                json!({ "allOf": [{ "$ref": "#/x" }], "nullable": true }),
            ),
            (
                json!({ "description": "x", "$ref": "#/x" }),
                json!({ "description": "x", "allOf": [{ "$ref": "#/x" }] }),
            ),
            (json!({ "$ref": "#/x" }), json!({ "$ref": "#/x" })),
            (
                json!({ "type": "number", "exclusiveMinimum": 0 }),
                json!({ "type": "number", "exclusiveMinimum": true, "minimum": 0 }),
            ),
            (
                json!({ "not": { "properties": { "a": { "const": true } } } }),
                json!({ "not": { "properties": { "a": { "enum": [true] } } } }),
            ),
            (
                json!({ "type": "array", "items": { "type": "string", "examples": ["a", "b"] } }),
                json!({ "type": "array", "items": { "type": "string", "example": "a" } }),
            ),
            (
                json!({ "type": "object", "additionalProperties": true }),
                json!({ "type": "object", "additionalProperties": true }),
            ),
            (json!(true), json!({})),
        ] {
            assert_eq!(converted(schema.clone()), expected, "{schema}");
        }
    }

    #[test]
    fn examples_and_permissions_are_not_schemas() {
        let document = convert(json!({
            "openapi": "3.1.0",
            "info": { "summary": "x", "license": { "name": "x", "identifier": "x" } },
            "paths": { "/": { "get": {
                "security": [{ "ApiKey": ["a"] }, { "ApiKey": ["b"] }, { "Session": ["a"] }],
                "responses": { "200": { "content": { "application/json": {
                    "schema": { "const": 1 },
                    "example": { "schema": { "const": 1 } },
                } } } },
            } } },
        }));
        assert_eq!(document["openapi"], VERSION);
        assert_eq!(document["info"], json!({ "license": { "name": "x" } }));
        let operation = &document["paths"]["/"]["get"];
        let security = json!([{ "ApiKey": [] }, { "Session": [] }]);
        assert_eq!(operation["security"], security);
        let reply = &operation["responses"]["200"]["content"]["application/json"];
        let expected =
            json!({ "schema": { "enum": [1] }, "example": { "schema": { "const": 1 } } });
        assert_eq!(*reply, expected);
    }
}
