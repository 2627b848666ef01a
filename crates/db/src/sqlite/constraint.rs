//! Gives SQLite's constraint violations the names that PostgreSQL would give them.
//!
//! For a unique constraint SQLite reports the columns, from which PostgreSQL's naming rule
//! (`table_columns_key`) makes the name. For a foreign key it reports nothing, so the statement is
//! run again with deferred checks, to find the row without a parent, and rolled back.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::hooks::Action;
use rusqlite::{Connection, Error as Sqlite, OptionalExtension, ffi, params_from_iter};

use crate::{Error, Value};

/// The statement that failed, if it can be run again.
pub(super) type Failed<'a> = Option<(&'a mut Connection, &'a str, &'a [Value<'a>])>;

pub(super) fn to_error(failed: Failed<'_>, error: Sqlite) -> Error {
    let (code, message) = match error {
        Sqlite::SqliteFailure(code, message) => (code, message.unwrap_or_default()),
        // This variant contains the SQL text, which must not be logged.
        Sqlite::SqlInputError { error, msg, .. } => (error, msg),
        other => return Error::engine(other),
    };
    match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE => Error::Unique(unique_name(&message, "key")),
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            Error::Unique(unique_name(&message, "pkey"))
        }
        ffi::SQLITE_CONSTRAINT_CHECK => Error::Check(after_colon(&message).to_owned()),
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => {
            let name = failed.and_then(|failed| violated_foreign_key(failed).ok().flatten());
            Error::ForeignKey(name.unwrap_or_else(|| "unknown".into()))
        }
        _ => match code.code {
            ffi::ErrorCode::DatabaseBusy
            | ffi::ErrorCode::DatabaseLocked
            | ffi::ErrorCode::OperationInterrupted => Error::Busy,
            ffi::ErrorCode::DiskFull | ffi::ErrorCode::ReadOnly => {
                Error::NotWritable(describe(code, &message))
            }
            ffi::ErrorCode::SystemIoFailure if !is_failed_read(code.extended_code) => {
                Error::NotWritable(describe(code, &message))
            }
            ffi::ErrorCode::NotADatabase => Error::NotADatabase,
            ffi::ErrorCode::CannotOpen => Error::Unreachable(describe(code, &message).into()),
            _ => Error::Engine(describe(code, &message).into()),
        },
    }
}

/// SQLite's general text for the code, and the message if it differs.
fn describe(code: ffi::Error, message: &str) -> String {
    let general = code.to_string();
    if general.ends_with(message) {
        general
    } else {
        format!("{general}: {message}")
    }
}

/// All other I/O errors concern writing: even a reader grows the shared memory of the write-ahead
/// log.
fn is_failed_read(extended_code: i32) -> bool {
    [
        ffi::SQLITE_IOERR_READ,
        ffi::SQLITE_IOERR_SHORT_READ,
        ffi::SQLITE_IOERR_CORRUPTFS,
        ffi::SQLITE_IOERR_DATA,
    ]
    .contains(&extended_code)
}

fn after_colon(message: &str) -> &str {
    message.split_once(": ").map_or(message, |(_, rest)| rest)
}

/// Returns `users_email_key` for the message `UNIQUE constraint failed: users.email`.
fn unique_name(message: &str, suffix: &str) -> String {
    let columns = after_colon(message);
    if let Some(index) = columns.strip_prefix("index ") {
        return index.trim_matches('\'').to_owned();
    }
    let table = columns.split('.').next().unwrap_or_default();
    if suffix == "pkey" {
        return format!("{table}_pkey");
    }
    let names: Vec<&str> = columns
        .split(", ")
        .filter_map(|column| column.split_once('.').map(|(_, name)| name))
        .collect();
    format!("{table}_{}_{suffix}", names.join("_"))
}

type ChangedRows = Arc<Mutex<Vec<(Action, String, i64)>>>;

fn violated_foreign_key(
    (conn, sql, params): (&mut Connection, &str, &[Value<'_>]),
) -> rusqlite::Result<Option<String>> {
    conn.execute_batch("SAVEPOINT retry")?;
    let name = conn
        .execute_batch("PRAGMA defer_foreign_keys = ON")
        .and_then(|()| find_violated(conn, sql, params));
    // After any failure, the transaction must check its foreign keys immediately again.
    let undone = conn.execute_batch("ROLLBACK TO retry; RELEASE retry");
    conn.execute_batch("PRAGMA defer_foreign_keys = OFF")?;
    undone?;
    name
}

fn find_violated(
    conn: &mut Connection,
    sql: &str,
    params: &[Value<'_>],
) -> rusqlite::Result<Option<String>> {
    let changed = ChangedRows::default();
    let hook = Arc::clone(&changed);
    conn.update_hook(Some(move |action, _: &str, table: &str, row: i64| {
        hook.lock().push((action, table.to_owned(), row));
    }))?;
    // Whether it fails again or not, the changed rows are now known.
    let _ = run(conn, sql, params);
    conn.update_hook(None::<fn(Action, &str, &str, i64)>)?;
    let mut name = None;
    for (action, table, row) in changed.lock().iter() {
        name = match action {
            Action::SQLITE_DELETE => key_of_orphan(conn, table, *row)?,
            _ => key_without_parent(conn, table, *row)?,
        };
        if name.is_some() {
            break;
        }
    }
    Ok(name)
}

fn run(conn: &Connection, sql: &str, params: &[Value<'_>]) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    while rows.next()?.is_some() {}
    Ok(())
}

struct ForeignKey {
    child: String,
    column: String,
    parent: String,
}

impl ForeignKey {
    fn name(&self) -> String {
        format!("{}_{}_fkey", self.child, self.column)
    }
}

fn foreign_keys(conn: &Connection) -> rusqlite::Result<Vec<ForeignKey>> {
    let mut statement = conn.prepare(
        "SELECT t.name, f.\"from\", f.\"table\"
         FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'",
    )?;
    let keys = statement.query_map([], |row| {
        Ok(ForeignKey {
            child: row.get(0)?,
            column: row.get(1)?,
            parent: row.get(2)?,
        })
    })?;
    keys.collect()
}

/// The foreign key of row `row` of `child` whose parent does not exist.
fn key_without_parent(
    conn: &Connection,
    child: &str,
    row: i64,
) -> rusqlite::Result<Option<String>> {
    for key in foreign_keys(conn)?.iter().filter(|key| key.child == child) {
        let ForeignKey { column, parent, .. } = key;
        let sql = format!(
            "SELECT 1 FROM \"{child}\" c WHERE c.rowid = ?1 AND c.\"{column}\" IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM \"{parent}\" p WHERE p.id = c.\"{column}\")"
        );
        if exists(conn, &sql, row)? {
            return Ok(Some(key.name()));
        }
    }
    Ok(None)
}

/// The foreign key by which a row still refers to the deleted row `row` of `parent`.
fn key_of_orphan(conn: &Connection, parent: &str, row: i64) -> rusqlite::Result<Option<String>> {
    let keys = foreign_keys(conn)?;
    for key in keys.iter().filter(|key| key.parent == parent) {
        let ForeignKey { child, column, .. } = key;
        let sql = format!("SELECT 1 FROM \"{child}\" WHERE \"{column}\" = ?1");
        if exists(conn, &sql, row)? {
            return Ok(Some(key.name()));
        }
    }
    Ok(None)
}

fn exists(conn: &Connection, sql: &str, row: i64) -> rusqlite::Result<bool> {
    let found = conn.query_row(sql, [row], |_| Ok(())).optional()?;
    Ok(found.is_some())
}
