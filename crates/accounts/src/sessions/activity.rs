//! The last uses of sessions. Verifying a session must work while the database cannot be written,
//! so a use that cannot be stored at once is kept in memory and written later.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::store;
use crate::sessions::State;
use crate::users::devices;
use kernel::Result;
use kernel::types::Timestamp;

/// Uses that are not stored yet, by device: at most one per session.
#[derive(Default)]
pub struct Activity(Mutex<HashMap<i64, Timestamp>>);

impl Activity {
    fn last(&self, device_id: i64) -> Option<Timestamp> {
        self.0.lock().get(&device_id).copied()
    }

    fn keep(&self, device_id: i64, at: Timestamp) {
        self.0.lock().insert(device_id, at);
    }

    fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    fn unwritten(&self) -> Vec<(i64, Timestamp)> {
        let uses = self.0.lock();
        uses.iter().map(|(id, at)| (*id, *at)).collect()
    }

    /// Removes stored uses, unless there was a later one.
    fn forget(&self, written: &[(i64, Timestamp)]) {
        let mut uses = self.0.lock();
        for (id, at) in written {
            if uses.get(id) == Some(at) {
                uses.remove(id);
            }
        }
    }
}

/// Records that the session of a device was used now. Returns the last known use.
pub async fn record(state: &State, device_id: i64, stored: Timestamp, now: Timestamp) -> Timestamp {
    let last = state.activity.last(device_id).unwrap_or(stored).max(stored);
    if last.unix() + super::NOTED_EVERY > now.unix() {
        return last;
    }
    // If earlier uses are waiting, the database cannot be written. The attempt would be in vain:
    // the background job writes all of them.
    let waits = !state.activity.is_empty();
    state.activity.keep(device_id, now);
    if !waits {
        let uses = [(device_id, now)];
        let patience = state.kernel.limits.note_time;
        match tokio::time::timeout(patience, write(state, &uses)).await {
            Ok(Ok(())) => state.activity.forget(&uses),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the use of a session was not stored; retrying later");
            }
            Err(_) => tracing::warn!("the use of a session was not stored in time; retrying later"),
        }
    }
    now
}

/// Writes all uses that are not stored yet, in one transaction.
pub async fn write_uses(state: &State) -> Result<()> {
    let mut uses = state.activity.unwritten();
    if uses.is_empty() {
        return Ok(());
    }
    // Sorted by id: instances that write the same devices would otherwise deadlock.
    uses.sort_unstable();
    write(state, &uses).await?;
    state.activity.forget(&uses);
    Ok(())
}

async fn write(state: &State, uses: &[(i64, Timestamp)]) -> Result<()> {
    let mut tx = state.kernel.core.db.begin().await?;
    for (device_id, at) in uses {
        devices::touch(&mut tx, *device_id, *at).await?;
        store::touch(&mut tx, *device_id, *at).await?;
    }
    Ok(tx.commit().await?)
}
