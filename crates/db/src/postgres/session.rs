use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use deadpool_postgres::Object;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Row, Statement};

use super::error::from_postgres;
use super::shared::Client;
use crate::metrics::Metrics;
use crate::{Error, MAX_CACHED_STATEMENTS, Result, Value};

/// A connection in use. If it is in a transaction, dropping it rolls back.
pub struct Session {
    client: Option<Client>,
    in_transaction: bool,
    // Whether a statement of the transaction failed. PostgreSQL then rolls back at COMMIT, but
    // reports success.
    has_failed: bool,
    metrics: Arc<Metrics>,
}

impl Session {
    pub(super) fn new(client: Client, metrics: Arc<Metrics>) -> Self {
        Self {
            client: Some(client),
            in_transaction: false,
            has_failed: false,
            metrics,
        }
    }

    fn client(&self) -> &Object {
        self.client.as_ref().expect("present until dropped")
    }

    pub(crate) async fn query(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Vec<Row>> {
        let started = Instant::now();
        let rows = fetch(self.client(), sql, params).await;
        self.metrics.read.record(started.elapsed());
        self.check(rows)
    }

    /// Sends both before it waits for either.
    pub(crate) async fn query_both(
        &mut self,
        [first, second]: [(&'static str, &[Value<'_>]); 2],
    ) -> Result<[Vec<Row>; 2]> {
        let started = Instant::now();
        let client = self.client();
        let (first_rows, second_rows) = tokio::join!(
            fetch(client, first.0, first.1),
            fetch(client, second.0, second.1),
        );
        let elapsed = started.elapsed();
        self.metrics.read.record(elapsed);
        self.metrics.read.record(elapsed);
        Ok([self.check(first_rows)?, self.check(second_rows)?])
    }

    pub(crate) async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let started = Instant::now();
        let client = self.client();
        let rows = match prepare(client, sql).await {
            Ok(statement) => client.execute(&statement, &as_dyn(params)).await,
            Err(error) => Err(error),
        };
        self.metrics.write.record(started.elapsed());
        self.check(rows)
    }

    pub(crate) async fn load<const N: usize>(
        &mut self,
        table: &str,
        columns: [&str; N],
        rows: &[[Value<'_>; N]],
    ) -> Result<()> {
        let started = Instant::now();
        // Loading many rows may take longer than a statement of a request.
        self.batch("SET LOCAL statement_timeout = 0").await?;
        self.batch(&set_fastupdate(table, true)).await?;
        let copied = copy(self.client(), table, &columns.join(", "), rows).await;
        self.check(copied)?;
        self.batch(&set_fastupdate(table, false)).await?;
        let restored = self.batch("SET LOCAL statement_timeout TO DEFAULT").await;
        self.metrics.write.record(started.elapsed());
        restored
    }

    pub(crate) async fn batch(&mut self, sql: &str) -> Result<()> {
        let done = self.client().batch_execute(sql).await;
        self.check(done)
    }

    /// Remembers that a statement failed.
    fn check<T>(&mut self, outcome: Result<T, tokio_postgres::Error>) -> Result<T> {
        self.has_failed |= outcome.is_err();
        outcome.map_err(from_postgres)
    }

    pub(super) async fn begin(&mut self) -> Result<()> {
        // Set first: if this is dropped while BEGIN is under way, it must be rolled back.
        self.in_transaction = true;
        self.batch("BEGIN").await
    }

    pub(crate) async fn commit(mut self) -> Result<()> {
        if self.has_failed {
            self.rollback().await?;
            return Err(Error::NotCommitted);
        }
        let started = Instant::now();
        self.batch("COMMIT").await?;
        self.in_transaction = false;
        self.metrics.commit.record(started.elapsed());
        Ok(())
    }

    pub(crate) async fn rollback(mut self) -> Result<()> {
        self.batch("ROLLBACK").await?;
        self.in_transaction = false;
        Ok(())
    }
}

async fn fetch(
    client: &Object,
    sql: &str,
    params: &[Value<'_>],
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let statement = prepare(client, sql).await?;
    client.query(&statement, &as_dyn(params)).await
}

async fn prepare(client: &Object, sql: &str) -> Result<Statement, tokio_postgres::Error> {
    let statement = client.prepare_cached(sql).await?;
    if client.statement_cache.size() > MAX_CACHED_STATEMENTS {
        client.statement_cache.clear();
    }
    Ok(statement)
}

async fn copy<const N: usize>(
    client: &Object,
    table: &str,
    columns: &str,
    rows: &[[Value<'_>; N]],
) -> Result<(), tokio_postgres::Error> {
    // COPY does not report the types of its columns.
    let columns_only = prepare(client, &format!("SELECT {columns} FROM {table}")).await?;
    let types: Vec<Type> = columns_only
        .columns()
        .iter()
        .map(|c| c.type_().clone())
        .collect();
    let copy = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
    let mut writer = pin!(BinaryCopyInWriter::new(
        client.copy_in(&copy).await?,
        &types
    ));
    for row in rows {
        writer.as_mut().write_raw(row).await?;
    }
    writer.finish().await.map(|_| ())
}

/// Sets `fastupdate` of the GIN indexes of a table. With it, PostgreSQL collects new entries and adds
/// them to the index in bulk, which makes loading eight times faster.
fn set_fastupdate(table: &str, on: bool) -> String {
    format!(
        "DO $$ DECLARE index REGCLASS; BEGIN
             FOR index IN SELECT i.indexrelid FROM pg_index i
                 JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
                 WHERE i.indrelid = '{table}'::REGCLASS AND a.amname = 'gin'
             LOOP
                 EXECUTE format('ALTER INDEX %s SET (fastupdate = {on})', index);
             END LOOP;
         END $$"
    )
}

fn as_dyn<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.in_transaction {
            return;
        }
        let Some(Client::Own(client)) = self.client.take() else {
            return;
        };
        // Unless the rollback succeeds, the connection must not return to the pool.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn(async move {
                    if client.batch_execute("ROLLBACK").await.is_err() {
                        drop(Object::take(client));
                    }
                });
            }
            Err(_) => drop(Object::take(client)),
        }
    }
}
