//! Transactions that have written to a table, or are about to, and have not ended.

use std::collections::BTreeSet;

use crate::{Conn, Result, params};

/// The open transactions that write to one table. Compare them with those of a later moment: when
/// none of them is left, everything that they wrote is visible.
#[derive(Clone, Debug, Default)]
pub struct OpenWriters(BTreeSet<String>);

impl OpenWriters {
    /// Returns `true` if all these transactions had ended by the time of `later`.
    pub fn have_ended(&self, later: &Self) -> bool {
        self.0.is_disjoint(&later.0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Conn {
    /// The transactions that write to `table` now. On PostgreSQL a transaction locks a table before
    /// it takes its first id there. On SQLite there are none: rows become visible in the order in
    /// which they were written.
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
