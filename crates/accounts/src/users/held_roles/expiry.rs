//! The background job that ends expired roles. Readers compare the end of a role with the clock, so
//! the job only tidies up, and writes the history and the events.

use crate::roles::held;
use crate::users::store::lock_many;
use kernel::write::Edit;
use kernel::{Core, Result};

/// How many are ended in one transaction; few, so that other writes wait only briefly.
const AT_ONCE: i64 = 20;

/// Ends all expired roles. Several instances may do this at the same time: each end is one event.
pub async fn end_expired_roles(core: &Core) -> Result<()> {
    // A clock that jumps ahead ends nothing.
    let now = core.retention_now();
    loop {
        let mut read = core.db.read().await?;
        let mut users = held::expired_users(&mut read, now, AT_ONCE).await?;
        drop(read);
        if users.is_empty() {
            return Ok(());
        }
        users.sort_unstable();
        users.dedup();
        let mut edit = Edit::maintenance(core).await?;
        lock_many(&mut edit, &users).await?;
        let entries = held::end_expired(&mut edit, now, &users).await?;
        edit.commit_as_system(&entries).await?;
    }
}
