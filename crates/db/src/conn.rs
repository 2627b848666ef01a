use std::ops::{Deref, DerefMut};
use std::path::Path;

use futures_util::future::BoxFuture;

use crate::sqlite::Visit;
use crate::version::new_generation;
use crate::{AdvisoryLock, Db, Error, Progress, Result, Row, Value, params, postgres, sqlite};

/// A connection that statements run on. [`Read`] and [`Tx`] dereference to it.
///
/// Statements are `'static` because each connection caches the ones it has prepared.
pub enum Conn {
    #[doc(hidden)]
    Sqlite(sqlite::Session),
    #[doc(hidden)]
    Postgres(Box<postgres::Session>),
}

/// Statements that create the indexes and foreign keys that a [load](Tx::drop_for_load) does without.
pub struct Dropped(Vec<String>);

/// A statement, its parameters, and how to map each row.
pub struct Query<'a, M> {
    pub sql: &'static str,
    pub params: Vec<Value<'a>>,
    pub map: M,
}

impl Conn {
    /// Reads all rows, each mapped to a `T`.
    pub async fn query<T: Send>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let push = move |rows: &mut Vec<T>, row: &Row<'_>| {
            rows.push(map(row)?);
            Ok(())
        };
        self.fold(sql, params, push).await
    }

    /// Folds all rows into one value. `add` must not have other effects: on SQLite, a long read is
    /// restarted in another thread with a new value.
    pub async fn fold<A: Default + Send>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        mut add: impl FnMut(&mut A, &Row<'_>) -> Result<()> + Send,
    ) -> Result<A> {
        let mut whole = A::default();
        let visit = &mut |step: Step<'_>| match step {
            Step::Restart => {
                whole = A::default();
                Ok(())
            }
            Step::Row(row) => add(&mut whole, row),
        };
        self.visit(sql, params, visit).await?;
        Ok(whole)
    }

    /// Not generic, so that it is compiled once and not once for each statement.
    fn visit<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
        visit: &'a mut (dyn FnMut(Step<'_>) -> Result<()> + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            Value::check(params)?;
            match self {
                Self::Sqlite(session) => {
                    // Reads of SQLite are always ready. Without this, a task that does nothing else
                    // would never let others run.
                    tokio::task::coop::consume_budget().await;
                    let visited = session.visit(sql, params, &mut |row| visit(Step::Row(row)))?;
                    let Visit::TakesLong { since } = visited else {
                        return Ok(());
                    };
                    visit(Step::Restart)?;
                    let rows = session.copy_rows(sql, params, since).await?;
                    rows.iter().try_for_each(|row| visit(Step::Row(&row)))
                }
                Self::Postgres(session) => {
                    let rows = session.query(sql, params).await?;
                    let mut rows = rows.iter().map(Row::Postgres);
                    rows.try_for_each(|row| visit(Step::Row(&row)))
                }
            }
        })
    }

    /// Reads the first row, if there is one.
    pub async fn query_opt<T: Send>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let keep_first = move |first: &mut Option<T>, row: &Row<'_>| {
            if first.is_none() {
                *first = Some(map(row)?);
            }
            Ok(())
        };
        self.fold(sql, params, keep_first).await
    }

    /// Reads the first row; [`Error::NoRow`] if there is none.
    pub async fn query_one<T: Send>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send,
    ) -> Result<T> {
        let row = self.query_opt(sql, params, map).await?;
        row.ok_or(Error::NoRow)
    }

    /// Reads all rows of two statements in one round trip. Each statement sees the newest committed
    /// state, as if they ran one after the other.
    pub async fn query_both<A: Send, B: Send>(
        &mut self,
        first: Query<'_, impl Fn(&Row<'_>) -> Result<A> + Send>,
        second: Query<'_, impl Fn(&Row<'_>) -> Result<B> + Send>,
    ) -> Result<(Vec<A>, Vec<B>)> {
        Value::check(&first.params)?;
        Value::check(&second.params)?;
        match self {
            Self::Sqlite(_) => Ok((
                self.query(first.sql, &first.params, first.map).await?,
                self.query(second.sql, &second.params, second.map).await?,
            )),
            Self::Postgres(session) => {
                let statements = [(first.sql, &*first.params), (second.sql, &*second.params)];
                let [first_rows, second_rows] = session.query_both(statements).await?;
                Ok((
                    map_rows(&first_rows, first.map)?,
                    map_rows(&second_rows, second.map)?,
                ))
            }
        }
    }

    /// Runs a statement and returns the number of rows it changed.
    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        Value::check(params)?;
        match self {
            Self::Sqlite(session) => session.execute(sql, params),
            Self::Postgres(session) => session.execute(sql, params).await,
        }
    }

    /// Inserts one row and returns its id. The statement must end in `RETURNING id`.
    pub async fn insert(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        Value::check(params)?;
        match self {
            Self::Sqlite(session) => session.insert(sql, params),
            Self::Postgres(session) => {
                let rows = session.query(sql, params).await?;
                Row::Postgres(rows.first().ok_or(Error::NoRow)?).get(0)
            }
        }
    }

    pub(crate) async fn batch(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(session) => session.batch(sql),
            Self::Postgres(session) => session.batch(sql).await,
        }
    }
}

