//! Examples of requests and replies. A test of the server records them from a running service and
//! compares them with the committed file.

use std::collections::HashMap;

use aide::openapi::{OpenApi, ReferenceOr};
use serde::Deserialize;
use serde_json::Value;

use super::parts::operations;
use super::responses::responses;

#[derive(Deserialize)]
struct Example {
    request: Option<Value>,
    /// The reply, by media type.
    #[serde(default)]
    reply: HashMap<String, Value>,
}

/// Adds the examples in `json` to the operations with their ids.
pub fn merge(document: &mut OpenApi, json: &str) {
    let mut examples: HashMap<String, Example> =
        serde_json::from_str(json).expect("the examples are well-formed");
    for (_, _, operation) in operations(document) {
        let id = operation.operation_id.as_deref().unwrap_or_default();
        let Some(mut example) = examples.remove(id) else {
            continue;
        };
        let body = operation.request_body.as_mut();
        if let Some(body) = body.and_then(ReferenceOr::as_item_mut) {
            for media_type in body.content.values_mut() {
                media_type.example = example.request.take();
            }
        }
        for (_, reply) in responses(operation).filter(|(status, _)| (200..300).contains(status)) {
            for (name, media_type) in &mut reply.content {
                media_type.example = example.reply.remove(name);
            }
        }
    }
}
