//! The examples in the document: recorded from the service, committed, and compared here.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::document::{Operation, operations};
use super::fixtures::fixture;
use crate::support::{Answer, TestApp};

/// The number of items of a list, and of lines of an export after the header, in an example.
const SHOWN: usize = 2;
const REQUEST_ID: &str = "0f8a2c6e";

#[service_test]
async fn every_example_equals_the_reply_of_the_service(app: TestApp) {
    let mut recorded = Map::new();
    for operation in operations(&app).await {
        let id = operation.id.clone();
        // In a runtime of its own, with which the connections of its service end.
        let recording = move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(record(&operation))
        };
        let example = tokio::task::spawn_blocking(recording).await;
        recorded.insert(id, example.expect("recorded"));
    }
    let recorded = serde_json::to_string_pretty(&recorded).expect("JSON") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/examples.json");
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        std::fs::write(&file, &recorded).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&file).expect("src/examples.json");
    let differs = committed
        .lines()
        .zip(recorded.lines())
        .find(|(committed, recorded)| committed != recorded);
    assert!(
        committed == recorded,
        "src/examples.json is not what the service replies, first in {differs:?}: run this test \
         with UPDATE_EXAMPLES=1, then 'make openapi', and commit both"
    );
}

/// Calls the operation on a new service, so that ids and names are always the same.
async fn record(operation: &Operation) -> Value {
    let app = TestApp::start().await;
    let fixture = fixture(operation, &app).await;
    let answer = fixture.send(&app.admin(), operation).await;
    assert_eq!(answer.status.to_string(), operation.success(), "{answer:?}");
    let (media_type, reply) = reply(&answer);
    let mut example = Map::new();
    if let Some(body) = fixture.body {
        example.insert("request".into(), fixed(body));
    }
    example.insert("reply".into(), json!({ media_type: reply }));
    example.into()
}

fn reply(answer: &Answer) -> (String, Value) {
    let media_type = answer.header("content-type").split(';').next();
    let media_type = media_type.unwrap_or_default().to_owned();
    let reply = match media_type.as_str() {
        "application/json" => fixed(answer.json()),
        // The first bytes of a backup; the rest is not text.
        "application/vnd.sqlite3" => answer.text.chars().take(15).collect::<String>().into(),
        _ => {
            let lines = answer.text.lines().take(1 + SHOWN);
            let lines: Vec<String> = lines.map(without_request_ids).collect();
            (lines.join("\n") + "\n").into()
        }
    };
    (media_type, reply)
}

/// Replaces request ids, which differ from run to run, in a line of CSV.
fn without_request_ids(line: &str) -> String {
    let is_id = |cell: &str| cell.len() == 26 && cell.bytes().all(|b| b.is_ascii_alphanumeric());
    let cells = line.split(',');
    let cells = cells.map(|cell| if is_id(cell) { REQUEST_ID } else { cell });
    cells.collect::<Vec<_>>().join(",")
}

/// Masks secrets, replaces what differs from run to run, and shortens lists.
fn fixed(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let value = match name.as_str() {
                    "request_id" => REQUEST_ID.into(),
                    "latency_ms" | "duration_ms" if value.is_number() => 12.into(),
                    // The address of the tests' own provider differs from run to run.
                    "url" if value.to_string().contains("/openid/login?") => {
                        "https://steamcommunity.com/openid/login?openid.mode=checkid_setup&…".into()
                    }
                    "query" if value.to_string().contains("openid.mode") => {
                        "state=…&openid.mode=id_res&openid.claimed_id=…".into()
                    }
                    "size" if value.is_number() => 544_768.into(),
                    "counts" if value.is_object() => json!({ "roles": 3, "users": 400 }),
                    _ => fixed(value),
                };
                (name, value)
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.into_iter().take(SHOWN).map(fixed).collect(),
        Value::String(text) => masked(text).into(),
        other => other,
    }
}

/// Keys, session tokens, signing secrets and links show only what they begin with.
fn masked(text: String) -> String {
    if let Some((path, _)) = text.split_once("#token=") {
        // The port differs from run to run.
        let path = path.split_once("/console/").map_or(path, |(_, path)| path);
        return format!("https://steward.example.org/console/{path}#token=…");
    }
    let secret = ["stw_", "sts_", "stb_", "whsec_"]
        .into_iter()
        .find(|start| text.starts_with(start));
    secret.map_or(text, |start| format!("{start}…"))
}

#[service_test]
async fn every_operation_has_an_example_of_its_request_and_its_reply(app: TestApp) {
    for operation in operations(&app).await {
        let id = &operation.id;
        if operation.takes_body() {
            let body = &operation.documented["requestBody"]["content"]["application/json"];
            assert!(body["example"].is_object(), "{id}: no example of a request");
        }
        // Of several replies, the first has it.
        let replies = &operation.documented["responses"];
        let documented = ["200", "201", "202"].into_iter();
        let contents = documented.filter_map(|status| replies.get(status)?["content"].as_object());
        let media_types = contents.flat_map(|content| content.values());
        let examples = media_types.filter(|media_type| media_type.get("example").is_some());
        assert_eq!(examples.count(), 1, "{id}: no example of a reply");
    }
}
