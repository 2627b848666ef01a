use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::connection::Connection;
use super::pool::PooledClient;
use super::shared::Client;
use super::tls::Tls;
use crate::metrics::Metrics;
use crate::{Error, Result, Value};

/// How much longer than the server this side waits for a statement.
const GRACE: Duration = Duration::from_secs(2);

/// How long a dropped transaction may take to be rolled back.
const CLEAN_UP: Duration = Duration::from_secs(2);

/// A connection in use. If it is in a transaction, dropping it rolls back.
///
/// Statements are boxed futures: handlers run many of them, and the handlers' own futures are
/// moved. They are also compiled once in this crate, not in each crate that uses it.
pub struct Session {
    client: Option<Client>,
    in_transaction: bool,
    /// Whether BEGIN must be sent before the next statement.
    must_begin: bool,
    // Whether a statement of the transaction failed. PostgreSQL then rolls back at COMMIT, but
    // reports success.
    has_failed: bool,
    // Whether a statement was sent and has not been awaited to its end.
    is_running: bool,
    /// How long to wait for a statement.
    limit: Duration,
    /// Settings for the connection that cancels a statement.
    tls: Tls,
    metrics: Arc<Metrics>,
}

impl Session {
    pub(super) fn new(client: Client, timeout: Duration, tls: Tls, metrics: Arc<Metrics>) -> Self {
        Self {
            client: Some(client),
            in_transaction: false,
            must_begin: false,
            has_failed: false,
            is_running: false,
            limit: timeout + GRACE,
            tls,
            metrics,
        }
    }

    /// Runs statements, with a time limit on this side as well.
    async fn run<T>(
        &mut self,
        limit: Duration,
        work: impl AsyncFnOnce(&PooledClient) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        self.is_running = true;
        let must_begin = std::mem::take(&mut self.must_begin);
        let connection: &Connection = self.client.as_ref().expect("present until dropped");
        // Pinned here: passing the future by value would store it twice.
        let statement = pin!(async {
            // Sent separately: if BEGIN failed, the statement would run without a transaction.
            if must_begin {
                connection.batch_execute("BEGIN").await?;
            }
            work(connection).await
        });
        let outcome = connection.run(limit, statement).await;
        self.is_running = false;
        self.has_failed |= outcome.is_err();
        outcome
    }

    /// Removes the limits on statements of requests until the end of the transaction.
    pub(crate) async fn allow_long_statements(&mut self) -> Result<()> {
        self.limit = Duration::MAX;
        self.batch(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
             SET LOCAL idle_in_transaction_session_timeout = 0;
             SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
             SET LOCAL enable_material = on",
        )
        .await
    }

    pub(crate) fn query<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Row>>> {
        Box::pin(async move {
            let started = Instant::now();
            let fetch = async |client: &PooledClient| fetch(client, sql, params).await;
            let rows = self.run(self.limit, fetch).await;
            self.metrics.record_read(sql, started.elapsed());
            rows
        })
    }

