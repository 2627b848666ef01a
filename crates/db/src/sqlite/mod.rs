//! SQLite: many readers, one writer with group commit.

mod constraint;
mod handle;
mod readers;
mod session;
mod watch;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use metrics::{Gauge, gauge};

use self::handle::{Access, Handle};
use self::readers::Readers;
use self::session::Lent;
pub use self::session::Session;
use self::watch::Watch;
use self::writer::Writers;
use crate::meters::Meters;
use crate::{Options, Result};

pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    writers: Writers,
    watch: Mutex<Watch>,
    meters: Arc<Meters>,
    log_bytes: Gauge,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self> {
        create_private(path);
        // The writer comes first: it turns on the write-ahead log.
        let writer = Handle::open(path, Access::Write)?;
        let meters = Arc::new(Meters::new());
        let readers = Readers::new(path);
        Ok(Self {
            watch: Mutex::new(Watch::new(readers.open()?)),
            readers: Arc::new(readers),
            writers: Writers::start(writer, Arc::clone(&meters), options)?,
            meters,
            log_bytes: gauge!("steward_db_log_bytes"),
        })
    }

    pub(crate) fn read(&self) -> Result<Session> {
        let reader = self.readers.take()?;
        Ok(Session::new(Lent::Reader(reader), Arc::clone(&self.meters)))
    }

    pub(crate) async fn begin(&self) -> Result<Session> {
        let turn = self.writers.begin().await?;
        Ok(Session::new(Lent::Writer(turn), Arc::clone(&self.meters)))
    }

    pub(crate) fn changes(&self, topic: &str) -> Result<u64> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.counter(topic)
    }

    /// Notes what was announced in this process, and waits until every other one must have noticed.
    pub(crate) async fn announced(&self, topic: &'static str, counter: u64) {
        self.watch
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .seen(topic, counter);
        tokio::time::sleep(watch::PAUSE).await;
    }

    pub(crate) fn settle(&self) -> Result<()> {
        let mut handle = Handle::open(self.readers.path(), Access::Write)?;
        handle.query("PRAGMA wal_checkpoint(TRUNCATE)", &[], |_| Ok(()))?;
        Ok(())
    }

    pub(crate) fn observe(&self) {
        let mut log = self.readers.path().as_os_str().to_owned();
        log.push("-wal");
        let bytes = std::fs::metadata(log).map_or(0, |file| file.len());
        self.log_bytes.set(bytes as f64);
    }
}

/// The file holds what only its owner should read, and SQLite gives the files beside it the same
/// mode. Where this fails, opening says why.
fn create_private(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}
