//! When sessions were last used. Verifying a session must work while the database cannot be
//! written, so a use that cannot be stored at once is kept in memory and written later.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use super::store;
use crate::app::App;
use crate::users::devices;
use kernel::Result;
use kernel::types::Timestamp;

/// How long a verification waits for its use to be stored.
const PATIENCE: Duration = Duration::from_millis(250);

/// Uses that are not stored yet, by device. There are at most as many as sessions.
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

    /// Forgets uses that are stored, unless there was a later one.
    fn forget(&self, written: &[(i64, Timestamp)]) {
        let mut uses = self.0.lock();
        for (id, at) in written {
            if uses.get(id) == Some(at) {
                uses.remove(id);
            }
        }
    }
}

/// Stores that the session of a device was used now. Returns the last use that is known.
pub async fn record(app: &App, device_id: i64, stored: Timestamp, now: Timestamp) -> Timestamp {
    let last = app.activity.last(device_id).unwrap_or(stored).max(stored);
    if last.unix() + super::NOTED_EVERY > now.unix() {
        return last;
    }
    // While earlier uses wait, the database cannot be written, and the attempt is not worth the
    // time: the background job writes all of them.
    let waits = !app.activity.is_empty();
    app.activity.keep(device_id, now);
    if !waits {
        let uses = [(device_id, now)];
        match tokio::time::timeout(PATIENCE, write(app, &uses)).await {
            Ok(Ok(())) => app.activity.forget(&uses),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the use of a session was not stored; retrying later");
            }
            Err(_) => tracing::warn!("the use of a session was not stored in time; retrying later"),
        }
    }
    now
}

/// Writes all uses that are not stored yet, in one transaction.
pub async fn write_uses(app: &App) -> Result<()> {
    let mut uses = app.activity.unwritten();
    if uses.is_empty() {
        return Ok(());
    }
    // In the order of ids: instances that write the same devices would otherwise deadlock.
    uses.sort_unstable();
    write(app, &uses).await?;
    app.activity.forget(&uses);
    Ok(())
}

async fn write(app: &App, uses: &[(i64, Timestamp)]) -> Result<()> {
    let mut tx = app.db.begin().await?;
    for (device_id, at) in uses {
        devices::touch(&mut tx, *device_id, *at).await?;
        store::touch(&mut tx, *device_id, *at).await?;
    }
    Ok(tx.commit().await?)
}
