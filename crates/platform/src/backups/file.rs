//! Backup files: written under a temporary name until complete, and unpacked for reading.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The first bytes of a file compressed with zstd.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const COMPRESSION_LEVEL: i32 = 3;

/// A file that appears under its name only when it is complete. Dropping it removes a partial file.
pub struct NewFile {
    path: PathBuf,
    // Removed when dropped. In the same folder, so that the file can be renamed.
    folder: TempDir,
}

impl NewFile {
    pub fn new(path: &Path) -> io::Result<Self> {
        let mut random = tempfile::Builder::new();
        random.prefix(".steward-backup-");
        Self::in_folder(path, random.tempdir_in(parent(path))?)
    }

    /// Like [`Self::new`], with a work folder of this name next to the file.
    pub fn written_in(path: &Path, folder: &str) -> io::Result<Self> {
        let mut exactly = tempfile::Builder::new();
        exactly.prefix(folder).rand_bytes(0);
        Self::in_folder(path, exactly.tempdir_in(parent(path))?)
    }

    fn in_folder(path: &Path, folder: TempDir) -> io::Result<Self> {
        let new = Self {
            path: path.to_owned(),
            folder,
        };
        create_private(&new.partial())?;
        Ok(new)
    }

    /// The path to write the database to.
    pub fn partial(&self) -> PathBuf {
        self.folder.path().join("backup.db")
    }

    /// Compresses the database that was written.
    pub fn compress(&self) -> io::Result<()> {
        let compressed = self.folder.path().join("compressed");
        let mut source = File::open(self.partial())?;
        let target = create_private(&compressed)?;
        let mut encoder = zstd::Encoder::new(target, COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        io::copy(&mut source, &mut encoder)?;
        encoder.finish()?.flush()?;
        std::fs::rename(compressed, self.partial())
    }

    /// Gives the file its name, durably. Fails if a file with this name exists, unless `overwrite`.
    pub fn finish(&self, overwrite: bool) -> io::Result<()> {
        let partial = self.partial();
        File::open(&partial)?.sync_all()?;
        if overwrite {
            std::fs::rename(&partial, &self.path)?;
        } else {
            // Unlike a rename, a link never replaces a file.
            std::fs::hard_link(&partial, &self.path)?;
        }
        let parent = self.folder.path().parent().unwrap_or(Path::new("."));
        File::open(parent)?.sync_all()
    }
}

/// A copy of a backup that can be opened and migrated. Dropping it removes it.
pub struct Unpacked {
    folder: TempDir,
}

impl Unpacked {
    pub fn new(path: &Path) -> io::Result<Self> {
        let mut source = File::open(path)?;
        let unpacked = Self {
            folder: tempfile::Builder::new()
                .prefix("steward-restore-")
                .tempdir()?,
        };
        let mut target = create_private(&unpacked.path())?;
        let mut magic = Vec::new();
        Read::by_ref(&mut source).take(4).read_to_end(&mut magic)?;
        let mut whole = magic.as_slice().chain(source);
        if magic == ZSTD_MAGIC {
            zstd::stream::copy_decode(whole, &mut target)?;
        } else {
            io::copy(&mut whole, &mut target)?;
        }
        Ok(unpacked)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("backup.db")
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}
