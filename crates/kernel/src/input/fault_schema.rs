//! The schema of faults in the OpenAPI document, made from that of [`Fault`]: a closed list of
//! codes, and one object with the parameters of all of them. Generated clients turn a schema for
//! each code into types that are hard to use.

use std::borrow::Cow;
use std::fmt::Write;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::{Fault, ListedFault};

impl JsonSchema for ListedFault {
    fn schema_name() -> Cow<'static, str> {
        "ApiFault".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One fault of a request, for programs.",
            "type": "object",
            "properties": {
                "field": {
                    "description": "The name of the field; a dotted path if it is nested.",
                    "type": "string",
                },
                "code": generator.subschema_for::<FaultCode>(),
                "params": generator.subschema_for::<FaultParams>(),
            },
            "required": ["field", "code", "params"],
        })
    }
}

struct FaultCode;

impl JsonSchema for FaultCode {
    fn schema_name() -> Cow<'static, str> {
        "FaultCode".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = kinds(generator);
        let codes: Vec<&str> = kinds.iter().map(|kind| kind.code.as_str()).collect();
        let mut description = "The code of a fault, with its parameters:\n".to_owned();
        for Kind {
            code,
            description: text,
            params,
        } in &kinds
        {
            let names: Vec<String> = params.keys().map(|name| format!("`{name}`")).collect();
            let names = match names.is_empty() {
                true => String::new(),
                false => format!(" ({})", names.join(", ")),
            };
            // Writing to a string cannot fail.
            let _ = write!(description, "\n- `{code}`{names}: {text}");
        }
        json_schema!({ "description": description, "type": "string", "enum": codes })
    }
}

struct FaultParams;

impl JsonSchema for FaultParams {
    fn schema_name() -> Cow<'static, str> {
        "FaultParams".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let params = kinds(generator).into_iter().flat_map(|kind| kind.params);
        let properties: Map<String, Value> = params.collect();
        json_schema!({
            "description": "The parameters of a fault. Its code tells which of them there are.",
            "type": "object",
            "properties": properties,
        })
    }
}

/// A variant of [`Fault`].
struct Kind {
    code: String,
    description: String,
    params: Map<String, Value>,
}

/// All variants, as the derived schema of [`Fault`] describes them.
fn kinds(generator: &mut SchemaGenerator) -> Vec<Kind> {
    let schema = Fault::json_schema(generator).to_value();
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().replace('\n', " ");
    variants
        .map(|variant| Kind {
            code: text(&variant["properties"]["code"]["const"]),
            description: text(&variant["description"]),
            params: match &variant["properties"]["params"]["properties"] {
                Value::Object(params) => params.clone(),
                _ => Map::new(),
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_code_and_every_parameter_is_described() {
        let mut generator = SchemaGenerator::default();
        let mut schemas: HashMap<String, Value> = HashMap::new();
        let kinds = kinds(&mut generator);
        assert!(kinds.len() > 50, "{}", kinds.len());
        for kind in kinds {
            assert!(!kind.code.is_empty());
            assert!(kind.description.ends_with('.'), "{}", kind.code);
            // A parameter has one type, whatever the code.
            for (name, schema) in kind.params {
                let known = schemas.entry(name.clone()).or_insert(schema.clone());
                assert_eq!(*known, schema, "{} of {}", name, kind.code);
                assert!(schema.get("type").is_some(), "{name}: {schema}");
            }
        }
    }
}
