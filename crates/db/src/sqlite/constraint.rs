//! Gives SQLite's constraint violations the names that PostgreSQL would give them.
//!
//! SQLite names columns for a unique constraint and nothing at all for a foreign key. With
//! PostgreSQL's naming rule (`table_columns_key`, `table_column_fkey`) the first is a matter of
//! spelling; for the second the statement is run again with its checks put off, to see which
//! row is left without its parent, and undone.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::hooks::Action;
use rusqlite::{Connection, Error as Sqlite, OptionalExtension, ffi, params_from_iter};

use crate::{Error, Value};

/// The statement that failed, if there is one to look into.
pub(super) type Failed<'a> = Option<(&'a mut Connection, &'a str, &'a [Value<'a>])>;

pub(super) fn name(failed: Failed<'_>, error: Sqlite) -> Error {
    let (code, message) = match error {
        Sqlite::SqliteFailure(code, message) => (code, message.unwrap_or_default()),
        // The variant carries the statement's text, which must not reach a log.
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
            let name = failed.and_then(|failed| broken_foreign_key(failed).ok().flatten());
            Error::ForeignKey(name.unwrap_or_else(|| "unknown".into()))
        }
        _ => match code.code {
            ffi::ErrorCode::DatabaseBusy | ffi::ErrorCode::DatabaseLocked => Error::Busy,
            _ => Error::Engine(format!("{code}: {message}").into()),
        },
    }
}

fn after_colon(message: &str) -> &str {
    message.split_once(": ").map_or(message, |(_, rest)| rest)
}

/// `UNIQUE constraint failed: users.email` is `users_email_key`.
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

type Touched = Arc<Mutex<Vec<(Action, String, i64)>>>;

fn broken_foreign_key(
    (conn, sql, params): (&mut Connection, &str, &[Value<'_>]),
) -> rusqlite::Result<Option<String>> {
    conn.execute_batch("SAVEPOINT look; PRAGMA defer_foreign_keys = ON")?;
    let touched = Touched::default();
    let seen = Arc::clone(&touched);
    conn.update_hook(Some(move |action, _: &str, table: &str, row: i64| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((action, table.to_owned(), row));
    }))?;
    // It fails again or leaves rows without parents; what it touched tells either way.
    let _ = run_to_its_end(conn, sql, params);
    conn.update_hook(None::<fn(Action, &str, &str, i64)>)?;
    let touched = touched.lock().unwrap_or_else(PoisonError::into_inner);
    let mut name = None;
    for (action, table, row) in touched.iter() {
        name = match action {
            Action::SQLITE_DELETE => child_left_behind(conn, table, *row)?,
            _ => missing_parent(conn, table, *row)?,
        };
        if name.is_some() {
            break;
        }
    }
    conn.execute_batch("ROLLBACK TO look; RELEASE look; PRAGMA defer_foreign_keys = OFF")?;
    Ok(name)
}

fn run_to_its_end(conn: &Connection, sql: &str, params: &[Value<'_>]) -> rusqlite::Result<()> {
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

fn missing_parent(conn: &Connection, child: &str, row: i64) -> rusqlite::Result<Option<String>> {
    for key in foreign_keys(conn)?.iter().filter(|key| key.child == child) {
        let ForeignKey { column, parent, .. } = key;
        let sql = format!(
            "SELECT 1 FROM \"{child}\" c WHERE c.rowid = ?1 AND c.\"{column}\" IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM \"{parent}\" p WHERE p.id = c.\"{column}\")"
        );
        if conn
            .query_row(&sql, [row], |_| Ok(()))
            .optional()?
            .is_some()
        {
            return Ok(Some(key.name()));
        }
    }
    Ok(None)
}

fn child_left_behind(
    conn: &Connection,
    parent: &str,
    row: i64,
) -> rusqlite::Result<Option<String>> {
    for key in foreign_keys(conn)?
        .iter()
        .filter(|key| key.parent == parent)
    {
        let ForeignKey { child, column, .. } = key;
        let sql = format!("SELECT 1 FROM \"{child}\" WHERE \"{column}\" = ?1");
        if conn
            .query_row(&sql, [row], |_| Ok(()))
            .optional()?
            .is_some()
        {
            return Ok(Some(key.name()));
        }
    }
    Ok(None)
}
