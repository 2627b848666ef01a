//! The file that holds the secret key, and the rotation of that key.
//!
//! A rotation writes the new key to `FILE.new`, encrypts everything under it, then renames it over
//! the old file. If it is interrupted at any point, one of the two files holds the key that the
//! database needs.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::secret::SecretKey;
use crate::types::random;

#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it does not contain 64 hexadecimal digits")]
    Malformed,
}

type Result<T, E = KeyFileError> = std::result::Result<T, E>;

pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn load(&self) -> Result<SecretKey> {
        load(&self.path)
    }

    /// Loads the key; `None` if there is no file.
    pub fn load_if_exists(&self) -> Result<Option<SecretKey>> {
        match self.load() {
            Ok(key) => Ok(Some(key)),
            Err(KeyFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates a file that only its owner can read, and loads it. If another instance creates it at
    /// the same time, the first one wins.
    pub fn create(&self) -> Result<SecretKey> {
        let _locked = self.lock()?;
        match create(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => drop(created?),
        }
        self.load()
    }

    /// Loads the key of an interrupted rotation, if there is one.
    pub fn load_new(&self) -> Result<Option<SecretKey>> {
        match load(&self.new_path()) {
            Ok(key) => Ok(Some(key)),
            // Writing the file was interrupted, so nothing is encrypted under its key.
            Err(KeyFileError::Malformed) => Ok(None),
            Err(KeyFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn new_path(&self) -> PathBuf {
        let mut name = self.real_path().into_os_string();
        name.push(".new");
        name.into()
    }

    /// Follows symbolic links, so that the file is replaced and not the link.
    fn real_path(&self) -> PathBuf {
        let real = self.path.canonicalize();
        real.unwrap_or_else(|_| self.path.clone())
    }

    /// Prevents other processes from changing the key until the returned value is dropped.
    pub fn lock(&self) -> Result<LockedKeyFile<'_>> {
        let folder = File::open(folder_of(&self.real_path()))?;
        folder.lock()?;
        Ok(LockedKeyFile { file: self, folder })
    }
}

/// A key file that no other process can change.
pub struct LockedKeyFile<'a> {
    file: &'a KeyFile,
    folder: File,
}

impl LockedKeyFile<'_> {
    /// Writes a new key to `FILE.new`, over one that was left there unused.
    pub fn write_new(&self) -> Result<SecretKey> {
        let path = self.file.new_path();
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
        let file = create(&path)?;
        // A rotation run as root must leave the file readable to the user of the service.
        let (old, new) = (self.file.real_path().metadata()?, file.metadata()?);
        if old.uid() != new.uid() {
            fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        load(&path)
    }

    /// Renames `FILE.new` over the old file.
    pub fn adopt_new(&self) -> Result<()> {
        std::fs::rename(self.file.new_path(), self.file.real_path())?;
        Ok(self.folder.sync_all()?)
    }
}

fn load(path: &Path) -> Result<SecretKey> {
    let text = Zeroizing::new(std::fs::read_to_string(path)?);
    let key = from_hex(text.trim()).ok_or(KeyFileError::Malformed)?;
    Ok(SecretKey::new(&key))
}

/// Creates a file. When this returns, the file and its directory entry are durable.
fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let key = Zeroizing::new(random::bytes::<32>());
    let mut line = Zeroizing::new(String::with_capacity(2 * key.len() + 1));
    for byte in key.iter() {
        // Writing to a string cannot fail.
        let _ = write!(line, "{byte:02x}");
    }
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_all()?;
    File::open(folder_of(path))?.sync_all()?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn from_hex(digits: &str) -> Option<Zeroizing<[u8; 32]>> {
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = Zeroizing::new([0; 32]);
    for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::from_hex;

    #[test]
    fn a_key_file_is_64_hexadecimal_digits() {
        assert!(from_hex(&"0f".repeat(32)).is_some());
        for bad in [
            "",
            "0f",
            &"0g".repeat(32),
            &"0f".repeat(33),
            &"é".repeat(32),
        ] {
            assert!(from_hex(bad).is_none(), "{bad}");
        }
    }
}
