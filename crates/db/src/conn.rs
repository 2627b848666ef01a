use std::ops::{Deref, DerefMut};

use crate::{Db, Result, Row, Value, params, postgres, sqlite};

/// A connection that statements run on. Reached through [`Read`] or [`Tx`].
///
/// Statements are `'static` because each is prepared once for every connection and kept.
pub enum Conn {
    #[doc(hidden)]
    Sqlite(sqlite::Session),
    #[doc(hidden)]
    Postgres(postgres::Session),
}

/// A statement, its parameters, and what each row is turned into.
pub struct Query<'a, M> {
    pub sql: &'static str,
    pub params: Vec<Value<'a>>,
    pub map: M,
}

impl Conn {
    /// All rows, each turned into a `T`.
    pub async fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        Value::check(params)?;
        match self {
            Self::Sqlite(session) => session.query(sql, params, map),
            Self::Postgres(session) => session.query(sql, params, map).await,
        }
    }

    /// The first row, if there is one.
    pub async fn query_opt<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let rows = self.query(sql, params, map).await?;
        Ok(rows.into_iter().next())
    }

    /// The first row; an error when there is none.
    pub async fn query_one<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        let row = self.query_opt(sql, params, map).await?;
        row.ok_or(crate::Error::NoRow)
    }

    /// All rows of two statements, of which neither waits for the other: they take one round trip
    /// to the server. Each sees the newest committed state, as if they were run one by one.
    pub async fn both<A, B>(
        &mut self,
        first: Query<'_, impl FnMut(&Row<'_>) -> Result<A>>,
        second: Query<'_, impl FnMut(&Row<'_>) -> Result<B>>,
    ) -> Result<(Vec<A>, Vec<B>)> {
        Value::check(&first.params)?;
        Value::check(&second.params)?;
        match self {
            Self::Sqlite(session) => Ok((
                session.query(first.sql, &first.params, first.map)?,
                session.query(second.sql, &second.params, second.map)?,
            )),
            Self::Postgres(session) => session.both(first, second).await,
        }
    }

    /// Runs a statement and says how many rows it touched.
    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        Value::check(params)?;
        match self {
            Self::Sqlite(session) => session.execute(sql, params),
            Self::Postgres(session) => session.execute(sql, params).await,
        }
    }

    pub(crate) async fn batch(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(session) => session.batch(sql),
            Self::Postgres(session) => session.batch(sql).await,
        }
    }
}

/// A connection for reading.
pub struct Read(pub(crate) Conn);

impl Deref for Read {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.0
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
    announced: Vec<(&'static str, u64)>,
}

impl Tx {
    pub(crate) fn new(db: Db, conn: Conn) -> Self {
        Self {
            db,
            conn,
            announced: Vec::new(),
        }
    }

    /// Lets every instance know, at the commit, that what `topic` stands for has changed.
    pub async fn announce(&mut self, topic: &'static str) -> Result<()> {
        let counter: i64 = self
            .query_one(
                "INSERT INTO changes (topic, counter) VALUES ($1, 1)
                 ON CONFLICT (topic) DO UPDATE SET counter = changes.counter + 1
                 RETURNING counter",
                params![topic],
                |row| row.get(0),
            )
            .await?;
        self.announced.push((topic, counter.unsigned_abs()));
        Ok(())
    }

    /// Holds rows, or a table, against other writers until the end: `SELECT ... FOR UPDATE`.
    ///
    /// What depends on the rows is read in a statement of its own afterwards: only that one sees
    /// everything the previous holder did. On SQLite a writer is alone, so nothing is to be done.
    pub async fn lock(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<()> {
        if let Conn::Postgres(session) = &mut self.conn {
            session.query(sql, params, |_| Ok(())).await?;
        }
        Ok(())
    }

    /// Ids for `count` rows that are about to be [loaded](Self::load), as the table would have
    /// given them: the first of so many in a row, or 0 where there are none. Nobody else may be
    /// adding rows meanwhile.
    pub async fn reserve_ids(&mut self, table: &'static str, count: i64) -> Result<i64> {
        if count == 0 {
            return Ok(0);
        }
        match &mut self.conn {
            Conn::Sqlite(session) => {
                let sql = "SELECT seq FROM sqlite_sequence WHERE name = $1";
                let last = session.query(sql, params![table], |row| row.get::<i64>(0))?;
                Ok(last.first().map_or(1, |last| last + 1))
            }
            Conn::Postgres(session) => {
                let sql = "SELECT setval(ids, nextval(ids) + $2 - 1) - $2 + 1
                           FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS ids) AS of";
                let params = params![table, count];
                let first = session.query(sql, params, |row| row.get(0)).await?;
                first.into_iter().next().ok_or(crate::Error::NoRow)
            }
        }
    }

    /// Adds many rows at once, which takes a fraction of the time that they take one by one.
    /// Triggers and constraints see every row.
    pub async fn load<'v, const N: usize>(
        &mut self,
        table: &'static str,
        columns: [&'static str; N],
        rows: impl IntoIterator<Item = [Value<'v>; N]>,
    ) -> Result<()> {
        let rows: Vec<_> = rows.into_iter().collect();
        Value::check(rows.as_flattened())?;
        if rows.is_empty() {
            return Ok(());
        }
        match &mut self.conn {
            Conn::Sqlite(session) => session.load(table, columns, &rows),
            Conn::Postgres(session) => session.load(table, columns, &rows).await,
        }
    }

    /// Makes the transaction durable. Returns when it is, and not before.
    pub async fn commit(self) -> Result<()> {
        match self.conn {
            Conn::Sqlite(session) => session.commit().await?,
            Conn::Postgres(session) => session.commit().await?,
        }
        for (topic, counter) in self.announced {
            self.db.announced(topic, counter).await;
        }
        Ok(())
    }

    /// Undoes the transaction.
    ///
    /// What it read may come from writers of the same SQLite group that are not durable yet, so
    /// this waits for them: an answer built on those reads cannot turn out to be untrue.
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
