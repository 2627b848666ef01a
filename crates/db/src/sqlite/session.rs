use std::sync::Arc;
use std::time::Instant;

use super::handle::{CopiedRows, Handle};
use super::readers::Readers;
use super::writer::WriterTurn;
use crate::fair_slots::Slot;
use crate::metrics::Metrics;
use crate::{Error, Result, Row, Value};

/// A connection in use: a reader, a turn with the writer, or a snapshot.
pub struct Session {
    lease: Lease,
    /// Whether statements of the writer have a time limit.
    is_limited: bool,
    metrics: Arc<Metrics>,
}

pub(super) enum Lease {
    Reader {
        readers: Arc<Readers>,
        turn: Option<Slot>,
    },
    Writer(WriterTurn),
    /// A separate connection, in a read transaction that ends when it is closed.
    Snapshot(Box<Handle>),
}

/// Whether a statement has visited all its rows.
#[must_use]
pub(crate) enum Visit {
    Complete,
    /// A read was interrupted, and may have visited some rows.
    TakesLong {
        since: Instant,
    },
}

impl Session {
    pub(super) fn new(lease: Lease, metrics: Arc<Metrics>) -> Self {
        Self {
            lease,
            is_limited: true,
            metrics,
        }
    }

    /// The connection of a snapshot.
    pub(super) fn into_snapshot(self) -> Result<Box<Handle>> {
        match self.lease {
            Lease::Snapshot(handle) => Ok(handle),
            _ => Err(Error::Engine("the connection is not a snapshot".into())),
        }
    }

    /// Removes the limits on statements of requests.
    pub(crate) fn allow_long_statements(&mut self) {
        self.is_limited = false;
    }

    /// Not generic, so that it is compiled once and not once for each statement.
    pub(crate) fn visit(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<Visit> {
        let started = Instant::now();
        let is_complete = match &mut self.lease {
            Lease::Reader { readers, .. } => readers.visit(sql, params, started, visit),
            _ => self
                .run(started, self.is_limited, |handle| {
                    handle.visit(sql, params, visit)
                })
                .map(|()| true),
        };
        if let Ok(false) = is_complete {
            return Ok(Visit::TakesLong { since: started });
        }
        self.metrics.record_read(sql, started.elapsed());
        is_complete.map(|_| Visit::Complete)
    }

    /// Reads the rows of a read that [takes long](Visit::TakesLong). Frees its turn first.
    pub(crate) async fn copy_rows(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        since: Instant,
    ) -> Result<CopiedRows> {
        let Lease::Reader { readers, turn } = &mut self.lease else {
            return Err(Error::Engine("the connection is not a reader".into()));
        };
        *turn = None;
        let rows = readers.copy_rows(sql, params).await;
        self.metrics.record_read(sql, since.elapsed());
        rows
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        self.write(self.is_limited, |handle| handle.execute(sql, params))
    }

    pub(crate) fn insert(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        self.write(self.is_limited, |handle| handle.insert(sql, params))
    }

    pub(crate) fn load(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<()> {
        self.write(false, |handle| handle.load(table, columns, values))
    }

    pub(crate) fn limit_load_cache(&mut self, kibibytes: i64) -> Result<()> {
        self.run(Instant::now(), false, |handle| {
            handle.limit_load_cache(kibibytes);
            Ok(())
        })
    }

    fn write<T>(
        &mut self,
        is_limited: bool,
        work: impl FnOnce(&mut Handle) -> Result<T>,
    ) -> Result<T> {
        let started = Instant::now();
        let outcome = self.run(started, is_limited, work);
        self.metrics.write.record(started.elapsed());
        outcome
    }

    fn run<T>(
        &mut self,
        started: Instant,
        is_limited: bool,
        work: impl FnOnce(&mut Handle) -> Result<T>,
    ) -> Result<T> {
        match &mut self.lease {
            Lease::Reader { readers, .. } => readers.handles().with(work)?,
            Lease::Writer(turn) => turn.run(started, is_limited, work),
            Lease::Snapshot(handle) => work(handle),
        }
    }

    /// Drops the indexes that have a statement; those of constraints have none and stay.
    pub(crate) fn drop_indexes(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
        let mut indexes: Vec<(String, String)> = Vec::new();
        let push = &mut |row: &Row<'_>| {
            indexes.push((row.get(0)?, row.get(1)?));
            Ok(())
        };
        self.run(Instant::now(), false, |handle| handle.visit(sql, &[], push))?;
        let mut statements = Vec::new();
        for (name, statement) in indexes {
            self.batch(&format!("DROP INDEX {name}"))?;
            statements.push(statement);
        }
        Ok(statements)
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.run(Instant::now(), false, |handle| handle.batch(sql))
    }

    pub(crate) async fn commit(self) -> Result<()> {
        let started = Instant::now();
        if let Lease::Writer(turn) = self.lease {
            turn.commit().await?;
        }
        self.metrics.commit.record(started.elapsed());
        Ok(())
    }

    pub(crate) async fn rollback(self) -> Result<()> {
        match self.lease {
            Lease::Reader { .. } | Lease::Snapshot(_) => Ok(()),
            Lease::Writer(turn) => turn.rollback().await,
        }
    }
}
