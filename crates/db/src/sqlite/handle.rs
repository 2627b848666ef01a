use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::constraint;
use crate::{Result, Row, STATEMENTS_KEPT, Value, dialect};

/// How long to wait for other programs that are starting at the same moment.
const STARTUP: Duration = Duration::from_secs(5);

/// How many rows one statement adds. The full-text index is written once for each statement, so
/// single rows would cost it dearly; beyond this, more rows gain nothing.
const ROWS_AT_ONCE: usize = 2000;

/// How much of the file a connection keeps in memory; negative, so in KiB. Of a large one, the pages
/// that lead to all others must stay there while readers go everywhere; what a group of writers has
/// changed must not be written before its time.
const READING_CACHE: i64 = -(4 << 10);
const WRITING_CACHE: i64 = -(16 << 10);

/// The same once the connection has loaded rows: such that belong to all corners of an index would
/// make it write the same pages over and over.
const LOADING_CACHE: i64 = -(256 << 10);

pub(super) enum Access {
    Read,
    Write,
}

/// One connection and its statements, rewritten for SQLite once each.
pub(super) struct Handle {
    pub conn: Connection,
    rewritten: HashMap<ByAddress, Box<str>>,
}

/// A statement that is known by where its text is, since to hash all of it at every use would take
/// longer. Should the same text be in two places, it is rewritten twice.
#[derive(Clone, Copy)]
struct ByAddress(&'static str);

impl Hash for ByAddress {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.as_ptr().hash(hasher);
    }
}

impl PartialEq for ByAddress {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for ByAddress {}

impl Handle {
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let fail = |error| constraint::name(None, error);
        let conn = Connection::open(path).map_err(fail)?;
        configure(&conn, &access).map_err(fail)?;
        Ok(Self {
            conn,
            rewritten: HashMap::new(),
        })
    }

    pub fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Self { conn, rewritten } = self;
        let sql = rewrite(rewritten, sql);
        // The statement must be over before its failure can be looked into.
        collect(conn, sql, params, map)
            .unwrap_or_else(|error| Err(constraint::name(Some((conn, sql, params)), error)))
    }

    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64> {
        let Self { conn, rewritten } = self;
        let sql = rewrite(rewritten, sql);
        let outcome = conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params_from_iter(params)));
        match outcome {
            Ok(rows) => Ok(rows as u64),
            Err(error) => Err(constraint::name(Some((conn, sql, params)), error)),
        }
    }

    pub fn load<const N: usize>(
        &mut self,
        table: &str,
        columns: [&str; N],
        rows: &[[Value<'_>; N]],
    ) -> Result<()> {
        let conn = &mut self.conn;
        conn.pragma_update(None, "cache_size", LOADING_CACHE)
            .map_err(|error| constraint::name(None, error))?;
        for some in rows.chunks(ROWS_AT_ONCE) {
            let sql = insertion(table, columns, some.len());
            let params = some.as_flattened();
            // These statements are large. Only the one that comes again and again is kept.
            let outcome = if some.len() == ROWS_AT_ONCE {
                conn.prepare_cached(&sql)
                    .and_then(|mut statement| statement.execute(params_from_iter(params)))
            } else {
                conn.execute(&sql, params_from_iter(params))
            };
            outcome.map_err(|error| constraint::name(Some((conn, &sql, params)), error))?;
        }
        Ok(())
    }

    pub fn batch(&mut self, sql: &str) -> Result<()> {
        self.conn
            .execute_batch(sql)
            .map_err(|error| constraint::name(None, error))
    }
}

fn insertion<const N: usize>(table: &str, columns: [&str; N], rows: usize) -> String {
    let row = format!("({})", ["?"; N].join(", "));
    let rows = vec![row; rows].join(", ");
    format!("INSERT INTO {table} ({}) VALUES {rows}", columns.join(", "))
}

fn collect<T>(
    conn: &Connection,
    sql: &str,
    params: &[Value<'_>],
    mut map: impl FnMut(&Row<'_>) -> Result<T>,
) -> rusqlite::Result<Result<Vec<T>>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    let mut mapped = Vec::new();
    while let Some(row) = rows.next()? {
        match map(&Row::Sqlite(row)) {
            Ok(row) => mapped.push(row),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(mapped))
}

fn rewrite<'a>(known: &'a mut HashMap<ByAddress, Box<str>>, sql: &'static str) -> &'a str {
    let sql = ByAddress(sql);
    if known.len() >= STATEMENTS_KEPT && !known.contains_key(&sql) {
        known.clear();
    }
    known
        .entry(sql)
        .or_insert_with(|| dialect::to_sqlite(sql.0).into())
}

fn configure(conn: &Connection, access: &Access) -> rusqlite::Result<()> {
    // Without it cached statements are prepared anew whenever a bound value might change the plan.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "temp_store", "memory")?;
    match access {
        Access::Read => {
            conn.busy_timeout(Duration::from_secs(1))?;
            conn.pragma_update(None, "query_only", true)?;
            conn.pragma_update(None, "cache_size", READING_CACHE)?;
        }
        Access::Write => {
            conn.busy_timeout(STARTUP)?;
            turn_on_log(conn)?;
            conn.pragma_update(None, "synchronous", "full")?;
            conn.pragma_update(None, "cache_size", WRITING_CACHE)?;
            conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
            // From here on the writer waits for others without blocking a thread.
            conn.busy_timeout(Duration::ZERO)?;
        }
    }
    Ok(())
}

/// On a new file, programs that start together get in each other's way here, and SQLite gives up
/// at once instead of waiting.
fn turn_on_log(conn: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + STARTUP;
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
