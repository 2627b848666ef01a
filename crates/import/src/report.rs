//! The report: counts of each table, and every row that is changed or left out.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use crate::record::Kept;
use kernel::{Error, Result};

/// Takes what the import reports about single rows.
pub trait Report: Send {
    fn add(&mut self, note: &Note<'_>) -> io::Result<()>;

    /// Whether rows without a place are wanted.
    fn keeps_rows(&self) -> bool;

    /// A row without a place, as a line of JSON.
    fn keep_row(&mut self, table: &str, json: &str) -> io::Result<()>;
}

/// A row that is changed or left out, or something about a whole table.
#[derive(Debug, Serialize)]
pub struct Note<'a> {
    pub table: &'a str,
    pub id: Option<i64>,
    pub reason: &'a str,
}

/// Rows of one table of the dump.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub read: u64,
    pub written: u64,
    pub changed: u64,
    pub left_out: u64,
}

/// Rows by table.
pub type Tables = BTreeMap<String, Counts>;

/// The report while it is made. Tables are named without their prefix.
pub struct Output<'a> {
    prefix: String,
    tables: Tables,
    report: &'a mut dyn Report,
}

impl<'a> Output<'a> {
    pub fn new(prefix: &str, report: &'a mut dyn Report) -> Self {
        Self {
            prefix: prefix.to_owned(),
            tables: Tables::new(),
            report,
        }
    }

    pub fn into_tables(self) -> Tables {
        self.tables
    }

    pub fn keeps_rows(&self) -> bool {
        self.report.keeps_rows()
    }

    pub fn counts(&mut self, table: &str) -> &mut Counts {
        let name = format!("{}{table}", self.prefix);
        self.tables.entry(name).or_default()
    }

    pub fn leave_out(&mut self, table: &str, kept: &Kept, reason: &str) -> Result<()> {
        self.counts(table).left_out += 1;
        self.note(table, Some(kept.id), &format!("left out: {reason}"))?;
        self.keep_row(table, kept.json.as_deref())
    }

    /// Counts a row that nothing takes the place of, with one note for all of the table.
    pub fn without_place(&mut self, table: &str, json: Option<&str>) -> Result<()> {
        let counts = self.counts(table);
        counts.read += 1;
        counts.left_out += 1;
        self.keep_row(table, json)
    }

    /// A row that is written, with what differs from the dump.
    pub fn write(&mut self, table: &str, id: i64, changes: &[String]) -> Result<()> {
        let counts = self.counts(table);
        counts.written += 1;
        if changes.is_empty() {
            return Ok(());
        }
        counts.changed += 1;
        changes.iter().try_for_each(|change| {
            let reason = format!("changed: {change}");
            self.note(table, Some(id), &reason)
        })
    }

    pub fn note(&mut self, table: &str, id: Option<i64>, reason: &str) -> Result<()> {
        let table = format!("{}{table}", self.prefix);
        let note = Note {
            table: &table,
            id,
            reason,
        };
        self.report.add(&note).map_err(unwritable)
    }

    fn keep_row(&mut self, table: &str, json: Option<&str>) -> Result<()> {
        match json {
            Some(json) => {
                let table = format!("{}{table}", self.prefix);
                self.report.keep_row(&table, json).map_err(unwritable)
            }
            None => Ok(()),
        }
    }
}

fn unwritable(error: io::Error) -> Error {
    Error::internal(format!("the report cannot be written: {error}"))
}
