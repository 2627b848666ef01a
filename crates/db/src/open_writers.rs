//! Which transactions have written to a table, or are about to, and have not ended yet.

use std::collections::BTreeSet;

use crate::{Conn, Result, params};

/// The transactions under way that write to one table. They can be compared with those of a later
/// moment: when none of them is left, all that they wrote is visible.
#[derive(Clone, Debug, Default)]
pub struct OpenWriters(BTreeSet<String>);

impl OpenWriters {
    /// Whether all these transactions have ended at the moment of `later`.
    pub fn have_ended(&self, later: &Self) -> bool {
        self.0.is_disjoint(&later.0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Conn {
    /// The transactions that write to `table` now. A transaction of PostgreSQL locks a table before
    /// it takes its first id there. On SQLite there are none: entries become visible in the order
    /// in which they were written.
    pub async fn open_writers(&mut self, table: &str) -> Result<OpenWriters> {
        if let Self::Sqlite(_) = self {
            return Ok(OpenWriters::default());
        }
        let holders = self
            .query(
                "SELECT l.virtualtransaction FROM pg_locks l
             JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
             WHERE l.relation = to_regclass($1) AND l.mode = 'RowExclusiveLock'",
                params![table],
                |row| row.get(0),
            )
            .await?;
        Ok(OpenWriters(holders.into_iter().collect()))
    }
}
