//! What can be asked of a key beyond its permissions: until when, from where, how often.

mod escalation;
mod origin;
mod rate;
mod restrictions;
mod rotation;
mod uses;

use serde_json::Value;

use crate::support::{Answer, Client};

/// Changes the restrictions of a key.
async fn restrict(client: &Client, id: i64, changes: Value) -> Answer {
    let path = format!("/api/api-keys/{id}/restrictions");
    client.put(&path, changes).await
}

/// The restrictions of a key, as everybody who may can read them.
async fn restrictions(client: &Client, id: i64) -> Value {
    let path = format!("/api/api-keys/{id}/restrictions");
    client.get(&path).await.ok()["restrictions"].take()
}

/// The value that a reply has just made.
fn value(reply: &Value) -> &str {
    reply["api_key"]["key"].as_str().expect("a value")
}
