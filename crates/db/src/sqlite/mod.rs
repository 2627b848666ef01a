//! SQLite: many readers, one writer with group commit.

pub(crate) mod backup;
mod changes;
mod constraint;
mod handle;
mod readers;
mod session;
mod slow_reads;
mod steady_sync;
mod time_limit;
mod writer;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use metrics::{Gauge, gauge};
use parking_lot::Mutex;

use self::changes::Changes;
pub(crate) use self::handle::CopiedRows;
use self::handle::{Access, Handle};
use self::readers::Readers;
use self::session::Lease;
pub use self::session::Session;
pub(crate) use self::session::Visit;
use self::steady_sync::SteadySync;
use self::writer::Writers;
use crate::fair_slots::Slot;
use crate::metrics::Metrics;
use crate::{Error, Options, Result, Version};

pub(crate) struct Sqlite {
    file: FileId,
    readers: Arc<Readers>,
    writers: Writers,
    changes: Mutex<Changes>,
    metrics: Arc<Metrics>,
    wal_bytes: Gauge,
    _syncing: Option<SteadySync>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self> {
        create_private(path);
        // The writer comes first: it enables the write-ahead log.
        let mut writer = Handle::open(path, Access::Write)?;
        let mut syncing = None;
        if options.is_backup {
            writer.prepare_backup()?;
            syncing = Some(SteadySync::start(path)?);
        }
        let metrics = Arc::new(Metrics::new());
        Ok(Self {
            file: FileId::of(path)?,
            changes: Mutex::new(Changes::new(Handle::open(path, Access::PatientRead)?)),
            readers: Arc::new(Readers::new(path, Arc::clone(&metrics), options.timeout)),
            writers: Writers::start(writer, Arc::clone(&metrics), options)?,
            metrics,
            wal_bytes: gauge!("steward_db_log_bytes"),
            _syncing: syncing,
        })
    }

    pub(crate) fn read(&self) -> Session {
        self.reader(None)
    }

    pub(crate) async fn read_alone(&self) -> Result<Session> {
        let turn = self.readers.turn().await?;
        Ok(self.reader(Some(turn)))
    }

    fn reader(&self, turn: Option<Slot>) -> Session {
        let readers = Arc::clone(&self.readers);
        Session::new(Lease::Reader { readers, turn }, Arc::clone(&self.metrics))
    }

    /// Fails if the file is not the one that was opened: SQLite would go on with a file that no
    /// longer has a name.
    pub(crate) fn check_file(&self) -> Result<()> {
        let lost = || Error::NotWritable("the database file was removed or replaced".into());
        match FileId::of(self.readers.path()) {
            Ok(file) if file == self.file => Ok(()),
            _ => Err(lost()),
        }
    }

    /// A connection that sees the database as it is now, for as long as it is open. Writers go on.
    pub(crate) fn snapshot(&self) -> Result<Session> {
        let mut handle = Handle::open(self.readers.path(), Access::PatientRead)?;
        // The first statement takes the snapshot, not BEGIN.
        handle.batch("BEGIN; SELECT 1 FROM sqlite_schema")?;
        Ok(Session::new(
            Lease::Snapshot(Box::new(handle)),
            Arc::clone(&self.metrics),
        ))
    }

    pub(crate) async fn begin(&self) -> Result<Session> {
        let turn = self.writers.begin().await?;
        Ok(Session::new(Lease::Writer(turn), Arc::clone(&self.metrics)))
    }

    pub(crate) fn version(&self, topic: &str) -> Result<Version> {
        self.changes.lock().version(topic)
    }

    /// Waits until all other processes must have read the versions again.
    pub(crate) async fn forget_versions(&self) {
        self.changes.lock().invalidate();
        tokio::time::sleep(changes::MAX_AGE).await;
    }

    pub(crate) fn checkpoint(&self) -> Result<()> {
        let mut handle = Handle::open(self.readers.path(), Access::Write)?;
        handle.visit("PRAGMA wal_checkpoint(TRUNCATE)", &[], &mut |_| Ok(()))
    }

    pub(crate) fn update_gauges(&self) {
        let mut wal = self.readers.path().as_os_str().to_owned();
        wal.push("-wal");
        let bytes = std::fs::metadata(wal).map_or(0, |file| file.len());
        self.wal_bytes.set(bytes as f64);
    }
}

/// Creates the file readable by its owner only. SQLite gives its other files the same mode. A
/// failure is ignored here, because opening the file then reports the cause.
fn create_private(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// What identifies a file, whatever its name.
#[derive(PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn of(path: &Path) -> Result<Self> {
        let file = std::fs::metadata(path).map_err(Error::engine)?;
        Ok(Self {
            device: file.dev(),
            inode: file.ino(),
        })
    }
}
