//! The state of backups between requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kernel::types::Timestamp;
use kernel::{Error, ErrorCode, Kernel, Metrics, Result};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::BackupState;
use super::folder::Folder;
use super::name::Name;

/// How many backups are downloaded at a time; each needs an open file.
pub const MAX_DOWNLOADS: usize = 8;
/// How long a stop waits for a backup to be interrupted. The next start removes leftovers.
const STOP_LIMIT: Duration = Duration::from_secs(5);

const DISABLED: Error = Error::Conflict {
    code: ErrorCode::BackupsDisabled,
    message: "This instance stores no backups. Start it with --backup-dir.",
};

/// The operator's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder for backups; `None` disables them.
    pub folder: Option<PathBuf>,
    /// The interval of backups; `None` is on request only.
    pub every_hours: Option<u32>,
    /// How many complete backups are kept.
    pub keep: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            folder: None,
            every_hours: None,
            keep: 30,
        }
    }
}

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub backups: Arc<Backups>,
}

/// The folder, and the work that goes on in it.
pub struct Backups {
    pub(super) settings: Settings,
    folder: Option<Folder>,
    /// The time of the newest complete backup, once the folder was read.
    newest: Mutex<Option<Option<Timestamp>>>,
    /// Whether the service is stopping. A running backup holds a receiver.
    pub(super) stop: watch::Sender<bool>,
    /// Serialises deletions, so that each deletes a different file.
    pub(super) deleting: tokio::sync::Mutex<()>,
    downloads: Arc<Semaphore>,
}

impl Backups {
    /// Creates the folder if it is missing.
    pub fn new(settings: Settings) -> Result<Self> {
        let open = |path: &PathBuf| {
            let folder = Folder::open(path);
            folder.map_err(|error| {
                let path = path.display();
                Error::internal(format!("the folder of backups {path}: {error}"))
            })
        };
        let folder = settings.folder.as_ref().map(open).transpose()?;
        let backups = Self {
            settings,
            folder,
            newest: Mutex::default(),
            stop: watch::Sender::new(false),
            deleting: tokio::sync::Mutex::default(),
            downloads: Arc::new(Semaphore::new(MAX_DOWNLOADS)),
        };
        backups.refresh();
        Ok(backups)
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn folder(&self) -> Result<&Folder> {
        self.folder.as_ref().ok_or(DISABLED)
    }

    pub(super) fn permit_download(&self) -> Result<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.downloads).try_acquire_owned();
        permit.map_err(|_| Error::Busy)
    }

    /// Reads the time of the newest backup from the folder.
    pub(super) fn refresh(&self) {
        let whole = self
            .folder
            .as_ref()
            .map(|folder| folder.in_state(BackupState::Done));
        match whole {
            Some(Ok(whole)) => {
                let newest = whole.last().map(|name| name.moment());
                *self.newest.lock() = Some(newest);
            }
            Some(Err(error)) => tracing::warn!(%error, "the folder of backups cannot be read"),
            None => {}
        }
    }

    /// Records a complete backup before the folder shows it as done.
    pub(super) fn record(&self, name: Name) {
        let mut newest = self.newest.lock();
        *newest = Some(newest.flatten().max(Some(name.moment())));
    }

    /// Updates the gauge that depends on the current time, before metrics are scraped.
    pub fn update_gauges(&self, metrics: &Metrics, now: Timestamp) {
        if let Some(newest) = *self.newest.lock() {
            let age = |newest: Timestamp| (now.unix() - newest.unix()).max(0) as f64;
            // Infinity lets one alert cover both an old backup and none at all.
            let gauge = metrics.gauge("steward_backup_age_seconds");
            gauge.set(newest.map_or(f64::INFINITY, age));
        }
    }

    /// Interrupts a running backup, and waits until its files are removed.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        let _ = tokio::time::timeout(STOP_LIMIT, self.stop.closed()).await;
    }
}
