//! The folder of the backups that the service stores. It is the only record of them:
//!
//! | entry | what it is |
//! |---|---|
//! | `steward-20260301T120000Z.db` | a whole backup |
//! | `steward-20260301T120000Z.db.json` | its numbers of rows |
//! | `.steward-20260301T120000Z.db.partial` | the folder of one that is being taken |
//! | `.steward-20260301T120000Z.db.failed` | the mark of one that failed |
//! | `.lock` | locked while one is being taken |

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use kernel::types::Timestamp;

use super::file::NewFile;
use super::name::Name;
use super::{Backup, State};

const PARTIAL: &str = ".partial";
const FAILED: &str = ".failed";
const COUNTS: &str = ".json";
/// More than the file of counts ever has.
const MAX_COUNTS_BYTES: u64 = 64 << 10;

pub struct Folder(PathBuf);

/// Held by the one process that takes a backup. A killed process loses it.
pub struct Lock {
    _file: File,
}

impl Folder {
    /// Creates the folder if it is missing. Only the owner can read it then.
    pub fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let folder = Self(path.to_owned());
        // A folder that cannot be written is noticed at the start.
        folder.lock_file()?;
        Ok(folder)
    }

    fn lock_file(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.0.join(".lock"))
    }

    /// `None` while another process, or another task of this one, holds the lock.
    pub fn try_lock(&self) -> io::Result<Option<Lock>> {
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub fn path_of(&self, name: Name) -> PathBuf {
        self.0.join(name.to_string())
    }

    fn counts_of(&self, name: Name) -> PathBuf {
        self.0.join(format!("{name}{COUNTS}"))
    }

    fn mark_of(&self, name: Name) -> PathBuf {
        self.0.join(format!(".{name}{FAILED}"))
    }

    /// All backups, the oldest first.
    pub fn list(&self) -> io::Result<Vec<Backup>> {
        let mut states = BTreeMap::new();
        for entry in std::fs::read_dir(&self.0)? {
            let Some((name, state)) = entry?.file_name().to_str().and_then(read_entry) else {
                continue;
            };
            // One that has its name already is running until its folder is gone.
            let known = states.entry(name).or_insert(state);
            *known = (*known).max(state);
        }
        let backups = states.into_iter();
        let mut list = Vec::new();
        for (name, state) in backups {
            // One that was deleted in the meantime is left out.
            list.extend(self.read(name, state)?);
        }
        Ok(list)
    }

    pub fn find(&self, name: Name) -> io::Result<Option<Backup>> {
        Ok(self.list()?.into_iter().find(|found| found.name == name))
    }

    fn read(&self, name: Name, state: State) -> io::Result<Option<Backup>> {
        let backup = Backup::new(name, state);
        if state != State::Done {
            return Ok(Some(backup));
        }
        let size = match self.path_of(name).metadata() {
            Ok(file) => file.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Backup {
            size: Some(size),
            counts: self.read_counts(name),
            ..backup
        }))
    }

    /// A backup that was copied into the folder has no counts.
    fn read_counts(&self, name: Name) -> Option<BTreeMap<String, u64>> {
        let file = File::open(self.counts_of(name)).ok()?;
        let file = io::Read::take(file, MAX_COUNTS_BYTES);
        serde_json::from_reader(io::BufReader::new(file)).ok()
    }

    /// The first free name from this moment on.
    pub fn free_name(&self, now: Timestamp) -> io::Result<Name> {
        let taken = self.list()?;
        let mut name = Name::at(now);
        while taken.iter().any(|backup| backup.name == name) {
            name = name.next();
        }
        Ok(name)
    }

    pub fn begin(&self, name: Name, _: &Lock) -> io::Result<NewFile> {
        NewFile::written_in(&self.path_of(name), &format!(".{name}{PARTIAL}"))
    }

    /// Gives a complete file its name.
    pub fn finish(
        &self,
        name: Name,
        file: &NewFile,
        counts: &BTreeMap<String, u64>,
    ) -> io::Result<()> {
        // First: a file without a backup is a left-over, but a backup needs its counts.
        std::fs::write(self.counts_of(name), serde_json::to_vec(counts)?)?;
        file.finish(false)?;
        // What failed before is of no interest any more.
        for failed in self.in_state(State::Failed)? {
            self.remove(failed)?;
        }
        Ok(())
    }

    /// Shows a failure until the next success. There may be no room even for this.
    pub fn mark_failed(&self, name: Name) {
        if let Err(error) = File::create(self.mark_of(name)) {
            tracing::warn!(%error, "the mark of a failed backup was not written");
        }
    }

    pub fn in_state(&self, state: State) -> io::Result<Vec<Name>> {
        let list = self.list()?.into_iter();
        let found = list.filter(|backup| backup.state == state);
        Ok(found.map(|backup| backup.name).collect())
    }

    /// Removes a backup, or the mark of a failed one. It may be gone already.
    pub fn remove(&self, name: Name) -> io::Result<()> {
        for file in [self.path_of(name), self.counts_of(name), self.mark_of(name)] {
            match std::fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes what killed processes have left. The lock shows that none of it is in use.
    pub fn remove_leftovers(&self, _: &Lock) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            let (file_name, path) = (entry.file_name(), entry.path());
            let file_name = file_name.to_str().unwrap_or_default();
            let counts = file_name.strip_suffix(COUNTS).and_then(Name::parse);
            if matches!(read_entry(file_name), Some((_, State::Running))) {
                std::fs::remove_dir_all(path)?;
            } else if counts.is_some_and(|name| !self.path_of(name).exists()) {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

fn read_entry(file_name: &str) -> Option<(Name, State)> {
    if let Some(name) = Name::parse(file_name) {
        return Some((name, State::Done));
    }
    let hidden = file_name.strip_prefix('.')?;
    let (name, state) = match hidden.strip_suffix(PARTIAL) {
        Some(name) => (name, State::Running),
        None => (hidden.strip_suffix(FAILED)?, State::Failed),
    };
    Some((Name::parse(name)?, state))
}
