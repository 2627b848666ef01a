//! SQLite: many readers, one writer with group commit.

pub(crate) mod backup;
mod changes;
mod constraint;
mod database_file;
mod handle;
mod handles;
mod readers;
mod session;
mod slow_reads;
mod steady_sync;
mod time_limit;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use metrics::{Gauge, gauge};
use parking_lot::Mutex;

use self::changes::Changes;
use self::database_file::DatabaseFile;
use self::handle::{Access, Handle};
use self::readers::Readers;
use self::session::Lease;
pub use self::session::Session;
pub(crate) use self::session::Visit;
use self::steady_sync::SteadySync;
use self::writer::Writers;
use crate::fair_slots::Slot;
use crate::metrics::Metrics;
use crate::{Options, Result, Version};

pub(crate) struct Sqlite {
    file: Arc<DatabaseFile>,
    readers: Arc<Readers>,
    writers: Writers,
    changes: Mutex<Changes>,
    metrics: Arc<Metrics>,
    wal_bytes: Gauge,
    _syncing: Option<SteadySync>,
}

/// How long a checkpoint waits for readers. Writers wait in the meantime.
const CHECKPOINT_WAIT: Duration = Duration::from_millis(200);

impl Sqlite {
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self> {
        create_private(path);
        // The writer comes first, because it enables the write-ahead log.
        let mut writer = Handle::open(path, Access::Write)?;
        let mut syncing = None;
        if options.is_backup {
            writer.prepare_backup()?;
            syncing = Some(SteadySync::start(path)?);
        } else {
            // The first read creates the log.
            writer.batch("SELECT 1 FROM sqlite_schema")?;
        }
        let metrics = Arc::new(Metrics::new(&options.recorder));
        let file = Arc::new(DatabaseFile::new(path)?);
        Ok(Self {
            changes: Mutex::new(Changes::new(Handle::open(path, Access::PatientRead)?)),
            readers: Arc::new(Readers::new(path, Arc::clone(&metrics), options.timeout)),
            writers: Writers::start(writer, Arc::clone(&file), Arc::clone(&metrics), options)?,
            file,
            metrics,
            wal_bytes: options.recorder.register(|| gauge!("steward_db_log_bytes")),
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

    /// Fails if a file was removed or replaced.
    pub(crate) fn check_file(&self) -> Result<()> {
        self.file.check()
    }

    /// A connection that sees the database as it is now, while it is open. Writers continue.
    pub(crate) fn snapshot(&self) -> Result<Session> {
        let mut handle = Handle::open(self.readers.handles().path(), Access::PatientRead)?;
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

    pub(crate) fn forget_versions(&self) {
        self.changes.lock().invalidate();
    }

    /// Waits until all processes must have reloaded the versions.
    pub(crate) async fn wait_for_instances(&self) {
        tokio::time::sleep(changes::MAX_AGE).await;
    }

    /// Empties the write-ahead log. Returns `false` if readers still need it.
    pub(crate) fn checkpoint(&self) -> Result<bool> {
        let mut handle = Handle::open(self.readers.handles().path(), Access::Write)?;
        let wait = handle.conn.busy_timeout(CHECKPOINT_WAIT);
        wait.map_err(|error| constraint::to_error(None, error))?;
        let mut is_busy = false;
        handle.visit("PRAGMA wal_checkpoint(TRUNCATE)", &[], &mut |row| {
            is_busy = row.get::<i64>(0)? != 0;
            Ok(())
        })?;
        Ok(!is_busy)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn update_gauges(&self) {
        let log = database_file::log_of(self.readers.handles().path());
        let bytes = std::fs::metadata(log).map_or(0, |file| file.len());
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
