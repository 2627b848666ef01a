//! Inserts audit entries.

use db::{Result, Tx, params};

use super::{Entry, Fields};
use crate::auth::Actor;
use crate::types::Timestamp;

pub async fn insert(tx: &mut Tx, actor: &Actor, now: Timestamp, entry: &Entry) -> Result<()> {
    let ip = actor.ip.map(|ip| ip.to_string());
    let text = |fields: &Fields| serde_json::to_string(fields).expect("fields serialise");
    tx.execute(
        "INSERT INTO audit_log (at, key_id, key_name, request_id, ip, action, resource,
                                resource_id, before, after)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            now,
            actor.key_id,
            &actor.key_name,
            &actor.request_id,
            ip.as_deref(),
            &entry.action,
            entry.resource,
            entry.resource_id,
            &text(&entry.before),
            &text(&entry.after),
        ],
    )
    .await?;
    Ok(())
}
