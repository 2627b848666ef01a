//! Inserts audit entries.

use db::{Result, Tx, Value, params};

use super::Entry;
use crate::auth::{Actor, TOPIC};
use crate::types::Timestamp;

/// Inserts an entry. Returns the last announced change of API keys, to check the write against.
pub async fn insert(tx: &mut Tx, actor: &Actor, now: Timestamp, entry: &Entry) -> Result<i64> {
    let ip = actor.ip.map(|ip| ip.to_string());
    tx.insert_returning_announcement(
        "INSERT INTO audit_log (at, key_id, key_name, request_id, client_request_id, ip,
                                action, resource, resource_id, before, after, user_id,
                                user_name, about_user_id)
         VALUES ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         RETURNING (SELECT generation FROM changes WHERE topic = $1)",
        params![
            TOPIC,
            now,
            actor.key_id,
            &actor.key_name,
            &actor.request_id,
            actor.client_request_id.as_deref(),
            ip.as_deref(),
            &entry.action,
            entry.resource,
            entry.resource_id,
            entry.before.text(),
            entry.after.text(),
            actor.user_id,
            actor.user_name.as_deref(),
            entry.about_user_id,
        ],
        TOPIC,
    )
    .await
}

/// Inserts entries of an actor without a key, an address or a user.
pub async fn insert_many(
    tx: &mut Tx,
    actor: &Actor,
    now: Timestamp,
    entries: &[Entry],
) -> Result<()> {
    let columns = [
        "at",
        "key_name",
        "request_id",
        "action",
        "resource",
        "resource_id",
        "before",
        "after",
    ];
    let rows = entries.iter().map(|entry| {
        [
            now.into(),
            Value::from(&actor.key_name),
            Value::from(&actor.request_id),
            Value::from(&entry.action),
            entry.resource.into(),
            entry.resource_id.into(),
            entry.before.text().into(),
            entry.after.text().into(),
        ]
    });
    tx.load("audit_log", columns, rows).await
}
