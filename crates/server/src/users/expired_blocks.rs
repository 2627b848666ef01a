//! Expired blocks.

use super::store;
use crate::app::App;
use kernel::Result;

const CLEARED_AT_ONCE: i64 = 200;

/// Removes expired blocks from the users. Nothing else changes: readers compare a block with the
/// clock. But every total of active or blocked users counts the expired blocks, so there should be
/// few of them.
pub async fn clear_expired_blocks(app: &App) -> Result<()> {
    let now = app.retention_now();
    loop {
        let mut tx = app.db.begin().await?;
        let expired = store::blocks::expired(&mut tx, now, CLEARED_AT_ONCE).await?;
        if expired.is_empty() {
            return Ok(());
        }
        store::bulk::lock(&mut tx, &expired).await?;
        store::blocks::clear_expired(&mut tx, now, &expired).await?;
        tx.commit().await?;
    }
}
