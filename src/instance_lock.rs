//! Allows one service at a time on a SQLite database. Other commands need no lock.
//!
//! Two services would both run background jobs, and each would count rate limits and sign-in
//! attempts for itself.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use db::DatabaseUrl;

/// The lock, released when it is dropped or the process is killed.
pub struct InstanceLock {
    _file: File,
}

/// Locks a SQLite database. Several services can share a PostgreSQL server.
pub fn acquire(url: &DatabaseUrl) -> Result<Option<InstanceLock>, String> {
    let DatabaseUrl::Sqlite(database) = url else {
        return Ok(None);
    };
    let path = lock_file(database);
    let explain = |error: io::Error| {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        match error.kind() {
            io::ErrorKind::NotFound => format!("the folder {} does not exist", folder.display()),
            io::ErrorKind::PermissionDenied => format!(
                "the folder {} of the database cannot be written to: {error}",
                folder.display()
            ),
            _ => format!("the lock file {}: {error}", path.display()),
        }
    };
    let mut file = open(&path, database).map_err(explain)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(format!(
                "{url} is already served by {}; stop it first. Several instances need PostgreSQL",
                holder(&mut file)
            ));
        }
        Err(TryLockError::Error(error)) => return Err(explain(error)),
    }
    // A full disk may prevent writing the holder. The lock counts, not its text.
    let _ = write_holder(&mut file);
    Ok(Some(InstanceLock { _file: file }))
}

/// The lock file is next to the real file, so all links to a database share one lock.
fn lock_file(database: &Path) -> PathBuf {
    let real = database.canonicalize();
    let mut path = real
        .unwrap_or_else(|_| database.to_owned())
        .into_os_string();
    path.push(".lock");
    path.into()
}

fn open(path: &Path, database: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.mode(0o600).open(path)?;
    // A service that was once started as root must not lock out the database's owner. SQLite does
    // the same for its files.
    if let (Ok(owner), Ok(lock)) = (database.metadata(), file.metadata())
        && owner.uid() != lock.uid()
    {
        let _ = fchown(&file, Some(owner.uid()), Some(owner.gid()));
    }
    Ok(file)
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    write!(file, "process {}", std::process::id())?;
    // A process id means little without its machine or container. A sandbox may hide the host name.
    match std::fs::read_to_string("/proc/sys/kernel/hostname") {
        Ok(host) => write!(file, " on {}", host.trim_end()),
        Err(_) => Ok(()),
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.is_empty() => text,
        // The holder has only just started and has not written its id yet.
        _ => "another process".to_owned(),
    }
}
