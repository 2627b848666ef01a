use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::handle::{Access, Handle};
use crate::Result;

/// How many idle connections stay open.
const MAX_IDLE: usize = 8;

/// A pool of connections for reading, without an upper limit.
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

    pub fn get(self: &Arc<Self>) -> Result<Reader> {
        let idle = self.idle.lock().pop();
        Ok(Reader {
            handle: Some(idle.map_or_else(|| self.open(), Ok)?),
            pool: Arc::clone(self),
        })
    }
}

/// A connection in use; it returns to the pool when dropped.
pub(super) struct Reader {
    handle: Option<Handle>,
    pool: Arc<Readers>,
}

impl Reader {
    pub fn handle(&mut self) -> &mut Handle {
        self.handle.as_mut().expect("present until dropped")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock();
        if idle.len() < MAX_IDLE {
            idle.extend(self.handle.take());
        }
    }
}
