use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::handle::{Access, Handle};
use crate::Result;

/// Readers kept open while nobody uses them.
const IDLE: usize = 8;

/// Connections for reading, opened when there is none to spare.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Handle>>,
}

impl Readers {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn open(&self) -> Result<Handle> {
        Handle::open(&self.path, Access::Read)
    }

    pub fn take(self: &Arc<Self>) -> Result<Reader> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        Ok(Reader {
            handle: Some(idle.map_or_else(|| self.open(), Ok)?),
            home: Arc::clone(self),
        })
    }
}

/// A reader in use; it goes back to the others when dropped.
pub(super) struct Reader {
    handle: Option<Handle>,
    home: Arc<Readers>,
}

impl Reader {
    pub fn handle(&mut self) -> &mut Handle {
        self.handle.as_mut().expect("it leaves only when dropped")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut idle = self
            .home
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.extend(self.handle.take());
        }
    }
}
