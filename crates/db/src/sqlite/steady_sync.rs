//! Syncs a file repeatedly while it is written.
//!
//! Otherwise gigabytes of dirty pages would wait in memory, and a commit of the service, which is
//! synced as well, could wait half a second for the disk.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::{Error, Result};

/// Leaves the disk to other work.
const PAUSE: Duration = Duration::from_millis(20);

/// Syncs until it is dropped.
pub struct SteadySync {
    _running: Sender<()>,
}

impl SteadySync {
    pub fn start(file: &Path) -> Result<Self> {
        let file = File::open(file).map_err(Error::engine)?;
        let (running, ended) = channel();
        let sync = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PAUSE) {
                // The final commit also syncs the file, and reports a failure.
                let _ = file.sync_data();
            }
        };
        let thread = thread::Builder::new().name("steady-sync".into());
        thread.spawn(sync).map_err(Error::engine)?;
        Ok(Self { _running: running })
    }
}
