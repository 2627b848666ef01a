use std::sync::Arc;
use std::time::Instant;

use super::handle::Handle;
use super::readers::Reader;
use super::writer::WriterTurn;
use crate::metrics::Metrics;
use crate::{Result, Row, Value};

/// A connection in use: a reader of the pool, or a turn with the one writer.
pub struct Session {
    lease: Lease,
    metrics: Arc<Metrics>,
}

pub(super) enum Lease {
    Reader(Reader),
    Writer(WriterTurn),
}

impl Session {
    pub(super) fn new(lease: Lease, metrics: Arc<Metrics>) -> Self {
        Self { lease, metrics }
    }

    fn handle(&mut self) -> Result<&mut Handle> {
        match &mut self.lease {
            Lease::Reader(reader) => Ok(reader.handle()),
            Lease::Writer(turn) => turn.handle(),
        }
    }

    pub(crate) fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let started = Instant::now();
        let rows = self.handle()?.query(sql, params, map);
        self.metrics.read.record(started.elapsed());
        rows
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let started = Instant::now();
        let rows = self.handle()?.execute(sql, params);
        self.metrics.write.record(started.elapsed());
        rows
    }

    pub(crate) fn load<const N: usize>(
        &mut self,
        table: &str,
        columns: [&str; N],
        rows: &[[Value<'_>; N]],
    ) -> Result<()> {
        let started = Instant::now();
        let loaded = self.handle()?.load(table, columns, rows);
        self.metrics.write.record(started.elapsed());
        loaded
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.handle()?.batch(sql)
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
            Lease::Reader(_) => Ok(()),
            Lease::Writer(turn) => turn.rollback().await,
        }
    }
}
