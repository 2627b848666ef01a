use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::handle::{Access, Handle};
use crate::Result;

/// Connections of one kind, each used by one thread at a time.
pub(super) struct Handles {
    path: PathBuf,
    access: Access,
    idle: Mutex<Vec<Handle>>,
}

impl Handles {
    pub fn new(path: &Path, access: Access) -> Self {
        Self {
            path: path.to_owned(),
            access,
            idle: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Uses the connection that was used last, whose cache is the warmest.
    pub fn with<T>(&self, work: impl FnOnce(&mut Handle) -> T) -> Result<T> {
        let idle = self.idle.lock().pop();
        let mut handle = idle.map_or_else(|| Handle::open(&self.path, self.access), Ok)?;
        let outcome = work(&mut handle);
        self.idle.lock().push(handle);
        Ok(outcome)
    }
}
