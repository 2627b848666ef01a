use std::sync::Arc;
use std::time::Instant;

use super::handle::Handle;
use super::readers::Readers;
use super::writer::WriterTurn;
use crate::fair_slots::Slot;
use crate::metrics::Metrics;
use crate::{Error, Result, Row, Value};

/// A connection in use: any reader, a turn with the one writer, or a snapshot.
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
    /// A connection of its own, in a read transaction that ends when it is closed.
    Snapshot(Box<Handle>),
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

    /// Lifts the limits that statements of requests have.
    pub(crate) fn allow_long_statements(&mut self) {
        self.is_limited = false;
    }

    pub(crate) async fn fold<A: Default>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        add: impl Fn(&mut A, &Row<'_>) -> Result<()>,
    ) -> Result<A> {
        let started = Instant::now();
        let whole = match &mut self.lease {
            Lease::Reader { readers, turn } => readers.fold(turn, sql, params, started, add).await,
            Lease::Writer(turn) if self.is_limited => {
                turn.limited(|handle| handle.fold(sql, params, add))
            }
            Lease::Writer(turn) => turn.unlimited(|handle| handle.fold(sql, params, add)),
            Lease::Snapshot(handle) => handle.fold(sql, params, add),
        };
        self.metrics.read.record(started.elapsed());
        whole
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        self.write(|handle| handle.execute(sql, params))
    }

    pub(crate) fn insert(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        self.write(|handle| handle.insert(sql, params))
    }

    fn write<T>(&mut self, work: impl FnOnce(&mut Handle) -> Result<T>) -> Result<T> {
        let started = Instant::now();
        let outcome = match &mut self.lease {
            Lease::Reader { readers, .. } => readers.with_handle(work)?,
            Lease::Writer(turn) if self.is_limited => turn.limited(work),
            Lease::Writer(turn) => turn.unlimited(work),
            Lease::Snapshot(handle) => work(handle),
        };
        self.metrics.write.record(started.elapsed());
        outcome
    }

    pub(crate) fn load(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<()> {
        let started = Instant::now();
        let loaded = match &mut self.lease {
            Lease::Reader { readers, .. } => {
                readers.with_handle(|handle| handle.load(table, columns, values))?
            }
            Lease::Writer(turn) => turn.unlimited(|handle| handle.load(table, columns, values)),
            Lease::Snapshot(handle) => handle.load(table, columns, values),
        };
        self.metrics.write.record(started.elapsed());
        loaded
    }

    /// Those of constraints have no statement and stay.
    pub(crate) fn drop_indexes(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
        let read = |all: &mut Vec<(String, String)>, row: &Row<'_>| {
            all.push((row.get(0)?, row.get(1)?));
            Ok(())
        };
        let indexes = match &mut self.lease {
            Lease::Writer(turn) => turn.unlimited(|handle| handle.fold(sql, &[], read))?,
            Lease::Reader { .. } | Lease::Snapshot(_) => Vec::new(),
        };
        let mut statements = Vec::new();
        for (name, statement) in indexes {
            self.batch(&format!("DROP INDEX {name}"))?;
            statements.push(statement);
        }
        Ok(statements)
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        match &mut self.lease {
            Lease::Reader { readers, .. } => readers.with_handle(|handle| handle.batch(sql))?,
            Lease::Writer(turn) => turn.unlimited(|handle| handle.batch(sql)),
            Lease::Snapshot(handle) => handle.batch(sql),
        }
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