/// A step of reading rows.
enum Step<'a> {
    Row(&'a Row<'a>),
    /// All rows follow again.
    Restart,
}

fn map_rows<T>(
    rows: &[tokio_postgres::Row],
    map: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    rows.iter().map(|row| map(&Row::Postgres(row))).collect()
}

/// A connection for reading.
pub struct Read(pub(crate) Conn);

impl Deref for Read {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.0
    }
}

impl Read {
    /// Writes a [snapshot](Db::snapshot) to a new SQLite file, page by page. On PostgreSQL, which
    /// has no such pages, it returns the snapshot itself.
    pub async fn write_sqlite_file(
        self,
        file: &Path,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<Self>> {
        match self.0 {
            Conn::Sqlite(session) => {
                session.write_file(file, progress).await?;
                Ok(None)
            }
            Conn::Postgres(_) => Ok(Some(self)),
        }
    }

    /// Ends a [snapshot](Db::snapshot) and releases its lock. Dropping it does so slightly later.
    pub async fn close(self) {
        if let Conn::Postgres(session) = self.0
            && let Err(error) = session.rollback().await
        {
            // The connection is lost, and the server will end the transaction.
            tracing::debug!(%error, "cannot close a snapshot");
        }
    }
}

impl DerefMut for Read {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.0
    }
}

/// A transaction. Dropping it rolls back.
pub struct Tx {
    db: Db,
    conn: Conn,
    has_announced: bool,
}

impl Tx {
    pub(crate) fn new(db: Db, conn: Conn) -> Self {
        Self {
            db,
            conn,
            has_announced: false,
        }
    }

    /// Announces to every instance that the data of `topic` have changed. When the commit returns,
    /// no instance uses an earlier version. See [`Db::changes`].
    pub async fn announce(&mut self, topic: &'static str) -> Result<()> {
        let sql = "INSERT INTO changes (topic, counter, generation) VALUES ($1, 1, $2)
                   ON CONFLICT (topic) DO UPDATE SET counter = changes.counter + 1,
                       generation = excluded.generation";
        let params = params![topic, new_generation()];
        self.execute(sql, params).await?;
        self.has_announced = true;
        Ok(())
    }

    /// The last announcement of `topic`, as this transaction sees it. See
    /// [`Version::announcement`](crate::Version::announcement).
    pub async fn last_announcement(&mut self, topic: &'static str) -> Result<i64> {
        let sql = "SELECT generation FROM changes WHERE topic = $1";
        let last = self
            .query_opt(sql, params![topic], |row| row.get(0))
            .await?;
        Ok(last.unwrap_or(0))
    }

    /// Runs an `INSERT` that ends in `RETURNING` the last announcement of `topic`. On SQLite it is
    /// read separately: `RETURNING` would create a temporary table each time.
    pub async fn insert_returning_announcement(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        topic: &'static str,
    ) -> Result<i64> {
        Value::check(params)?;
        match &mut self.conn {
            Conn::Sqlite(session) => {
                let (insert, _) = sql.rsplit_once("RETURNING").unwrap_or((sql, ""));
                session.execute(insert, params)?;
                self.last_announcement(topic).await
            }
            Conn::Postgres(session) => {
                let rows = session.query(sql, params).await?;
                let last: Option<i64> = Row::Postgres(rows.first().ok_or(Error::NoRow)?).get(0)?;
                Ok(last.unwrap_or(0))
            }
        }
    }

