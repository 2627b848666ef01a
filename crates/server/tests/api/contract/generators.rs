//! Requirements of generated clients on the document.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::document::{all_operations, document};
use crate::support::TestApp;

type Object = Map<String, Value>;

/// Calls `check` with the path and the content of every schema of the document.
fn for_each_schema(document: &Value, check: &mut impl FnMut(&str, &Object)) {
    walk_part("", document, check);
}

fn walk_part(path: &str, part: &Value, check: &mut impl FnMut(&str, &Object)) {
    for (name, value) in named_parts(part) {
        let path = format!("{path}/{name}");
        match name.as_str() {
            "example" => {}
            "schema" => walk_schema(&path, value, check),
            "schemas" => {
                for (name, schema) in value.as_object().expect("schemas") {
                    walk_schema(&format!("{path}/{name}"), schema, check);
                }
            }
            _ => walk_part(&path, value, check),
        }
    }
}

fn walk_schema(path: &str, schema: &Value, check: &mut impl FnMut(&str, &Object)) {
    let Value::Object(schema) = schema else {
        panic!("{path}: {schema} is not a schema of OpenAPI 3.0 and 3.1");
    };
    check(path, schema);
    for (keyword, value) in schema {
        let path = format!("{path}/{keyword}");
        match keyword.as_str() {
            "items" | "not" => walk_schema(&path, value, check),
            "additionalProperties" if value.is_object() => walk_schema(&path, value, check),
            "properties" | "allOf" | "anyOf" | "oneOf" => {
                for (name, schema) in named_parts(value) {
                    walk_schema(&format!("{path}/{name}"), schema, check);
                }
            }
            _ => {}
        }
    }
}

/// The parts of an object or a list.
fn named_parts(part: &Value) -> Vec<(String, &Value)> {
    match part {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, part)| (name.clone(), part))
            .collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(i, part)| (i.to_string(), part)).collect()
        }
        _ => Vec::new(),
    }
}

#[service_test]
async fn schemas_have_only_what_generators_understand(app: TestApp) {
    let mut count = 0;
    for_each_schema(&document(&app).await, &mut |path, schema| {
        count += 1;
        let has = |keyword: &str| schema.contains_key(keyword);
        // PHP and C# apply the pattern to their own type for dates.
        assert!(
            schema.get("format") != Some(&"date-time".into()) || !has("pattern"),
            "{path}"
        );
        // TypeScript and Python make a type of each alternative.
        assert!(!has("oneOf"), "{path}: oneOf");
        assert!(!has("anyOf") || !has("type"), "{path}: type beside anyOf");
        if let Some(Value::Array(types)) = schema.get("type") {
            let types: Vec<&Value> = types.iter().filter(|name| *name != "null").collect();
            assert_eq!(types.len(), 1, "{path}: {types:?}");
            assert!(types[0] != "array" || has("items"), "{path}: no items");
        }
        assert!(
            schema.get("type") != Some(&"array".into()) || has("items"),
            "{path}: no items"
        );
        assert_ne!(
            schema.get("required"),
            Some(&Value::Array(Vec::new())),
            "{path}"
        );
    });
    assert!(count > 500, "{count} schemas");
}

#[service_test]
async fn names_of_schemas_are_distinct_and_say_what_they_name(app: TestApp) {
    let document = document(&app).await;
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    let mut seen = BTreeSet::new();
    for (name, schema) in schemas {
        assert!(seen.insert(name.to_lowercase()), "{name} twice");
        assert!(
            !name.ends_with(|c: char| c.is_ascii_digit()),
            "{name} was taken"
        );
        // Names that languages have themselves, and words that fit more than one resource.
        let is_vague = [
            "Error", "Status", "Message", "Block", "Item", "Stats", "Failure",
        ];
        assert!(!is_vague.contains(&name.as_str()), "{name}");
        let fields = schema["properties"].as_object();
        if let Some([only]) = fields.map(|all| all.keys().collect::<Vec<_>>()).as_deref() {
            // A module and a class of one name hide each other in Python.
            assert_ne!(
                only.replace('_', ""),
                name.to_lowercase(),
                "named as its only field"
            );
        }
    }
    for name in ["ApiError", "ErrorCode", "PageBlock", "UserBlock"] {
        assert!(schemas.contains_key(name), "{name}");
    }
}

