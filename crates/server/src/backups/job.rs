//! Takes one backup into the folder, in a thread of its own.

use db::{AdvisoryLock, Progress, Read};
use kernel::write::Edit;
use kernel::{Error, Result};
use metrics::counter;
use tokio::sync::{oneshot, watch};

use super::file::NewFile;
use super::folder::{Folder, Lock};
use super::name::Name;
use super::{Backup, RUNNING, State};
use crate::app::App;

/// The niceness of the thread: under full load it gets about a tenth of the CPU time of another one.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// The right to take a backup, which one process has at a time, and its moment. Dropping it leaves
/// nothing.
pub struct Claim {
    name: Name,
    file: NewFile,
    snapshot: Read,
    /// After the others: what they leave is removed under the lock.
    _lock: Lock,
}

impl Claim {
    /// Fails with 409 `backup_running` while another backup is being taken, by any instance.
    pub async fn new(app: &App) -> Result<Self> {
        let folder = app.backups.folder()?;
        let lock = folder.try_lock().map_err(Error::internal)?.ok_or(RUNNING)?;
        folder.remove_leftovers(&lock).map_err(Error::internal)?;
        // Before the snapshot, which has everything that was committed until then.
        let moment = app.clock.now();
        // Instances with folders of their own share only the database. The connection is held for
        // long, so it is not counted against the client who asked for the backup.
        let snapshot =
            db::Client::new(None).scope(app.db.exclusive_snapshot(AdvisoryLock::Backups));
        let snapshot = snapshot.await?.ok_or(RUNNING)?;
        let name = folder.free_name(moment).map_err(Error::internal)?;
        Ok(Self {
            name,
            file: folder.begin(name, &lock).map_err(Error::internal)?,
            snapshot,
            _lock: lock,
        })
    }

    pub fn backup(&self) -> Backup {
        Backup::new(self.name, State::Running)
    }

    /// Gives up the turn at once. Dropped, it would be free only a moment later, and a backup that is
    /// asked for until then would be refused.
    pub async fn release(self) {
        self.snapshot.close().await;
    }

    /// Starts to take the backup. Waiting for the result is optional.
    pub fn start(self, app: &App) -> oneshot::Receiver<Result<()>> {
        let (ended, result) = oneshot::channel();
        let (app, runtime) = (app.clone(), tokio::runtime::Handle::current());
        // From now on, a stop of the service waits for it.
        let stop = app.backups.stop.subscribe();
        // The copy and its checks would block other tasks of a thread of the runtime for seconds.
        let work = move || {
            lower_priority();
            let _ = ended.send(runtime.block_on(self.run(&app, stop)));
        };
        let thread = std::thread::Builder::new().name("backup".into());
        if let Err(error) = thread.spawn(work) {
            tracing::error!(%error, "the thread of a backup could not be started");
        }
        result
    }

    async fn run(self, app: &App, mut stop: watch::Receiver<bool>) -> Result<()> {
        let name = self.name;
        let taken = tokio::select! {
            taken = self.take(app) => taken,
            _ = stop.wait_for(|stop| *stop) => {
                tracing::info!(%name, "a backup was interrupted; nothing is left of it");
                return Err(Error::Unavailable);
            }
        };
        let folder = app.backups.folder()?;
        match &taken {
            Ok(()) => tracing::info!(%name, "a backup was taken"),
            Err(error) => {
                let cause = std::error::Error::source(error).map(ToString::to_string);
                tracing::error!(%name, %error, cause, "a backup failed");
                counter!("steward_backups_failed_total").increment(1);
                folder.mark_failed(name);
            }
        }
        app.backups.refresh();
        taken
    }

    async fn take(self, app: &App) -> Result<()> {
        let folder = app.backups.folder()?;
        let Self {
            name,
            file,
            snapshot,
            _lock: lock,
        } = self;
        let written = super::write_snapshot(snapshot, &file.partial(), &mut Unobserved).await?;
        let rows = written.into_iter();
        let counts = rows.map(|(table, rows)| (table.to_owned(), rows)).collect();
        let finished = folder.finish(name, &file, &counts);
        finished.map_err(Error::internal)?;
        // The backup is whole, whatever becomes of older ones.
        if let Err(error) = prune(app, folder, name).await {
            tracing::warn!(%error, "old backups were not deleted; retrying after the next one");
        }
        app.backups.record(name);
        // Last, and after the lock: once this one is done, another can be taken.
        drop(lock);
        drop(file);
        Ok(())
    }
}

/// Deletes the oldest whole backups above the number to keep. The new one always stays, even if the
/// clock was set back and it has an earlier name than others.
async fn prune(app: &App, folder: &Folder, new: Name) -> Result<()> {
    let _alone = app.backups.deleting.lock().await;
    let mut whole = folder.in_state(State::Done).map_err(Error::internal)?;
    whole.retain(|name| *name != new);
    let kept = app.backups.settings.keep.saturating_sub(1);
    let excess = whole.len().saturating_sub(kept);
    for name in whole.into_iter().take(excess) {
        let edit = Edit::maintenance(app).await?;
        let backup = super::target(&edit, app, Some(name))?;
        edit.commit(super::delete(backup)).await?;
        folder.remove(name).map_err(Error::internal)?;
    }
    Ok(())
}

struct Unobserved;

impl Progress for Unobserved {
    fn begin(&mut self, _: &'static str, _: u64) {}
    fn advance(&mut self, _: u64) {}
}

/// On Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "could not lower the priority of the thread of a backup");
    }
}
