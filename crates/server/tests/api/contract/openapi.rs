//! The OpenAPI document: complete, consistent with the routes, and equal to the committed file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use reqwest::Method;
use serde_json::Value;

use super::document::{Operation, document, operations};
use super::fixtures::fixture;
use crate::support::TestApp;

fn responses(operation: &Operation) -> BTreeSet<u16> {
    let responses = operation.documented["responses"].as_object();
    let codes = responses.expect("responses").keys();
    codes.filter_map(|code| code.parse().ok()).collect()
}

fn parameters<'a>(operation: &'a Operation, place: &str) -> BTreeSet<&'a str> {
    let parameters = operation.documented["parameters"].as_array();
    let here = parameters.into_iter().flatten();
    here.filter(|parameter| parameter["in"] == place)
        .filter_map(|parameter| parameter["name"].as_str())
        .collect()
}

#[service_test]
async fn every_operation_is_documented_in_full(app: TestApp) {
    let mut ids = BTreeSet::new();
    for operation in operations(&app).await {
        let id = &operation.id;
        assert!(ids.insert(id.clone()), "{id} twice");
        for text in [
            &operation.documented["summary"],
            &operation.documented["tags"][0],
        ] {
            let text = text.as_str().unwrap_or_default();
            assert!(!text.trim().is_empty(), "{id}: summary and tag");
        }
        let codes = responses(&operation);
        let successes: Vec<&u16> = codes.iter().filter(|code| **code < 300).collect();
        // A write that creates what does not exist has two, and so has one with a dry run.
        let may_create = [
            "setOperator",
            "setUserRole",
            "extendUserRole",
            "finishSignIn",
            "setDiscord",
            "repairDiscord",
        ]
        .contains(&id.as_str());
        let expected = if may_create { 2 } else { 1 };
        assert_eq!(successes.len(), expected, "{id}: {codes:?}");
        let mut expected = BTreeSet::from([401, 429, 500, 503]);
        if !operation.needs().is_empty() {
            expected.insert(403);
        }
        if operation.has_target() {
            expected.insert(404);
        }
        if operation.is_conditional() {
            expected.insert(412);
        }
        if operation.writes() || operation.takes_body() {
            expected.insert(422);
        }
        if operation.takes_body() {
            expected.extend([408, 413, 415]);
        }
        assert!(
            codes.is_superset(&expected),
            "{id}: {codes:?}, not {expected:?}"
        );

        let mut placeholders: BTreeSet<&str> = operation.placeholders().into_iter().collect();
        if operation.path.contains("{provider}") {
            placeholders.insert("provider");
        }
        assert_eq!(parameters(&operation, "path"), placeholders, "{id}");
        let headers = parameters(&operation, "header");
        let only_asks = fixture(&operation, &app).await.action.is_empty();
        assert_eq!(headers.contains("Idempotency-Key"), !only_asks, "{id}");
        assert!(operation.writes() || ["GET", "POST"].contains(&operation.method.as_str()));
        let conditional = operation.is_conditional();
        assert_eq!(headers.contains("If-Match"), conditional, "{id}");
    }
}

#[service_test]
async fn every_reference_resolves(app: TestApp) {
    let document = app.anonymous().get("/openapi.json").await.ok();
    let mut seen = 0;
    resolve(&document, &document, &mut seen);
    assert!(seen > 0, "there are references");
}

#[service_test]
async fn repeated_parts_are_references_to_components(app: TestApp) {
    let document = document(&app).await;
    let is_reference = |part: &Value| part.get("$ref").is_some();
    let items = document["paths"].as_object().expect("paths").values();
    for operation in items.flat_map(|item| item.as_object().expect("methods").values()) {
        let id = &operation["operationId"];
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(
                is_reference(parameter) || parameter["in"] == "query",
                "{id}: {parameter}"
            );
        }
        for (status, response) in operation["responses"].as_object().expect("responses") {
            let is_success = status.starts_with('2');
            assert_ne!(is_success, is_reference(response), "{id}: {status}");
            let headers = response["headers"].as_object().into_iter().flatten();
            for (name, header) in headers {
                assert!(is_reference(header), "{id}: {status} {name}");
            }
        }
    }
}

fn resolve(document: &Value, part: &Value, seen: &mut usize) {
    if let Some(reference) = part.get("$ref").and_then(Value::as_str) {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference}");
        *seen += 1;
    }
    match part {
        Value::Object(fields) => fields
            .values()
            .for_each(|part| resolve(document, part, seen)),
        Value::Array(items) => items.iter().for_each(|part| resolve(document, part, seen)),
        _ => {}
    }
}

#[service_test]
async fn undocumented_methods_give_405_and_options_204(app: TestApp) {
    let mut methods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for operation in operations(&app).await {
        let ids = vec![1; operation.placeholders().len()];
        let known = methods.entry(operation.path_to(&ids)).or_default();
        known.insert(operation.method.to_string());
        if operation.method == Method::GET {
            known.insert("HEAD".into());
        }
    }
    let all = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW",
    ];
    for (path, known) in methods {
        for method in all.iter().filter(|method| !known.contains(**method)) {
            let method: Method = method.parse().expect("a method");
            let answer = app.anonymous().send(method.clone(), &path, None).await;
            let status = if method == Method::OPTIONS { 204 } else { 405 };
            assert_eq!(answer.status, status, "{method} {path}");
            if ![Method::HEAD, Method::OPTIONS].contains(&method) {
                answer.error(405, "method_not_allowed");
            }
            let allowed = answer
                .header("allow")
                .split(',')
                .map(|name| name.trim().to_owned());
            assert_eq!(allowed.collect::<BTreeSet<_>>(), known, "{method} {path}");
        }
    }
}

#[test]
fn the_committed_documents_are_what_the_code_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, generated) in [
        ("openapi.json", server::openapi::document()),
        ("openapi-3.0.json", server::openapi::document_3_0()),
        ("crates/server/docs.html", server::openapi::page()),
    ] {
        let committed = std::fs::read_to_string(root.join(name)).expect(name);
        assert!(
            committed == generated,
            "{name} is not what the code says: run 'make openapi' and commit it"
        );
    }
}

#[service_test]
async fn the_served_documents_are_the_committed_files(app: TestApp) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, name) in [
        ("/openapi.json", "openapi.json"),
        ("/openapi-3.0.json", "openapi-3.0.json"),
        ("/docs", "crates/server/docs.html"),
    ] {
        let committed = std::fs::read_to_string(root.join(name)).expect(name);
        let served = app.anonymous().get(path).await;
        assert!(served.text == committed, "{path} is not {name}");
    }
}
