use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The files of the database. SQLite would continue with a file that no longer has a name, and all
/// writes to it would be lost: at once those to the database, with the next crash those to its
/// write-ahead log.
pub(super) struct DatabaseFile {
    database: NamedFile,
    /// `None` for a backup, which has no log. Otherwise it has the same name for as long as a
    /// connection is open.
    log: Option<NamedFile>,
}

/// The cause of an error.
pub(super) const LOST: &str = "the database file or its write-ahead log was removed or replaced";

impl DatabaseFile {
    /// The files of an open database.
    pub fn new(path: &Path) -> Result<Self> {
        let database = NamedFile::find(path.to_owned()).map_err(Error::engine)?;
        let log = NamedFile::find(log_of(path)).ok();
        Ok(Self { database, log })
    }

    /// Fails if a file was removed or replaced.
    pub fn check(&self) -> Result<()> {
        match self.database.is_there() && self.has_log() {
            true => Ok(()),
            false => Err(Self::lost()),
        }
    }

    /// Whether only the log was removed or replaced. Connections still have it open.
    pub fn has_lost_log_only(&self) -> bool {
        self.database.is_there() && !self.has_log()
    }

    fn has_log(&self) -> bool {
        self.log.as_ref().is_none_or(NamedFile::is_there)
    }

    pub fn lost() -> Error {
        Error::NotWritable(LOST.into())
    }
}

/// The path of the write-ahead log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// A file, and its number, by which it differs from another one of the same name.
struct NamedFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl NamedFile {
    fn find(path: PathBuf) -> std::io::Result<Self> {
        let file = std::fs::metadata(&path)?;
        Ok(Self {
            path,
            device: file.dev(),
            inode: file.ino(),
        })
    }

    fn is_there(&self) -> bool {
        std::fs::metadata(&self.path)
            .is_ok_and(|file| (file.dev(), file.ino()) == (self.device, self.inode))
    }
}