    /// Sends both statements before it waits for either.
    pub(crate) fn query_both<'a>(
        &'a mut self,
        [first, second]: [(&'static str, &'a [Value<'a>]); 2],
    ) -> BoxFuture<'a, Result<[Vec<Row>; 2]>> {
        Box::pin(async move {
            let started = Instant::now();
            let both = async |client: &PooledClient| {
                let (first_rows, second_rows) = tokio::join!(
                    fetch(client, first.0, first.1),
                    fetch(client, second.0, second.1),
                );
                Ok([first_rows?, second_rows?])
            };
            let rows = self.run(self.limit, both).await;
            let elapsed = started.elapsed();
            self.metrics.record_read(first.0, elapsed);
            self.metrics.record_read(second.0, elapsed);
            rows
        })
    }

    pub(crate) fn execute<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            let started = Instant::now();
            let execute = async |client: &PooledClient| {
                let statement = client.prepared(sql).await?;
                client.execute(&statement, &as_dyn(params)).await
            };
            let rows = self.run(self.limit, execute).await;
            self.metrics.write.record(started.elapsed());
            rows
        })
    }

    pub(crate) fn load<'a>(
        &'a mut self,
        table: &'a str,
        columns: &'a [&'a str],
        values: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.load_in_place(table, columns, values))
    }

    async fn load_in_place(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<()> {
        let started = Instant::now();
        // Loading many rows may take longer than a statement of a request.
        let is_limited = self.limit != Duration::MAX;
        if is_limited {
            self.batch("SET LOCAL statement_timeout = 0").await?;
        }
        self.batch(&set_fastupdate(table, true)).await?;
        let copy = async |client: &PooledClient| copy(client, table, columns, values).await;
        self.run(Duration::MAX, copy).await?;
        self.batch(&set_fastupdate(table, false)).await?;
        if is_limited {
            self.batch("SET LOCAL statement_timeout TO DEFAULT").await?;
        }
        self.metrics.write.record(started.elapsed());
        Ok(())
    }

    /// Drops the foreign keys of these tables and their indexes that are not unique. Returns the
    /// statements that create them.
    pub(crate) async fn drop_for_load(&mut self, tables: &[&str]) -> Result<Vec<String>> {
        let tables: Vec<String> = tables.iter().map(|&table| table.to_owned()).collect();
        let sql = "
            SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
            FROM pg_index
            WHERE indrelid = ANY($1::text[]::regclass[]) AND NOT indisunique
            UNION ALL
            SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
                   format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                          pg_get_constraintdef(oid))
            FROM pg_constraint
            WHERE conrelid = ANY($1::text[]::regclass[]) AND contype = 'f'";
        let rows = self.query(sql, &[Value::Texts(&tables)]).await?;
        let mut statements = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = crate::Row::Postgres(row);
            let drop: String = row.get(0)?;
            self.batch(&drop).await?;
            statements.push(row.get(1)?);
        }
        Ok(statements)
    }

    /// Has no time limit on this side: a batch may have disabled the server's.
    pub(crate) fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.run(Duration::MAX, async move |client: &PooledClient| {
            client.batch_execute(sql).await
        }))
    }

    fn control(&mut self, sql: &'static str) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.run(self.limit, async move |client: &PooledClient| {
            client.batch_execute(sql).await
        }))
    }

    /// Makes all further statements part of one transaction.
    pub(super) fn begin(&mut self) {
        self.in_transaction = true;
        self.must_begin = true;
    }

    pub(crate) async fn commit(mut self) -> Result<()> {
        if self.has_failed {
            self.rollback().await?;
            return Err(Error::NotCommitted);
        }
        if self.must_begin {
            self.in_transaction = false;
            return Ok(());
        }
        let started = Instant::now();
        self.control("COMMIT").await.map_err(|error| match error {
            // Without an answer, it is unknown what the server has done.
            Error::Unreachable(cause) => Error::OutcomeUnknown(cause),
            answered => answered,
        })?;
        self.in_transaction = false;
        self.metrics.commit.record(started.elapsed());
        Ok(())
    }

    pub(crate) async fn rollback(mut self) -> Result<()> {
        let is_lost = self.client.as_ref().is_some_and(|c| c.is_discarded());
        // A lost server rolls back on its own.
        if !is_lost && !self.must_begin {
            self.control("ROLLBACK").await?;
        }
        self.in_transaction = false;
        Ok(())
    }
}

async fn fetch(
    client: &PooledClient,
    sql: &'static str,
    params: &[Value<'_>],
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let statement = client.prepared(sql).await?;
    client.query(&statement, &as_dyn(params)).await
}

async fn copy(
    client: &PooledClient,
    table: &str,
    columns: &[&str],
    values: &[Value<'_>],
) -> Result<(), tokio_postgres::Error> {
    let width = columns.len();
    let columns = columns.join(", ");
    // COPY does not report the types of its columns.
    let columns_only = format!("SELECT {columns} FROM {table}");
    let columns_only = client.prepare(&columns_only).await?;
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
    for row in values.chunks(width) {
        writer.as_mut().write_raw(row).await?;
    }
    writer.finish().await.map(|_| ())
}

/// Sets `fastupdate` of the GIN indexes of a table. With it, PostgreSQL collects new entries and
/// adds them to the index in bulk, which makes loading eight times faster.
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
        let in_transaction = self.in_transaction && !self.must_begin;
        if !in_transaction && !self.is_running {
            return;
        }
        // A statement on a shared connection is short, and others wait for their own.
        let Some(Client::Own(connection)) = self.client.take() else {
            return;
        };
        // Unless the rollback succeeds, the connection must not return to the pool. Nor after a
        // cancellation, which may reach the server late and cancel the next statement.
        let running = self.is_running.then(|| self.tls.clone());
        let is_cancelled = running.is_some();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if !connection.is_discarded() => {
                runtime.spawn(async move {
                    let clean = clean_up(&connection, in_transaction, running);
                    let cleaned = tokio::time::timeout(CLEAN_UP, clean).await;
                    if is_cancelled || !matches!(cleaned, Ok(Ok(()))) {
                        connection.discard();
                    }
                });
            }
            _ => connection.discard(),
        }
    }
}

/// Cancels the `running` statement, which nothing awaits, and rolls back.
async fn clean_up(
    connection: &Connection,
    in_transaction: bool,
    running: Option<Tls>,
) -> Result<(), tokio_postgres::Error> {
    if let Some(tls) = running {
        connection.cancel_token().cancel_query(tls).await?;
    }
    // This also waits for the cancelled statement, so that the server has finished with it when
    // another connection takes this one's place.
    let sql = if in_transaction { "ROLLBACK" } else { "" };
    connection.batch_execute(sql).await
}
