//! Takes one backup into the folder, on a separate thread.

use db::{AdvisoryLock, Progress, Read};
use kernel::write::Edit;
use kernel::{Error, Result};
use tokio::sync::{oneshot, watch};

use super::file::NewFile;
use super::folder::{Folder, Lock};
use super::name::Name;
use super::{Backup, BackupState, RUNNING, State};

/// The niceness of the thread: under full load it gets about a tenth of the CPU time of others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// The exclusive right to take a backup, with its snapshot. Dropping it removes everything.
pub struct Claim {
    name: Name,
    file: NewFile,
    snapshot: Read,
    /// Dropped last: the other fields remove their files under the lock.
    _lock: Lock,
}

impl Claim {
    /// Claims the right; 409 `backup_running` while any instance is taking a backup.
    pub async fn new(state: &State) -> Result<Self> {
        let folder = state.backups.folder()?;
        let lock = folder.try_lock().map_err(Error::internal)?.ok_or(RUNNING)?;
        folder.remove_leftovers(&lock).map_err(Error::internal)?;
        // Comes before the snapshot, which contains everything committed until then.
        let moment = state.kernel.core.clock.now();
        // Instances with separate folders share only the database. The connection is held for long,
        // so it does not count against the client that requested the backup.
        let snapshot = db::Client::new(None).scope(
            state
                .kernel
                .core
                .db
                .exclusive_snapshot(AdvisoryLock::Backups),
        );
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
        Backup::new(self.name, BackupState::Running)
    }

    /// Releases the claim at once. Dropping it takes a moment longer, during which another backup
    /// would be refused.
    pub async fn release(self) {
        self.snapshot.close().await;
    }

    /// Starts the backup. Waiting for the result is optional.
    pub fn start(self, state: &State) -> oneshot::Receiver<Result<()>> {
        let (ended, result) = oneshot::channel();
        let (state, runtime) = (state.clone(), tokio::runtime::Handle::current());
        // From now on, a stop of the service waits for the backup.
        let stop = state.backups.stop.subscribe();
        // The copy and its checks would block a thread of the runtime for seconds.
        let work = move || {
            lower_priority();
            let _ = ended.send(runtime.block_on(self.run(&state, stop)));
        };
        let thread = std::thread::Builder::new().name("backup".into());
        if let Err(error) = thread.spawn(work) {
            tracing::error!(%error, "cannot start the thread of a backup");
        }
        result
    }

    async fn run(self, state: &State, mut stop: watch::Receiver<bool>) -> Result<()> {
        let name = self.name;
        let taken = tokio::select! {
            taken = self.take(state) => taken,
            _ = stop.wait_for(|stop| *stop) => {
                tracing::info!(%name, "backup interrupted; its files were removed");
                return Err(Error::Unavailable);
            }
        };
        let folder = state.backups.folder()?;
        match &taken {
            Ok(()) => tracing::info!(%name, "backup complete"),
            Err(error) => {
                let cause = std::error::Error::source(error).map(ToString::to_string);
                tracing::error!(%name, %error, cause, "backup failed");
                let failed = state
                    .kernel
                    .core
                    .metrics
                    .counter("steward_backups_failed_total", &[]);
                failed.increment(1);
                folder.mark_failed(name);
            }
        }
        state.backups.refresh();
        taken
    }

    async fn take(self, state: &State) -> Result<()> {
        let folder = state.backups.folder()?;
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
        // The backup is complete, even if deleting older ones fails.
        if let Err(error) = prune(state, folder, name).await {
            tracing::warn!(%error, "old backups were not deleted; retrying after the next one");
        }
        state.backups.record(name);
        // The lock goes first: once the work folder is gone, another backup can be taken.
        drop(lock);
        drop(file);
        Ok(())
    }
}

/// Deletes the oldest complete backups above the number to keep. The new one always stays, even if
/// its name is earlier than others because the clock was set back.
async fn prune(state: &State, folder: &Folder, new: Name) -> Result<()> {
    let _alone = state.backups.deleting.lock().await;
    let mut whole = folder
        .in_state(BackupState::Done)
        .map_err(Error::internal)?;
    whole.retain(|name| *name != new);
    let kept = state.backups.settings.keep.saturating_sub(1);
    let excess = whole.len().saturating_sub(kept);
    for name in whole.into_iter().take(excess) {
        let edit = Edit::maintenance(&state.kernel.core).await?;
        let backup = super::target(&edit, state, Some(name))?;
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

/// Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "could not lower the priority of the thread of a backup");
    }
}
