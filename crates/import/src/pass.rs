//! Reads the dump from beginning to end, once for each group of tables.
//!
//! Rows arrive in the order of the dump, which is mostly that of the names of its tables, so that
//! invoices come before the users they refer to. The file is there to be read again, so each group
//! of tables that refers to another has a pass of its own. Small tables are kept in memory, within
//! limits; of the others only one batch is, so memory does not grow with the dump.

use std::fs::File;
use std::path::Path;

use db::Progress;
use dump::{Item, Reader, Row};
use futures_util::future::LocalBoxFuture;
use kernel::write::Edit;
use kernel::{Error, Result};

use crate::record::{Record, refused};
use crate::report::Output;

/// Rows that are written at once, and the bytes of them that are kept in memory.
const BATCH_ROWS: usize = 1_000;
const BATCH_BYTES: usize = 4 << 20;
/// Bytes of the dump between two reports of progress, and between two moments when a signal can
/// end the import: on SQLite nothing else waits.
const STEP: u64 = 1 << 20;

/// A table that is read in a pass.
pub trait Stage: Send {
    /// Without the prefix.
    fn table(&self) -> &'static str;

    /// Takes a row, to be written with others. Returns about how many bytes of it are kept.
    fn take(&mut self, record: Record<'_>, output: &mut Output<'_>) -> Result<usize>;

    /// Writes the rows that were taken.
    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>>;
}

/// The dump, and the prefix of its tables in lower case.
pub struct Source<'a> {
    pub path: &'a Path,
    pub prefix: &'a str,
}

impl Source<'_> {
    fn open(&self) -> Result<File> {
        let path = self.path.display();
        File::open(self.path).map_err(|error| Error::internal(format!("{path}: {error}")))
    }

    /// Opens a reader of the tables for which this is true, and begins the display of progress.
    pub fn reader<'r>(
        &self,
        pass: &'static str,
        is_wanted: impl Fn(&str) -> bool + Send + 'r,
        progress: &mut dyn Progress,
    ) -> Result<Reader<'r>> {
        let file = self.open()?;
        let length = file.metadata().map_or(0, |file| file.len());
        progress.begin(pass, length);
        Ok(Reader::new(file).map_err(refused)?.only(is_wanted))
    }

    /// The name of a table without the prefix; `None` if it has another one.
    pub fn short<'n>(&self, table: &'n str) -> Option<&'n str> {
        let (start, name) = table.split_at_checked(self.prefix.len())?;
        start.eq_ignore_ascii_case(self.prefix).then_some(name)
    }

    /// Reads the tables of these stages.
    pub async fn read(
        &self,
        pass: &'static str,
        stages: &mut [&mut dyn Stage],
        edit: &mut Edit,
        output: &mut Output<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<()> {
        let names = stages
            .iter()
            .map(|stage| self.prefix.to_owned() + stage.table());
        let names: Vec<String> = names.collect();
        let is_wanted = |table: &str| names.iter().any(|name| name == table);
        let mut reader = self.reader(pass, is_wanted, progress)?;
        let mut steps = Steps::default();
        let mut batches = vec![Batch::default(); stages.len()];
        let keeps_rows = output.keeps_rows();
        while let Some(item) = reader.next().map_err(refused)? {
            let Item::Row(row) = item else {
                continue;
            };
            let Some(at) = names.iter().position(|name| is_named(row, name)) else {
                continue;
            };
            let record = Record::new(row, keeps_rows);
            let taken = stages[at].take(record, output)?;
            batches[at].add(taken);
            if batches[at].is_full() {
                batches[at] = Batch::default();
                stages[at].write(edit, output).await?;
            }
            steps.advance(&reader, progress).await;
        }
        for stage in stages {
            stage.write(edit, output).await?;
        }
        steps.finish(&reader, progress);
        Ok(())
    }
}

fn is_named(row: Row<'_>, name: &str) -> bool {
    row.table().eq_ignore_ascii_case(name)
}

/// How much waits to be written.
#[derive(Clone, Default)]
struct Batch {
    rows: usize,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, bytes: usize) {
        self.rows += 1;
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }
}

/// Reports how far a dump is read.
#[derive(Default)]
pub struct Steps {
    reported: u64,
}

impl Steps {
    pub async fn advance(&mut self, reader: &Reader<'_>, progress: &mut dyn Progress) {
        if reader.bytes_read() >= self.reported + STEP {
            self.finish(reader, progress);
            tokio::task::yield_now().await;
        }
    }

    pub fn finish(&mut self, reader: &Reader<'_>, progress: &mut dyn Progress) {
        let read = reader.bytes_read();
        progress.advance(read - self.reported);
        self.reported = read;
    }
}
