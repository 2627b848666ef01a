use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::Value as Copied;
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::constraint;
use super::time_limit::TimeLimit;
use crate::by_address::{ByAddress, MAX_CACHED_STATEMENTS, MapByAddress};
use crate::{Result, Row, Value, dialect};

/// How long to wait for other programs that open the database at the same time.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of rows that one statement inserts. The full-text index is written once per
/// statement, so single rows would be slow; larger numbers gain nothing.
const ROWS_PER_INSERT: usize = 2000;

/// The number of parameters that a SQLite statement can have.
const MAX_PARAMETERS: usize = 32_766;

/// Page caches of a connection; SQLite takes negative numbers as KiB. A reader's cache holds the
/// inner index pages of a large file. The writer's holds the changes of a group, so that nothing is
/// written before the commit.
const READER_CACHE: i64 = -(4 << 10);
const WRITER_CACHE: i64 = -(16 << 10);

/// The writer's page cache once it has loaded rows, which go to all parts of an index. With a
/// smaller cache the same pages would be written many times.
const LOAD_CACHE: i64 = -(256 << 10);
const SMALL_LOAD_CACHE: i64 = -(16 << 10);

#[derive(Clone, Copy)]
pub(super) enum Access {
    /// Never waits for another program.
    Read,
    /// Waits briefly for another program that has locked the file.
    PatientRead,
    Write,
}

/// A connection, and the statements already rewritten for SQLite.
pub(super) struct Handle {
    pub conn: Connection,
    pub limit: TimeLimit,
    load_cache: i64,
    rewritten: MapByAddress<Box<str>>,
}

impl Handle {
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let fail = |error| constraint::to_error(None, error);
        let mut conn = Connection::open(path).map_err(fail)?;
        configure(&conn, access).map_err(fail)?;
        Ok(Self {
            limit: TimeLimit::install(&mut conn)?,
            conn,
            load_cache: LOAD_CACHE,
            rewritten: MapByAddress::default(),
        })
    }

    /// Loads rows with a cache of this many KiB from now on.
    pub fn limit_load_cache(&mut self, kibibytes: i64) {
        self.load_cache = -kibibytes;
    }

    /// Loads rows with a small cache from now on, sorts in files, and writes pages in place at
    /// once, without a journal and without syncing. No other connection may be open.
    pub fn prepare_backup(&mut self) -> Result<()> {
        self.load_cache = SMALL_LOAD_CACHE;
        let set = |name, value| self.conn.pragma_update(None, name, value);
        set("temp_store", "file")
            .and_then(|()| set("journal_mode", "off"))
            .and_then(|()| set("synchronous", "off"))
            .map_err(|error| constraint::to_error(None, error))
    }

    pub fn visit(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self {
            conn, rewritten, ..
        } = self;
        let sql = rewrite(rewritten, sql);
        // The statement must be finished before `to_error` can run it again.
        visit_rows(conn, sql, params, visit)
            .unwrap_or_else(|error| Err(constraint::to_error(Some((conn, sql, params)), error)))
    }

    /// Reads the rows of a query for another thread.
    pub fn copy_rows(&mut self, sql: &'static str, params: &[Copied]) -> Result<CopiedRows> {
        let sql = rewrite(&mut self.rewritten, sql);
        copy_rows(&self.conn, sql, params).map_err(|error| constraint::to_error(None, error))
    }

    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let Self {
            conn, rewritten, ..
        } = self;
        let sql = rewrite(rewritten, sql);
        let outcome = conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params_from_iter(params)));
        match outcome {
            Ok(rows) => Ok(rows as u64),
            Err(error) => Err(constraint::to_error(Some((conn, sql, params)), error)),
        }
    }

    /// Omits `RETURNING`, for which SQLite creates a temporary table each time.
    pub fn insert(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        let sql = sql.strip_suffix("RETURNING id").unwrap_or(sql);
        self.execute(sql, params)?;
        Ok(self.conn.last_insert_rowid())
    }

    pub fn load(&mut self, table: &str, columns: &[&str], values: &[Value<'_>]) -> Result<()> {
        let conn = &mut self.conn;
        conn.pragma_update(None, "cache_size", self.load_cache)
            .map_err(|error| constraint::to_error(None, error))?;
        // A statement has a limited number of parameters.
        let rows_per_insert = ROWS_PER_INSERT.min(MAX_PARAMETERS / columns.len());
        for params in values.chunks(rows_per_insert * columns.len()) {
            let rows = params.len() / columns.len();
            let sql = insert_statement(table, columns, rows);
            // These statements are large, so cache only the one that is used repeatedly.
            let outcome = if rows == rows_per_insert {
                conn.prepare_cached(&sql)
                    .and_then(|mut statement| statement.execute(params_from_iter(params)))
            } else {
                conn.execute(&sql, params_from_iter(params))
            };
            outcome.map_err(|error| constraint::to_error(Some((conn, &sql, params)), error))?;
        }
        Ok(())
    }

    pub fn batch(&mut self, sql: &str) -> Result<()> {
        self.conn
            .execute_batch(sql)
            .map_err(|error| constraint::to_error(None, error))
    }
}