#[service_test]
async fn cursors_are_text_in_every_list(app: TestApp) {
    let mut lists = 0;
    for operation in all_operations(&app).await {
        let parameters = operation.documented["parameters"].as_array();
        for parameter in parameters.into_iter().flatten() {
            if parameter["name"] == "after" {
                let text = serde_json::json!({ "type": "string" });
                assert_eq!(parameter["schema"], text, "{}", operation.id);
                lists += 1;
            }
        }
    }
    assert!(lists > 10, "{lists} lists");
}

#[service_test]
async fn ids_have_one_type_in_requests_and_replies(app: TestApp) {
    let document = document(&app).await;
    let mut ids = 0;
    let mut check = |path: &str, schema: &Value| {
        let is_integer = match &schema["type"] {
            Value::Array(types) => types.contains(&"integer".into()),
            name => name == "integer",
        };
        if is_integer {
            // The entry of a change of many resources has no id.
            let least = if path.ends_with("AuditEntry/properties/resource_id") {
                0
            } else {
                1
            };
            assert_eq!(schema["format"], "int64", "{path}");
            assert_eq!(schema["minimum"], least, "{path}");
            ids += 1;
        }
    };
    let is_id = |name: &str| name == "id" || name.ends_with("_id");
    for_each_schema(&document, &mut |path, schema| {
        let fields = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            let path = format!("{path}/properties/{name}");
            if is_id(name) {
                check(&path, field);
            } else if name == "ids" || name == "role_ids" || name == "permission_ids" {
                check(&path, &field["items"]);
            }
        }
    });
    for operation in all_operations(&app).await {
        let parameters = operation.documented["parameters"].as_array();
        for parameter in parameters.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            // The audit log can be searched for changes of many resources.
            if parameter["in"] == "path" || is_id(name) && name != "resource_id" {
                check(&format!("{} {name}", operation.id), &parameter["schema"]);
            }
        }
    }
    assert!(ids > 100, "{ids} ids");
}

#[service_test]
async fn every_tag_has_a_description_and_there_is_a_server(app: TestApp) {
    let document = document(&app).await;
    assert_eq!(document["servers"][0]["url"], "/");
    let tags = document["tags"].as_array().expect("tags");
    let described: BTreeMap<&str, &str> = tags
        .iter()
        .filter_map(|tag| Some((tag["name"].as_str()?, tag["description"].as_str()?)))
        .collect();
    assert!(described.values().all(|text| text.ends_with('.')));
    let operations = all_operations(&app).await;
    let used = operations
        .iter()
        .flat_map(|operation| operation.documented["tags"].as_array());
    let used: BTreeSet<&str> = used.flatten().filter_map(Value::as_str).collect();
    assert_eq!(used, described.keys().copied().collect());
}

/// The codes in a column of the table in docs/api-design.md that has this head.
fn codes_in_the_documentation(head: &str, column: usize) -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api-design.md");
    let text = std::fs::read_to_string(file).expect("docs/api-design.md");
    let (_, table) = text.split_once(head).expect("the table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(column));
    cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned))
        .collect()
}

/// Their type keeps other codes from being sent; this compares the lists of them.
#[service_test]
async fn all_codes_of_errors_are_documented(app: TestApp) {
    let document = document(&app).await;
    let schemas = &document["components"]["schemas"];
    let code = &schemas["ApiError"]["properties"]["code"];
    assert_eq!(code["$ref"], "#/components/schemas/ErrorCode");
    let documented = codes_in_the_documentation("| status | code | meaning |", 2);
    assert_eq!(codes_of(&schemas["ErrorCode"]), documented);
}

fn codes_of(schema: &Value) -> BTreeSet<String> {
    let codes = schema["enum"].as_array().expect("a list of codes");
    let codes = codes.iter().filter_map(Value::as_str);
    codes.map(str::to_owned).collect()
}

/// The same for the codes of faults. Their schema describes each, with its parameters.
#[service_test]
async fn all_codes_of_faults_are_documented(app: TestApp) {
    let document = document(&app).await;
    let schemas = &document["components"]["schemas"];
    let faults = &schemas["ApiError"]["properties"]["faults"]["items"];
    assert_eq!(faults["$ref"], "#/components/schemas/ApiFault");
    let fields = &schemas["ApiFault"]["properties"];
    assert_eq!(fields["code"]["$ref"], "#/components/schemas/FaultCode");
    assert_eq!(fields["params"]["$ref"], "#/components/schemas/FaultParams");

    let codes = codes_of(&schemas["FaultCode"]);
    assert!(codes.len() > 50, "{}", codes.len());
    let documented = codes_in_the_documentation("| code of a fault | parameters | meaning |", 1);
    assert_eq!(codes, documented);
    let description = schemas["FaultCode"]["description"].as_str();
    let mut lines = description.expect("a description").lines().skip(2);
    for code in schemas["FaultCode"]["enum"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let code = code.as_str().expect("a code");
        let line = lines.next().expect(code);
        assert!(line.starts_with(&format!("- `{code}`")), "{line}");
        let (head, text) = line.split_once(": ").expect(line);
        assert!(text.ends_with('.'), "{line}");
        for param in head.split('`').skip(3).step_by(2) {
            let known = &schemas["FaultParams"]["properties"][param];
            assert!(known.is_object(), "{param} of {code}");
        }
    }
    assert_eq!(lines.next(), None);
}

