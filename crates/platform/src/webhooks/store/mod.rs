//! SQL of webhooks.

pub mod deliveries;
pub mod queue;

use db::{Conn, Result, Row, Tx, params};

use super::resource::{Previous, Progress, Secrets};
use super::{Format, Patterns, ReceiverUrl, Webhook};
use crate::audit::events::EventActor;
use kernel::auth::permission::PermissionSet;
use kernel::list::Window;
use kernel::secret::Secret;
use kernel::types::Timestamp;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, url, events, format, active, secret, previous_secret, \
             previous_until, position, last_event, failing_since, created_at, updated_at, \
             paused_until, saved_by_key, saved_by_user, saved_by_name, permissions \
             FROM webhooks WHERE deleted_at IS NULL AND ",
            $rest
        )
    };
}
use select;

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Webhook>> {
    conn.query(
        select!("id > $1 ORDER BY id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        webhook,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM webhooks WHERE deleted_at IS NULL";
    conn.query_one(sql, &[], |row| row.get(0)).await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Webhook>> {
    conn.query_opt(select!("id = $1"), params![id], webhook)
        .await
}

fn webhook(row: &Row<'_>) -> Result<Webhook> {
    let events: String = row.get(3)?;
    let format: String = row.get(4)?;
    let previous: Option<Vec<u8>> = row.get(7)?;
    let until: Option<i64> = row.get(8)?;
    let failing_since: Option<i64> = row.get(11)?;
    let saver = EventActor::of_stored(row.get(15)?, row.get(16)?, row.get(17)?);
    Ok(Webhook {
        id: row.get(0)?,
        name: row.get(1)?,
        url: ReceiverUrl::from_stored(row.get(2)?),
        events: Patterns::from_stored(&events),
        format: Format::from_stored(&format).unwrap_or_default(),
        active: row.get(5)?,
        saved_by: saver.into(),
        permissions: PermissionSet::from_bits(row.get(18)?),
        secrets: Secrets {
            current: Secret::new(row.get(6)?),
            previous: previous.zip(until).map(|(secret, until)| Previous {
                secret: Secret::new(secret),
                until: Timestamp::from_unix(until),
            }),
        },
        progress: Progress {
            position: row.get(9)?,
            last_event: row.get(10)?,
            failing_since: failing_since.map(Timestamp::from_unix),
            paused_until: row.get(14)?,
        },
        created_at: Timestamp::from_unix(row.get(12)?),
        updated_at: Timestamp::from_unix(row.get(13)?),
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM webhooks WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, webhook: &Webhook) -> Result<i64> {
    tx.insert(
        "INSERT INTO webhooks (name, url, events, format, active, secret, position, last_event,
                               created_at, updated_at, saved_by_key, saved_by_user, saved_by_name,
                               permissions)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id",
        params![
            &webhook.name,
            webhook.url.as_str(),
            &webhook.events.to_stored(),
            webhook.format.as_str(),
            webhook.active,
            webhook.secrets.current.reveal(),
            webhook.progress.position,
            webhook.progress.last_event,
            webhook.created_at,
            webhook.updated_at,
            webhook.saved_by.key_id(),
            webhook.saved_by.user_id(),
            &webhook.saved_by.name,
            webhook.permissions.to_bits(),
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    let previous = webhook.secrets.previous.as_ref();
    tx.execute(
        "UPDATE webhooks
         SET name = $2, url = $3, events = $4, format = $5, active = $6, secret = $7,
             previous_secret = $8, previous_until = $9, position = $10, last_event = $11,
             failing_since = $12, updated_at = $13, paused_until = $14, saved_by_key = $15,
             saved_by_user = $16, saved_by_name = $17, permissions = $18
         WHERE id = $1",
        params![
            webhook.id,
            &webhook.name,
            webhook.url.as_str(),
            &webhook.events.to_stored(),
            webhook.format.as_str(),
            webhook.active,
            webhook.secrets.current.reveal(),
            previous.map(|previous| previous.secret.reveal()),
            previous.map(|previous| previous.until),
            webhook.progress.position,
            webhook.progress.last_event,
            webhook.progress.failing_since,
            webhook.updated_at,
            webhook.progress.paused_until,
            webhook.saved_by.key_id(),
            webhook.saved_by.user_id(),
            &webhook.saved_by.name,
            webhook.permissions.to_bits(),
        ],
    )
    .await?;
    Ok(())
}

/// Marks a webhook as deleted. Its secrets are deleted at once.
pub async fn mark_deleted(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE webhooks
         SET deleted_at = $2, active = $3, secret = $4, previous_secret = NULL
         WHERE id = $1",
        params![id, now, false, &[0_u8; 0]],
    )
    .await?;
    Ok(())
}

/// The ids of all webhooks, or of those marked as deleted.
pub async fn ids(conn: &mut Conn, deleted_only: bool) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM webhooks WHERE NOT $1 OR deleted_at IS NOT NULL ORDER BY id",
        params![deleted_only],
        |row| row.get(0),
    )
    .await
}

/// Deletes webhooks marked as deleted that have no deliveries left.
pub async fn delete_empty(tx: &mut Tx) -> Result<()> {
    tx.execute(
        "DELETE FROM webhooks WHERE deleted_at IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM webhook_deliveries WHERE webhook_id = webhooks.id)",
        &[],
    )
    .await?;
    Ok(())
}

/// Masks the name of an erased user who saved webhooks.
pub async fn mask_saver(tx: &mut Tx, user_id: i64, mask: &str) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET saved_by_name = $2 WHERE saved_by_user = $1",
        params![user_id, mask],
    )
    .await?;
    Ok(())
}

/// The id of a webhook, its current secret and its previous one.
type Sealed = (i64, Vec<u8>, Option<Vec<u8>>);

pub async fn secrets(tx: &mut Tx) -> Result<Vec<Sealed>> {
    tx.lock("SELECT 1 FROM webhooks ORDER BY id FOR UPDATE", &[])
        .await?;
    tx.query(
        "SELECT id, secret, previous_secret FROM webhooks WHERE LENGTH(secret) > 0 ORDER BY id",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
    .await
}

pub async fn set_secrets(
    tx: &mut Tx,
    id: i64,
    current: &[u8],
    previous: Option<&[u8]>,
) -> Result<()> {
    tx.execute(
        "UPDATE webhooks SET secret = $2, previous_secret = $3 WHERE id = $1",
        params![id, current, previous],
    )
    .await?;
    Ok(())
}

/// Removes every secret and disables all webhooks, since nothing can be signed. Returns the number
/// of secrets.
pub async fn forget_secrets(tx: &mut Tx) -> Result<u64> {
    tx.execute(
        "UPDATE webhooks
         SET secret = $1, previous_secret = NULL, previous_until = NULL, active = $2,
             last_event = CASE WHEN active THEN position ELSE last_event END
         WHERE LENGTH(secret) > 0",
        params![&[0_u8; 0], false],
    )
    .await
}
