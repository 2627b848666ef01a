//! The report of an import as a file of JSON, and the rows of it that a terminal shows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Result;
use crate::output::print_line;

/// How many rows are named on the terminal.
const SHOWN: usize = 20;

/// The rows that are left out or changed: the first for the terminal, all for the file.
pub struct Rows {
    shown: Vec<String>,
    more: u64,
    file: Option<NewFile>,
    is_empty: bool,
}

impl Rows {
    pub fn new(path: Option<&Path>) -> Result<Self> {
        let file = path.map(NewFile::create).transpose()?;
        Ok(Self {
            shown: Vec::new(),
            more: 0,
            file,
            is_empty: true,
        })
    }

    pub fn add(
        &mut self,
        table: &str,
        id: Option<i64>,
        reason: &str,
        note: &impl Serialize,
    ) -> io::Result<()> {
        match self.shown.len() {
            SHOWN => self.more += 1,
            _ => {
                let id = id.map(|id| format!(" {id}")).unwrap_or_default();
                // Escaped: a name may contain anything.
                let table = table.escape_debug();
                self.shown.push(format!("{table}{id}: {reason}"));
            }
        }
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let before: &[u8] = match self.is_empty {
            true => b"{\"rows\":[\n",
            false => b",\n",
        };
        self.is_empty = false;
        file.writer.write_all(before)?;
        Ok(serde_json::to_writer(&mut file.writer, note)?)
    }

    /// Writes the fields of `rest`, which is an object, beside the rows.
    pub fn finish(&mut self, rest: &impl Serialize) -> Result {
        let explain = |error| format!("the report cannot be written: {error}");
        Ok(self.write_rest(rest).map_err(explain)?)
    }

    fn write_rest(&mut self, rest: &impl Serialize) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let before: &[u8] = match self.is_empty {
            true => b"{\"rows\":[",
            false => b"\n",
        };
        file.writer.write_all(before)?;
        file.writer.write_all(b"],\n")?;
        let rest = serde_json::to_string(rest)?;
        let fields = rest.strip_prefix('{').unwrap_or_default();
        file.writer.write_all(fields.as_bytes())?;
        file.writer.write_all(b"\n")?;
        file.sync()
    }

    pub fn keep(&mut self) {
        if let Some(file) = &mut self.file {
            file.keep();
        }
    }

    pub fn print(&self) -> Result {
        for row in &self.shown {
            print_line!("{row}")?;
        }
        if self.more > 0 {
            print_line!("and {} more", self.more)?;
        }
        Ok(())
    }
}

/// A file that is removed again unless it is to be kept.
pub struct NewFile {
    path: PathBuf,
    pub writer: BufWriter<File>,
    is_kept: bool,
}

impl NewFile {
    pub fn create(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let shown = path.display();
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{shown} exists; choose another name"),
            _ => format!("{shown}: {error}"),
        })?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
            is_kept: false,
        })
    }

    pub fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()
    }

    pub fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}
