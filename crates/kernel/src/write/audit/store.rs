//! Inserts audit entries.

use db::{Result, Tx, params};

use super::Entry;
use crate::auth::{Actor, TOPIC};
use crate::types::Timestamp;

/// Returns the last announcement of a change of API keys, which the write is checked against.
pub async fn insert(tx: &mut Tx, actor: &Actor, now: Timestamp, entry: &Entry) -> Result<i64> {
    let ip = actor.ip.map(|ip| ip.to_string());
    tx.insert_returning_announcement(
        "INSERT INTO audit_log (at, key_id, key_name, request_id, client_request_id, ip,
                                action, resource, resource_id, before, after, user_id,
                                user_name)
         VALUES ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         RETURNING (SELECT (generation >> 1) + counter FROM changes WHERE topic = $1)",
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
        ],
        TOPIC,
    )
    .await
}
