use std::sync::Arc;
use std::time::Instant;

use super::handle::Handle;
use super::readers::Reader;
use super::writer::WriterTurn;
use crate::meters::Meters;
use crate::{Result, Row, Value};

/// A connection in use: a reader out of the pool, or a turn with the one writer.
pub struct Session {
    lent: Lent,
    meters: Arc<Meters>,
}

pub(super) enum Lent {
    Reader(Reader),
    Writer(WriterTurn),
}

impl Session {
    pub(super) fn new(lent: Lent, meters: Arc<Meters>) -> Self {
        Self { lent, meters }
    }

    fn handle(&mut self) -> Result<&mut Handle> {
        match &mut self.lent {
            Lent::Reader(reader) => Ok(reader.handle()),
            Lent::Writer(turn) => turn.handle(),
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
        self.meters.read.record(started.elapsed());
        rows
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let started = Instant::now();
        let rows = self.handle()?.execute(sql, params);
        self.meters.write.record(started.elapsed());
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
        self.meters.write.record(started.elapsed());
        loaded
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.handle()?.batch(sql)
    }

    pub(crate) async fn commit(self) -> Result<()> {
        let started = Instant::now();
        if let Lent::Writer(turn) = self.lent {
            turn.commit().await?;
        }
        self.meters.commit.record(started.elapsed());
        Ok(())
    }

    pub(crate) async fn rollback(self) -> Result<()> {
        match self.lent {
            Lent::Reader(_) => Ok(()),
            Lent::Writer(turn) => turn.rollback().await,
        }
    }
}
