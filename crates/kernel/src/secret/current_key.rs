//! The secret key in use. After a rotation by another process, it is read again from its file.

use std::sync::Arc;

use parking_lot::RwLock;

use super::{KeyFile, SecretKey};

pub struct CurrentKey {
    key: RwLock<Arc<SecretKey>>,
    /// Without a file, the key never changes.
    file: Option<KeyFile>,
}

impl CurrentKey {
    pub fn from_file(key: SecretKey, file: KeyFile) -> Self {
        Self {
            key: RwLock::new(Arc::new(key)),
            file: Some(file),
        }
    }

    pub fn get(&self) -> Arc<SecretKey> {
        self.key.read().clone()
    }

    /// Reads the file again and takes its key if it `fits`. Between the commit of a rotation and
    /// the renaming of its file, the current key is in the file of the new key.
    pub(super) fn reload(&self, fits: impl Fn(&SecretKey) -> bool) -> Option<Arc<SecretKey>> {
        let file = self.file.as_ref()?;
        let in_file = [file.load().ok(), file.load_new().ok().flatten()];
        let found = Arc::new(in_file.into_iter().flatten().find(|key| fits(key))?);
        *self.key.write() = found.clone();
        Some(found)
    }
}

impl From<SecretKey> for CurrentKey {
    fn from(key: SecretKey) -> Self {
        Self {
            key: RwLock::new(Arc::new(key)),
            file: None,
        }
    }
}
