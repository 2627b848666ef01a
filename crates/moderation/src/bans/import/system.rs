//! The programs whose dumps can be imported.

use dump::{Error, Row};

use super::found::{Found, Read};

/// A program whose bans are imported.
pub trait System: Send + Sync {
    /// The name in the source of its bans.
    fn name(&self) -> &'static str;

    /// The tables to read before bans, by their names in lower case.
    fn first(&self) -> &[String];

    /// The tables with bans. A dump without the first of them is refused.
    fn bans(&self) -> &[BanTable];

    /// Whether its tables have times that are shown in the time zone of the dump.
    fn needs_utc(&self) -> bool {
        false
    }

    /// Remembers a row of the tables to read first.
    fn learn(&mut self, table: usize, row: &Row<'_>) -> Result<(), Error>;

    /// Reads a row of a table with bans.
    fn read<'a>(&'a self, table: usize, row: &Row<'a>) -> Read<Found<'a>>;
}

/// A table with bans.
pub struct BanTable {
    /// In lower case.
    pub name: String,
    /// The prefix of the ids of its bans.
    pub label: &'static str,
    pub id: &'static str,
}

impl BanTable {
    pub fn new(name: String, label: &'static str, id: &'static str) -> Self {
        Self { name, label, id }
    }
}
