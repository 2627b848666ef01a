//! SQLite: many readers, one writer with group commit.

mod changes;
mod constraint;
mod handle;
mod readers;
mod session;
mod writer;

use std::path::Path;
use std::sync::Arc;

use metrics::{Gauge, gauge};
use parking_lot::Mutex;

use self::changes::Changes;
use self::handle::{Access, Handle};
use self::readers::Readers;
use self::session::Lease;
pub use self::session::Session;
use self::writer::Writers;
use crate::metrics::Metrics;
use crate::{Options, Result};

pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    writers: Writers,
    changes: Mutex<Changes>,
    metrics: Arc<Metrics>,
    wal_bytes: Gauge,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self> {
        create_private(path);
        // The writer comes first: it enables the write-ahead log.
        let writer = Handle::open(path, Access::Write)?;
        let metrics = Arc::new(Metrics::new());
        let readers = Readers::new(path);
        Ok(Self {
            changes: Mutex::new(Changes::new(readers.open()?)),
            readers: Arc::new(readers),
            writers: Writers::start(writer, Arc::clone(&metrics), options)?,
            metrics,
            wal_bytes: gauge!("steward_db_log_bytes"),
        })
    }

    pub(crate) fn read(&self) -> Result<Session> {
        let reader = self.readers.get()?;
        Ok(Session::new(
            Lease::Reader(reader),
            Arc::clone(&self.metrics),
        ))
    }

    pub(crate) async fn begin(&self) -> Result<Session> {
        let turn = self.writers.begin().await?;
        Ok(Session::new(Lease::Writer(turn), Arc::clone(&self.metrics)))
    }

    pub(crate) fn changes(&self, topic: &str) -> Result<u64> {
        self.changes.lock().counter(topic)
    }

    /// Records the announcement in this process, and waits until all others must have seen it.
    pub(crate) async fn record_announcement(&self, topic: &'static str, counter: u64) {
        self.changes.lock().record(topic, counter);
        tokio::time::sleep(changes::MAX_AGE).await;
    }

    pub(crate) fn checkpoint(&self) -> Result<()> {
        let mut handle = Handle::open(self.readers.path(), Access::Write)?;
        handle.query("PRAGMA wal_checkpoint(TRUNCATE)", &[], |_| Ok(()))?;
        Ok(())
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
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}