/// The keywords of a schema in OpenAPI 3.0 that the document uses.
const KEYWORDS_3_0: [&str; 23] = [
    "additionalProperties",
    "allOf",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "pattern",
    "properties",
    "required",
    "type",
    "writeOnly",
];

#[service_test]
async fn the_older_document_is_openapi_3_0(app: TestApp) {
    let older = app.anonymous().get("/openapi-3.0.json").await.ok();
    assert_eq!(older["openapi"], "3.0.3");
    for (part, allowed) in [
        (
            &older,
            &["openapi", "info", "servers", "paths", "components", "tags"][..],
        ),
        (
            &older["info"],
            &[
                "title",
                "description",
                "license",
                "version",
                "x-program-version",
            ],
        ),
        (&older["info"]["license"], &["name", "url"]),
        (
            &older["components"],
            &[
                "schemas",
                "responses",
                "parameters",
                "headers",
                "securitySchemes",
            ],
        ),
    ] {
        for field in part.as_object().expect("an object").keys() {
            assert!(allowed.contains(&field.as_str()), "{field}");
        }
    }
    for_each_schema(&older, &mut |path, schema| {
        if schema.contains_key("$ref") {
            assert_eq!(schema.len(), 1, "{path}: beside a reference");
            return;
        }
        for keyword in schema.keys() {
            assert!(
                KEYWORDS_3_0.contains(&keyword.as_str()),
                "{path}: {keyword}"
            );
        }
        let is = |keyword: &str, fits: fn(&Value) -> bool| schema.get(keyword).is_none_or(fits);
        assert!(is("type", Value::is_string), "{path}: type");
        assert!(
            is("exclusiveMinimum", Value::is_boolean),
            "{path}: exclusiveMinimum"
        );
        assert!(is("nullable", Value::is_boolean), "{path}: nullable");
    });
    for (path, item) in older["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            for scopes in named_parts(&operation["security"])
                .into_iter()
                .flat_map(|(_, it)| named_parts(it))
            {
                assert_eq!(scopes.1, &serde_json::json!([]), "{method} {path}");
            }
        }
    }
}

#[service_test]
async fn the_older_document_has_the_same_operations_and_fields(app: TestApp) {
    let older = app.anonymous().get("/openapi-3.0.json").await.ok();
    let document = document(&app).await;
    let operations = |document: &Value| {
        let mut found = BTreeSet::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("methods") {
                let statuses = operation["responses"].as_object().expect("responses");
                let statuses: Vec<&String> = statuses.keys().collect();
                let count = operation["parameters"].as_array().map(Vec::len);
                let id = &operation["operationId"];
                found.insert(format!("{method} {path} {id} {statuses:?} {count:?}"));
            }
        }
        found
    };
    let fields = |document: &Value| {
        let mut found = BTreeMap::new();
        for (name, schema) in document["components"]["schemas"]
            .as_object()
            .expect("schemas")
        {
            let names = schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys);
            let names: Vec<String> = names.cloned().collect();
            found.insert(
                name.clone(),
                (names, schema["required"].clone(), is_nullable(schema)),
            );
        }
        found
    };
    assert_eq!(fields(&older), fields(&document));
    assert_eq!(operations(&older), operations(&document));
}

/// The fields of a schema that can be null, in either version.
fn is_nullable(schema: &Value) -> Vec<String> {
    let null = serde_json::json!({ "type": "null" });
    let fields = schema["properties"].as_object().into_iter().flatten();
    let nullable = fields.filter(|(_, field)| {
        let types = field["type"].as_array();
        let alternatives = field["anyOf"].as_array();
        field["nullable"] == true
            || types.is_some_and(|types| types.contains(&"null".into()))
            || alternatives.is_some_and(|all| all.contains(&null))
    });
    nullable.map(|(name, _)| name.clone()).collect()
}
