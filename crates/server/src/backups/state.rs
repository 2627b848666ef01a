//! What the service knows about its backups between requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kernel::types::Timestamp;
use kernel::{Error, ErrorCode, Result};
use metrics::gauge;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::State;
use super::folder::Folder;
use super::name::Name;

/// How many backups are sent at a time; each needs an open file.
pub const MAX_DOWNLOADS: usize = 8;
/// How long a stop waits for a backup to be interrupted. What is left then, the next start removes.
const STOP_LIMIT: Duration = Duration::from_secs(5);

const DISABLED: Error = Error::Conflict {
    code: ErrorCode::BackupsDisabled,
    message: "This instance stores no backups. Start it with --backup-dir.",
};

/// The operator's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where backups are stored; `None` is nowhere.
    pub folder: Option<PathBuf>,
    /// How often one is taken; `None` is on request only.
    pub every_hours: Option<u32>,
    /// How many whole ones are kept.
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

pub struct Backups {
    pub(super) settings: Settings,
    folder: Option<Folder>,
    /// When the newest whole one was taken, once the folder was read.
    newest: Mutex<Option<Option<Timestamp>>>,
    /// Whether the service stops. A backup that is being taken has a receiver.
    pub(super) stop: watch::Sender<bool>,
    /// One delete at a time, so that each has its own file.
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

    /// Reads from the folder when the newest backup was taken.
    pub(super) fn refresh(&self) {
        let whole = self
            .folder
            .as_ref()
            .map(|folder| folder.in_state(State::Done));
        match whole {
            Some(Ok(whole)) => {
                let newest = whole.last().map(|name| name.moment());
                *self.newest.lock() = Some(newest);
            }
            Some(Err(error)) => tracing::warn!(%error, "the folder of backups cannot be read"),
            None => {}
        }
    }

    /// Notes a whole backup before the folder shows it as done.
    pub(super) fn record(&self, name: Name) {
        let mut newest = self.newest.lock();
        *newest = Some(newest.flatten().max(Some(name.moment())));
    }

    /// Updates the gauge that is read only when metrics are scraped.
    pub fn update_gauges(&self, now: Timestamp) {
        if let Some(newest) = *self.newest.lock() {
            let age = |newest: Timestamp| (now.unix() - newest.unix()).max(0) as f64;
            // So that one alert covers both: no recent backup, and none at all.
            gauge!("steward_backup_age_seconds").set(newest.map_or(f64::INFINITY, age));
        }
    }

    /// Interrupts a backup that is being taken, and waits until nothing is left of it.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        let _ = tokio::time::timeout(STOP_LIMIT, self.stop.closed()).await;
    }
}
