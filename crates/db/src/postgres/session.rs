use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use deadpool_postgres::Object;
use tokio_postgres::Statement;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::error::from_postgres;
use super::shared::Client;
use crate::meters::Meters;
use crate::{Error, Query, Result, Row, STATEMENTS_KEPT, Value};

/// A connection in use; in a transaction it is rolled back when dropped.
pub struct Session {
    client: Option<Client>,
    in_transaction: bool,
    // PostgreSQL answers the COMMIT of a transaction in which a statement failed with success,
    // and rolls it back.
    failed: bool,
    meters: Arc<Meters>,
}

impl Session {
    pub(super) fn new(client: Client, meters: Arc<Meters>) -> Self {
        Self {
            client: Some(client),
            in_transaction: false,
            failed: false,
            meters,
        }
    }

    fn client(&self) -> &Object {
        self.client.as_ref().expect("it leaves only when dropped")
    }

    pub(crate) async fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let started = Instant::now();
        let rows = fetched(self.client(), sql, params).await;
        self.meters.read.record(started.elapsed());
        mapped(&self.noted(rows)?, map)
    }

    /// Both are sent before the answer to either is awaited.
    pub(crate) async fn both<A, B>(
        &mut self,
        first: Query<'_, impl FnMut(&Row<'_>) -> Result<A>>,
        second: Query<'_, impl FnMut(&Row<'_>) -> Result<B>>,
    ) -> Result<(Vec<A>, Vec<B>)> {
        let started = Instant::now();
        let client = self.client();
        let (one, other) = tokio::join!(
            fetched(client, first.sql, &first.params),
            fetched(client, second.sql, &second.params),
        );
        let elapsed = started.elapsed();
        self.meters.read.record(elapsed);
        self.meters.read.record(elapsed);
        let (one, other) = (self.noted(one)?, self.noted(other)?);
        Ok((mapped(&one, first.map)?, mapped(&other, second.map)?))
    }

    pub(crate) async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let started = Instant::now();
        let client = self.client();
        let rows = match prepared(client, sql).await {
            Ok(statement) => client.execute(&statement, &borrowed(params)).await,
            Err(error) => Err(error),
        };
        self.meters.write.record(started.elapsed());
        self.noted(rows)
    }

    pub(crate) async fn load<const N: usize>(
        &mut self,
        table: &str,
        columns: [&str; N],
        rows: &[[Value<'_>; N]],
    ) -> Result<()> {
        let started = Instant::now();
        // So many rows take as long as they take.
        self.batch("SET LOCAL statement_timeout = 0").await?;
        self.batch(&gathered(table, true)).await?;
        let copied = copy(self.client(), table, &columns.join(", "), rows).await;
        self.noted(copied)?;
        self.batch(&gathered(table, false)).await?;
        let usual = self.batch("SET LOCAL statement_timeout TO DEFAULT").await;
        self.meters.write.record(started.elapsed());
        usual
    }

    pub(crate) async fn batch(&mut self, sql: &str) -> Result<()> {
        let done = self.client().batch_execute(sql).await;
        self.noted(done)
    }

    fn noted<T>(&mut self, outcome: Result<T, tokio_postgres::Error>) -> Result<T> {
        self.failed |= outcome.is_err();
        outcome.map_err(from_postgres)
    }

    pub(super) async fn begin(&mut self) -> Result<()> {
        // Set first: should this be dropped while BEGIN is under way, it is rolled back.
        self.in_transaction = true;
        self.batch("BEGIN").await
    }

    pub(crate) async fn commit(mut self) -> Result<()> {
        if self.failed {
            self.rollback().await?;
            return Err(Error::NotCommitted);
        }
        let started = Instant::now();
        self.batch("COMMIT").await?;
        self.in_transaction = false;
        self.meters.commit.record(started.elapsed());
        Ok(())
    }

    pub(crate) async fn rollback(mut self) -> Result<()> {
        self.batch("ROLLBACK").await?;
        self.in_transaction = false;
        Ok(())
    }
}

async fn fetched(
    client: &Object,
    sql: &str,
    params: &[Value<'_>],
) -> Result<Vec<tokio_postgres::Row>, tokio_postgres::Error> {
    let statement = prepared(client, sql).await?;
    client.query(&statement, &borrowed(params)).await
}

fn mapped<T>(
    rows: &[tokio_postgres::Row],
    mut map: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    rows.iter().map(|row| map(&Row::Postgres(row))).collect()
}

async fn prepared(client: &Object, sql: &str) -> Result<Statement, tokio_postgres::Error> {
    let statement = client.prepare_cached(sql).await?;
    if client.statement_cache.size() > STATEMENTS_KEPT {
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
    // COPY does not tell the types of its columns.
    let shape = prepared(client, &format!("SELECT {columns} FROM {table}")).await?;
    let types: Vec<Type> = shape.columns().iter().map(|c| c.type_().clone()).collect();
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

/// Whether new rows are gathered before they are sorted into the indexes that have many entries for
/// a row. To sort them in one by one takes eight times as long.
fn gathered(table: &str, on: bool) -> String {
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

fn borrowed<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
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
        // The connection returns to the pool clean, or not at all.
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
