//! Syncs a file again and again while it is written.
//!
//! Otherwise gigabytes of it would wait in memory, and a commit of the service, which is synced as
//! well, could wait for half a second until they are on the disk.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::{Error, Result};

/// Leaves the disk to others for a moment.
const PAUSE: Duration = Duration::from_millis(20);

/// Dropping it ends the syncing.
pub struct SteadySync {
    _running: Sender<()>,
}

impl SteadySync {
    pub fn start(file: &Path) -> Result<Self> {
        let file = File::open(file).map_err(Error::engine)?;
        let (running, ended) = channel();
        let sync = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PAUSE) {
                // The commit that needs the file to be durable syncs it as well, and notices a fault.
                let _ = file.sync_data();
            }
        };
        let thread = thread::Builder::new().name("steady-sync".into());
        thread.spawn(sync).map_err(Error::engine)?;
        Ok(Self { _running: running })
    }
}