    /// Locks rows or a table until the end of the transaction: `SELECT ... FOR UPDATE`.
    ///
    /// Rows that depend on the lock must be read by a later statement: only that one sees
    /// everything that the previous holder of the lock has written. On SQLite this does nothing,
    /// since there is one writer at a time.
    pub async fn lock(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<()> {
        if let Conn::Postgres(session) = &mut self.conn {
            session.query(sql, params).await?;
        }
        Ok(())
    }

    /// Takes a lock that belongs to no row, until the end of the transaction. On SQLite this does
    /// nothing.
    pub async fn lock_advisory(&mut self, lock: AdvisoryLock) -> Result<()> {
        self.lock("SELECT pg_advisory_xact_lock($1)", params![lock as i64])
            .await
    }

    /// Reserves `count` consecutive ids of `table` for rows that will be [loaded](Self::load), and
    /// returns the first; 0 if `count` is 0. No other transaction may add rows in the meantime.
    pub async fn reserve_ids(&mut self, table: &'static str, count: i64) -> Result<i64> {
        if count == 0 {
            return Ok(0);
        }
        match &mut self.conn {
            Conn::Sqlite(session) => {
                let sql = "SELECT seq FROM sqlite_sequence WHERE name = $1";
                let mut last = 0;
                let read = &mut |row: &Row<'_>| {
                    last = row.get(0)?;
                    Ok(())
                };
                match session.visit(sql, params![table], read)? {
                    Visit::Complete => Ok(last + 1),
                    Visit::TakesLong { .. } => Err(Error::Busy),
                }
            }
            Conn::Postgres(session) => {
                let sql = "SELECT setval(ids, nextval(ids) + $2 - 1) - $2 + 1
                           FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS ids) AS of";
                let params = params![table, count];
                let rows = session.query(sql, params).await?;
                let row = rows.first().ok_or(Error::NoRow)?;
                Row::Postgres(row).get(0)
            }
        }
    }

    /// Inserts many rows at once, much faster than one by one. Triggers and constraints apply to
    /// every row.
    pub async fn load<'v, const N: usize>(
        &mut self,
        table: &'static str,
        columns: [&'static str; N],
        rows: impl IntoIterator<Item = [Value<'v>; N]>,
    ) -> Result<()> {
        let rows: Vec<_> = rows.into_iter().collect();
        Value::check(rows.as_flattened())?;
        self.load_values(table, &columns, rows.as_flattened()).await
    }

    /// Like [`Tx::load`], with the values of all rows concatenated.
    pub(crate) async fn load_values(
        &mut self,
        table: &'static str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        match &mut self.conn {
            Conn::Sqlite(session) => session.load(table, columns, values),
            Conn::Postgres(session) => session.load(table, columns, values).await,
        }
    }

    /// [Loads](Self::load) with a page cache of at most this many KiB on SQLite. Less memory means
    /// more writes of the same pages. On PostgreSQL this does nothing.
    pub fn limit_load_cache(&mut self, kibibytes: i64) -> Result<()> {
        match &mut self.conn {
            Conn::Sqlite(session) => session.limit_load_cache(kibibytes),
            Conn::Postgres(_) => Ok(()),
        }
    }

    /// Drops the foreign keys of these tables, and their indexes that are not unique, until
    /// [`Tx::restore_dropped`]. To check and index all rows at once takes a quarter of the time that
    /// it takes row by row. Until the end of the transaction no other can use the tables. On SQLite,
    /// which cannot drop a foreign key, this does nothing.
    pub async fn drop_for_load(&mut self, tables: &[&'static str]) -> Result<Dropped> {
        match &mut self.conn {
            Conn::Sqlite(_) => Ok(Dropped(Vec::new())),
            Conn::Postgres(session) => Ok(Dropped(session.drop_for_load(tables).await?)),
        }
    }

    /// Creates again what was dropped, and checks the foreign keys of all rows.
    pub async fn restore_dropped(&mut self, dropped: Dropped) -> Result<()> {
        if let Conn::Postgres(session) = &mut self.conn {
            for statement in &dropped.0 {
                session.batch(statement).await?;
            }
        }
        Ok(())
    }

    /// Drops the SQLite indexes that can be [created again](Self::create_indexes), and returns
    /// their statements. Rows are loaded in the order of their ids: without these indexes, almost
    /// every page is written once. On PostgreSQL this does nothing.
    pub(crate) fn drop_indexes(&mut self) -> Result<Vec<String>> {
        match &mut self.conn {
            Conn::Sqlite(session) => session.drop_indexes(),
            Conn::Postgres(_) => Ok(Vec::new()),
        }
    }

    pub(crate) fn create_indexes(&mut self, statements: &[String]) -> Result<()> {
        match &mut self.conn {
            Conn::Sqlite(session) => statements.iter().try_for_each(|sql| session.batch(sql)),
            Conn::Postgres(_) => Ok(()),
        }
    }

    /// Removes the limits on statements of requests, for work on whole tables. Such statements may
    /// also use every kind of join.
    pub async fn allow_long_statements(&mut self) -> Result<()> {
        match &mut self.conn {
            Conn::Sqlite(session) => {
                session.allow_long_statements();
                Ok(())
            }
            Conn::Postgres(session) => session.allow_long_statements().await,
        }
    }

    /// Runs a statement on SQLite only.
    pub async fn execute_on_sqlite(&mut self, sql: &'static str) -> Result<()> {
        match &mut self.conn {
            Conn::Sqlite(session) => session.execute(sql, &[]).map(|_| ()),
            Conn::Postgres(_) => Ok(()),
        }
    }

    /// Commits. When this returns, the transaction is durable.
    pub async fn commit(self) -> Result<()> {
        let committed = match self.conn {
            Conn::Sqlite(session) => session.commit().await,
            Conn::Postgres(session) => session.commit().await,
        };
        // Even after an error, because the outcome may be unknown.
        if self.has_announced {
            self.db.forget_versions();
            self.db.wait_for_instances().await;
        }
        committed
    }

    /// Rolls the transaction back.
    ///
    /// On SQLite it may have read rows of its group that are not durable yet. So this waits for the
    /// group's commit and fails if that fails: a reply must not depend on lost rows.
    pub async fn rollback(self) -> Result<()> {
        match self.conn {
            Conn::Sqlite(session) => session.rollback().await,
            Conn::Postgres(session) => session.rollback().await,
        }
    }
}

impl Deref for Tx {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}