fn insert_statement(table: &str, columns: &[&str], rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    let rows = vec![row; rows].join(", ");
    format!("INSERT INTO {table} ({}) VALUES {rows}", columns.join(", "))
}

/// The outer error comes from the statement, the inner one from `visit`.
fn visit_rows(
    conn: &Connection,
    sql: &str,
    params: &[Value<'_>],
    visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> rusqlite::Result<Result<()>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    while let Some(row) = rows.next()? {
        if let Err(error) = visit(&Row::Sqlite(row)) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// Rows that were read by another thread.
pub(crate) struct CopiedRows {
    columns: usize,
    values: Vec<Copied>,
}

impl CopiedRows {
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.values.chunks_exact(self.columns).map(Row::Copied)
    }
}

fn copy_rows(conn: &Connection, sql: &str, params: &[Copied]) -> rusqlite::Result<CopiedRows> {
    let mut statement = conn.prepare_cached(sql)?;
    // A statement without columns returns no rows.
    let columns = statement.column_count().max(1);
    let mut values = Vec::new();
    let mut rows = statement.query(params_from_iter(params))?;
    while let Some(row) = rows.next()? {
        for i in 0..columns {
            values.push(row.get(i)?);
        }
    }
    Ok(CopiedRows { columns, values })
}

fn rewrite<'a>(cache: &'a mut MapByAddress<Box<str>>, sql: &'static str) -> &'a str {
    let sql = ByAddress(sql);
    if cache.len() >= MAX_CACHED_STATEMENTS && !cache.contains_key(&sql) {
        cache.clear();
    }
    cache
        .entry(sql)
        .or_insert_with(|| dialect::to_sqlite(sql.0).into())
}

fn configure(conn: &Connection, access: Access) -> rusqlite::Result<()> {
    // Otherwise cached statements are prepared again whenever a bound value might change the plan.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "temp_store", "memory")?;
    match access {
        Access::Read | Access::PatientRead => {
            let waits = matches!(access, Access::PatientRead);
            conn.busy_timeout(Duration::from_secs(waits.into()))?;
            conn.pragma_update(None, "query_only", true)?;
            conn.pragma_update(None, "cache_size", READER_CACHE)?;
        }
        Access::Write => {
            conn.busy_timeout(STARTUP_TIMEOUT)?;
            enable_wal(conn)?;
            conn.pragma_update(None, "synchronous", "full")?;
            // Erased values must not stay in the file. `fast` would leave them in freed pages; the
            // difference in time is within the noise.
            conn.pragma_update(None, "secure_delete", true)?;
            conn.pragma_update(None, "cache_size", WRITER_CACHE)?;
            conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
            // From now on the writer retries without blocking a thread.
            conn.busy_timeout(Duration::ZERO)?;
        }
    }
    Ok(())
}

/// Enables the write-ahead log, with retries: if several programs open a new file at once, SQLite
/// reports that it is busy without waiting.
fn enable_wal(conn: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + STARTUP_TIMEOUT;
    loop {
        match conn.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}
