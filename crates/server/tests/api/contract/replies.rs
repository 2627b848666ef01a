//! Every reply is what its schema says: all required fields, and none that is not documented.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::document::{document, operations, resolve};
use super::fixtures::fixture;
use crate::support::TestApp;

/// Optional fields that are present in every reply of the walk, with the reason why they can be
/// absent all the same.
const ABSENT_ELSEWHERE: [(&str, &str, &str); 3] = [
    ("FinishedSignIn", "created", "a profile was linked"),
    ("FinishedSignIn", "device", "a profile was linked"),
    ("FinishedSignIn", "session_token", "a profile was linked"),
];

/// A field of an object: the name of the object's schema, and its own.
type Field = (String, String);

struct Schemas {
    document: Value,
    /// Optional fields that a reply left out.
    absent: BTreeSet<Field>,
}

impl Schemas {
    fn check(&mut self, schema: &Value, value: &Value) -> Result<(), String> {
        self.check_named(schema, value, "")
    }

    /// `name` is that of the schema around this one.
    fn check_named(&mut self, schema: &Value, value: &Value, name: &str) -> Result<(), String> {
        let name = &name_of(schema, name);
        let schema = resolve(&self.document, schema).clone();
        if !has_type(&schema, value) {
            return Err(format!("{name}: {value} is not of type {}", schema["type"]));
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.contains(value)
        {
            return Err(format!("{name}: {value} is not one of {choices:?}"));
        }
        if schema["format"] == "date-time" && value.is_string() && !is_timestamp(value) {
            return Err(format!(
                "{name}: {value} is not a timestamp in whole seconds of UTC"
            ));
        }
        for alternatives in ["anyOf", "oneOf"] {
            if let Some(Value::Array(schemas)) = schema.get(alternatives) {
                let mut fits = schemas
                    .iter()
                    .map(|schema| self.check_named(schema, value, name));
                if !fits.any(|fits| fits.is_ok()) {
                    return Err(format!("{name}: {value} fits none of {schemas:?}"));
                }
            }
        }
        if let Some(Value::Array(schemas)) = schema.get("allOf") {
            for schema in schemas {
                self.check_named(schema, value, name)?;
            }
        }
        match value {
            Value::Object(fields) => self.check_fields(&schema, fields, name),
            Value::Array(items) => match schema.get("items") {
                Some(schema) => items
                    .iter()
                    .try_for_each(|item| self.check_named(schema, item, name)),
                None => Err(format!("{name}: a list without a schema of its items")),
            },
            _ => Ok(()),
        }
    }

    fn check_fields(
        &mut self,
        schema: &Value,
        fields: &serde_json::Map<String, Value>,
        name: &str,
    ) -> Result<(), String> {
        let Some(Value::Object(properties)) = schema.get("properties") else {
            let is_map = ["additionalProperties", "allOf", "anyOf", "oneOf"];
            let is_described = is_map.iter().any(|key| schema.get(*key).is_some());
            return if is_described || schema == &Value::Bool(true) {
                Ok(())
            } else {
                Err(format!("{name}: an object without a schema of its fields"))
            };
        };
        for (field, value) in fields {
            match properties.get(field) {
                Some(schema) => self.check_named(schema, value, &format!("{name}.{field}"))?,
                None => return Err(format!("{name}: {field} is not documented")),
            }
        }
        for field in properties
            .keys()
            .filter(|field| !fields.contains_key(*field))
        {
            if is_required(schema, field) {
                return Err(format!("{name}: {field} is required"));
            }
            self.absent.insert((name.to_owned(), field.clone()));
        }
        Ok(())
    }

    /// All optional fields of a schema and of those inside it.
    fn optional_fields(&self, schema: &Value, name: &str, found: &mut BTreeSet<Field>) {
        let name = &name_of(schema, name);
        let schema = resolve(&self.document, schema);
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            if !is_required(schema, field) {
                found.insert((name.clone(), field.clone()));
            }
            self.optional_fields(inner, &format!("{name}.{field}"), found);
        }
        if let Some(items) = schema.get("items") {
            self.optional_fields(items, name, found);
        }
        for several in ["anyOf", "oneOf", "allOf"] {
            for inner in schema[several].as_array().into_iter().flatten() {
                self.optional_fields(inner, name, found);
            }
        }
    }
}

fn name_of(schema: &Value, outer: &str) -> String {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let name = reference.and_then(|reference| reference.rsplit('/').next());
    name.unwrap_or(outer).to_owned()
}

fn is_required(schema: &Value, field: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|required| required.iter().any(|name| name == field))
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => panic!("{name} is not a type"),
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(types)) => types.iter().any(is),
        Some(name) => is(name),
    }
}

/// `2026-03-01T12:00:00Z`. The schema has no pattern for it, see `generators.rs`.
fn is_timestamp(value: &Value) -> bool {
    let form = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let text = value.as_str().unwrap_or_default();
    text.chars().map(form).collect::<String>() == "0000-00-00T00:00:00Z"
}

#[service_test]
async fn every_reply_has_its_required_fields_and_none_beyond_its_schema(app: TestApp) {
    let admin = app.admin();
    let mut schemas = Schemas {
        document: document(&app).await,
        absent: BTreeSet::new(),
    };
    let mut optional = BTreeSet::new();
    for operation in operations(&app).await {
        let responses = operation.documented["responses"].clone();
        let fixture = fixture(&operation, &app).await;
        let refused = fixture.send(&app.anonymous(), &operation).await;
        let answer = fixture.send(&admin, &operation).await;
        for answer in [refused, answer] {
            let content = &responses[answer.status.to_string()]["content"];
            let Some(media_type) = content.get("application/json") else {
                continue;
            };
            let schema = &media_type["schema"];
            schemas.optional_fields(schema, "", &mut optional);
            if let Err(fault) = schemas.check(schema, &answer.json()) {
                panic!("{}: {fault} in {answer:?}", operation.id);
            }
        }
    }
    // Every request of the walk is valid.
    let invalid = admin.post("/api/roles", json!({})).await;
    let error = json!({ "$ref": "#/components/schemas/ApiError" });
    schemas.optional_fields(&error, "", &mut optional);
    let body = invalid.error(422, "validation_failed");
    assert_eq!(schemas.check(&error, &body), Ok(()));
    let never_absent: BTreeSet<Field> = optional.difference(&schemas.absent).cloned().collect();
    let listed = ABSENT_ELSEWHERE.iter();
    let listed = listed.map(|(schema, field, _)| ((*schema).to_owned(), (*field).to_owned()));
    assert_eq!(never_absent, listed.collect());
}

#[test]
fn the_check_notices_missing_and_unknown_fields() {
    let schema = json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer" },
            "name": { "type": ["string", "null"] },
            "note": { "type": "string" },
        },
        "required": ["id", "name"],
    });
    let mut schemas = Schemas {
        document: Value::Null,
        absent: BTreeSet::new(),
    };
    let mut check = |value: Value| schemas.check(&schema, &value).is_ok();
    assert!(check(json!({ "id": 1, "name": null })));
    assert!(check(json!({ "id": 1, "name": "a", "note": "b" })));
    assert!(!check(json!({ "id": 1 })));
    assert!(!check(json!({ "id": 1, "name": null, "more": 1 })));
    assert!(!check(json!({ "id": "1", "name": null })));
    let note = (String::new(), "note".to_owned());
    assert!(schemas.absent.contains(&note));
}
