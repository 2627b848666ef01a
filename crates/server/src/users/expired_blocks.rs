//! Blocks that have run out.

use super::store;
use crate::app::App;
use kernel::Result;

const ENDED_AT_ONCE: i64 = 200;

/// Notes that they are over. Nobody sees a difference, since reading decides by the time; but as
/// long as they are open, whoever counts users by status has to look at each.
pub async fn end_run_out_blocks(app: &App) -> Result<()> {
    let now = app.clock.now();
    loop {
        let mut tx = app.db.begin().await?;
        let blocked = store::blocks::run_out(&mut tx, now, ENDED_AT_ONCE).await?;
        if blocked.is_empty() {
            return Ok(());
        }
        store::bulk::lock(&mut tx, &blocked).await?;
        store::blocks::end_run_out(&mut tx, now, &blocked).await?;
        tx.commit().await?;
    }
}
