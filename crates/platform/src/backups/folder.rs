//! The folder of the backups that the service stores. It is the only record of them:
//!
//! | entry | meaning |
//! |---|---|
//! | `steward-20260301T120000Z.db` | a complete backup |
//! | `steward-20260301T120000Z.db.json` | its numbers of rows |
//! | `.steward-20260301T120000Z.db.partial` | the work folder of a running backup |
//! | `.steward-20260301T120000Z.db.failed` | the marker of a failed backup |
//! | `.lock` | locked while a backup is running |

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use kernel::types::Timestamp;

use super::file::NewFile;
use super::name::Name;
use super::{Backup, BackupState};

const PARTIAL: &str = ".partial";
const FAILED: &str = ".failed";
const COUNTS: &str = ".json";
/// A file of counts is always smaller than this.
const MAX_COUNTS_BYTES: u64 = 64 << 10;

pub struct Folder(PathBuf);

/// Held by the one process that takes a backup. Released when that process is killed.
pub struct Lock {
    _file: File,
}

impl Folder {
    /// Opens the folder, or creates it, readable by its owner only.
    pub fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let folder = Self(path.to_owned());
        // Fails at the start if the folder cannot be written.
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

    /// Locks the folder; `None` while another process or task holds the lock.
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

    /// All backups, oldest first.
    pub fn list(&self) -> io::Result<Vec<Backup>> {
        let mut states = BTreeMap::new();
        for entry in std::fs::read_dir(&self.0)? {
            let Some((name, state)) = entry?.file_name().to_str().and_then(read_entry) else {
                continue;
            };
            // A complete backup counts as running until its work folder is gone.
            let known = states.entry(name).or_insert(state);
            *known = (*known).max(state);
        }
        let backups = states.into_iter();
        let mut list = Vec::new();
        for (name, state) in backups {
            // A backup that was deleted in the meantime is skipped.
            list.extend(self.read(name, state)?);
        }
        Ok(list)
    }

    pub fn find(&self, name: Name) -> io::Result<Option<Backup>> {
        Ok(self.list()?.into_iter().find(|found| found.name == name))
    }

    fn read(&self, name: Name, state: BackupState) -> io::Result<Option<Backup>> {
        let backup = Backup::new(name, state);
        if state != BackupState::Done {
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

    /// Reads the numbers of rows. A backup that was copied into the folder has none.
    fn read_counts(&self, name: Name) -> Option<BTreeMap<String, u64>> {
        let file = File::open(self.counts_of(name)).ok()?;
        let file = io::Read::take(file, MAX_COUNTS_BYTES);
        serde_json::from_reader(io::BufReader::new(file)).ok()
    }

    /// The first free name at or after `now`.
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

    /// Gives a complete backup its name.
    pub fn finish(
        &self,
        name: Name,
        file: &NewFile,
        counts: &BTreeMap<String, u64>,
    ) -> io::Result<()> {
        // Counts without a backup are ignored, but a backup needs its counts.
        let mut private = OpenOptions::new();
        private.write(true).create(true).truncate(true).mode(0o600);
        let mut file_of_counts = private.open(self.counts_of(name))?;
        file_of_counts.write_all(&serde_json::to_vec(counts)?)?;
        file.finish(false)?;
        // A success clears earlier failures.
        for failed in self.in_state(BackupState::Failed)? {
            self.remove(failed)?;
        }
        Ok(())
    }

    /// Marks a backup as failed until the next success. A full disk may prevent even this.
    pub fn mark_failed(&self, name: Name) {
        if let Err(error) = File::create(self.mark_of(name)) {
            tracing::warn!(%error, "cannot write the failure marker of a backup");
        }
    }

    pub fn in_state(&self, state: BackupState) -> io::Result<Vec<Name>> {
        let list = self.list()?.into_iter();
        let found = list.filter(|backup| backup.state == state);
        Ok(found.map(|backup| backup.name).collect())
    }

    /// Removes a backup or its failure marker. Missing files are ignored.
    pub fn remove(&self, name: Name) -> io::Result<()> {
        for file in [self.path_of(name), self.counts_of(name), self.mark_of(name)] {
            ignore_missing(std::fs::remove_file(file))?;
        }
        Ok(())
    }

    /// Removes the files of killed processes. The lock proves that they are not in use; a backup
    /// that just ended or is being deleted may remove its own at the same time.
    pub fn remove_leftovers(&self, _: &Lock) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            let (file_name, path) = (entry.file_name(), entry.path());
            let file_name = file_name.to_str().unwrap_or_default();
            let counts = file_name.strip_suffix(COUNTS).and_then(Name::parse);
            if matches!(read_entry(file_name), Some((_, BackupState::Running))) {
                ignore_missing(std::fs::remove_dir_all(path))?;
            } else if counts.is_some_and(|name| !self.path_of(name).exists()) {
                ignore_missing(std::fs::remove_file(path))?;
            }
        }
        Ok(())
    }
}

fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn read_entry(file_name: &str) -> Option<(Name, BackupState)> {
    if let Some(name) = Name::parse(file_name) {
        return Some((name, BackupState::Done));
    }
    let hidden = file_name.strip_prefix('.')?;
    let (name, state) = match hidden.strip_suffix(PARTIAL) {
        Some(name) => (name, BackupState::Running),
        None => (hidden.strip_suffix(FAILED)?, BackupState::Failed),
    };
    Some((Name::parse(name)?, state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_may_disappear_while_they_are_removed() {
        const ROUNDS: i64 = 500;
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::open(parent.path()).unwrap();
        let lock = folder.try_lock().unwrap().unwrap();
        std::thread::scope(|scope| {
            let endings = scope.spawn(|| {
                for second in 0..ROUNDS {
                    let name = Name::at(Timestamp::from_unix(second));
                    // As the last steps of a backup and of a deletion do.
                    drop(folder.begin(name, &lock));
                    std::fs::write(folder.counts_of(name), "{}").unwrap();
                    folder.remove(name).unwrap();
                }
            });
            while !endings.is_finished() {
                folder.remove_leftovers(&lock).unwrap();
            }
        });
        assert_eq!(folder.list().unwrap().len(), 0);
    }
}
