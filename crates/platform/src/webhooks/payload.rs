//! The body in the format `standard`: the event, with the changed values.

use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{Format, discord};
use crate::audit::Entry;
use crate::audit::events::EventActor;
use kernel::types::Timestamp;

/// The body of a request, by the Standard Webhooks specification.
#[derive(Serialize)]
struct Payload<'a> {
    r#type: &'a str,
    timestamp: Timestamp,
    data: Data<'a>,
}

/// The event as in `/api/events`, with the values before and after.
#[derive(Serialize)]
struct Data<'a> {
    id: i64,
    at: Timestamp,
    action: &'a str,
    resource: &'a str,
    resource_id: i64,
    actor: EventActor,
    before: &'a RawValue,
    after: &'a RawValue,
}

/// Renders the request body for this audit entry.
pub fn render(format: Format, entry: &Entry) -> Vec<u8> {
    let actor = EventActor::of_entry(entry);
    match format {
        Format::Discord => discord::render(entry, &actor),
        Format::Standard => standard(entry, actor),
    }
}

fn standard(entry: &Entry, actor: EventActor) -> Vec<u8> {
    let payload = Payload {
        r#type: &entry.action,
        timestamp: entry.at,
        data: Data {
            id: entry.id,
            at: entry.at,
            action: &entry.action,
            resource: &entry.resource,
            resource_id: entry.resource_id,
            actor,
            before: &entry.before,
            after: &entry.after,
        },
    };
    serde_json::to_vec(&payload).expect("an entry serialises")
}

/// The id of a message: the same for all attempts, and unique for each event and webhook. It
/// depends on the id of the request, because ids of entries can be reused after a restore.
pub fn message_id(webhook_id: i64, entry: &Entry) -> String {
    let text = format!(
        "{webhook_id} {} {} {}",
        entry.id, entry.at, entry.request_id
    );
    let hash = Sha256::digest(text.as_bytes());
    let digits: String = hash[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("msg_{digits}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_event_of_an_operator_names_the_operator() {
        let nothing = || RawValue::from_string("{}".into()).expect("JSON");
        let entry = Entry {
            id: 1,
            at: Timestamp::from_unix(1_772_366_400),
            key_id: None,
            key_name: "operator".into(),
            user_id: Some(7),
            user_name: Some("anna".into()),
            request_id: String::new(),
            ip: None,
            action: "users.update".into(),
            resource: "users".into(),
            resource_id: 3,
            before: nothing(),
            after: nothing(),
        };
        let body: Value = serde_json::from_slice(&render(Format::Standard, &entry)).expect("JSON");
        let actor = json!({ "kind": "operator", "id": 7, "name": "anna" });
        assert_eq!(body["data"]["actor"], actor);
    }
}
