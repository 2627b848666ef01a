//! The tables of the schema: their columns, keys, and a valid order of insertion.

use std::sync::OnceLock;

use rusqlite::Connection;

use crate::{Error, Result, migrate};

/// A table of the current schema, which is the same on both engines.
pub struct Table {
    pub name: &'static str,
    pub(super) columns: Vec<TableColumn>,
    /// The positions of the columns of the primary key.
    pub(super) key: Vec<usize>,
    /// The position of a column that refers to another row of the same table.
    pub(super) self_reference: Option<usize>,
    /// Whether the database assigns the ids.
    pub(super) has_sequence: bool,
    pub(super) sql: Statements,
}

pub(super) struct TableColumn {
    pub name: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Integer,
    Text,
    Bytes,
    Boolean,
}

/// The statements for one table. They are never freed, because each connection caches the
/// statements it has prepared.
pub(super) struct Statements {
    pub count: &'static str,
    /// Selects the first `$1` rows by primary key.
    pub first: &'static str,
    /// Selects the rows after a primary key, which is `$2` and the following parameters.
    pub next: &'static str,
    pub clear: &'static str,
    /// Sets the column that refers to the same table.
    pub set_self_reference: &'static str,
    /// For a table whose ids the database assigns.
    pub highest_id: &'static str,
}

/// All tables, each after those it refers to.
pub fn tables() -> Result<&'static [Table]> {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    if let Some(tables) = TABLES.get() {
        return Ok(tables);
    }
    let tables = in_order(read_schema().map_err(Error::engine)?)?;
    Ok(TABLES.get_or_init(|| tables))
}

/// Tables, each with the names of the tables it refers to.
type Referring = Vec<(Table, Vec<String>)>;

/// Applies all migrations to an empty in-memory database and reads the schema. Both engines have
/// the same tables and columns.
fn read_schema() -> rusqlite::Result<Referring> {
    let conn = Connection::open_in_memory()?;
    for migration in migrate::known() {
        conn.execute_batch(migration.sqlite)?;
    }
    let mut names = conn.prepare(
        "SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?;
    names.map(|name| read_table(&conn, name?.leak())).collect()
}

fn read_table(conn: &Connection, name: &'static str) -> rusqlite::Result<(Table, Vec<String>)> {
    let mut columns = Vec::new();
    let mut key = Vec::new();
    let mut info = conn.prepare("SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid")?;
    let mut rows = info.query([name])?;
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(2)?;
        if position > 0 {
            key.push((position, columns.len()));
        }
        columns.push(TableColumn {
            name: row.get::<_, String>(0)?.leak(),
            kind: kind_of(&row.get::<_, String>(1)?),
        });
    }
    key.sort_unstable();
    let key: Vec<usize> = key.into_iter().map(|(_, column)| column).collect();

    let mut references = Vec::new();
    let mut self_reference = None;
    let mut foreign =
        conn.prepare("SELECT \"table\", \"from\" FROM pragma_foreign_key_list($1)")?;
    let mut rows = foreign.query([name])?;
    while let Some(row) = rows.next()? {
        let (to, from): (String, String) = (row.get(0)?, row.get(1)?);
        if to == name {
            self_reference = columns.iter().position(|column| column.name == from);
        } else {
            references.push(to);
        }
    }
    let created: String = conn.query_row(
        "SELECT sql FROM sqlite_schema WHERE name = $1",
        [name],
        |row| row.get(0),
    )?;
    let table = Table {
        name,
        sql: statements(name, &columns, &key, self_reference),
        has_sequence: created.contains("AUTOINCREMENT"),
        columns,
        key,
        self_reference,
    };
    Ok((table, references))
}

fn kind_of(declared: &str) -> Kind {
    match declared {
        "INTEGER" | "BIGINT" => Kind::Integer,
        "BOOLEAN" => Kind::Boolean,
        "BLOB" => Kind::Bytes,
        _ => Kind::Text,
    }
}

fn statements(
    table: &str,
    columns: &[TableColumn],
    key: &[usize],
    self_reference: Option<usize>,
) -> Statements {
    let names = |positions: &[usize]| -> String {
        let names: Vec<&str> = positions.iter().map(|&i| columns[i].name).collect();
        names.join(", ")
    };
    let all: Vec<usize> = (0..columns.len()).collect();
    let (all, key_names) = (names(&all), names(key));
    let key_params: Vec<String> = (0..key.len()).map(|i| format!("${}", i + 2)).collect();
    let key_params = key_params.join(", ");
    let set = self_reference.map_or_else(String::new, |column| {
        let column = columns[column].name;
        format!("UPDATE {table} SET {column} = $1 WHERE ({key_names}) = ({key_params})")
    });
    Statements {
        count: format!("SELECT COUNT(*) FROM {table}").leak(),
        first: format!("SELECT {all} FROM {table} ORDER BY {key_names} LIMIT $1").leak(),
        next: format!(
            "SELECT {all} FROM {table} WHERE ({key_names}) > ({key_params})
             ORDER BY {key_names} LIMIT $1"
        )
        .leak(),
        clear: format!("DELETE FROM {table}").leak(),
        set_self_reference: set.leak(),
        highest_id: format!("SELECT MAX(id) FROM {table}").leak(),
    }
}

fn in_order(mut left: Referring) -> Result<Vec<Table>> {
    let mut ordered: Vec<Table> = Vec::new();
    while !left.is_empty() {
        let is_placed = |name: &String| ordered.iter().any(|table| table.name == name);
        let next = left
            .iter()
            .position(|(_, references)| references.iter().all(is_placed))
            .ok_or_else(|| Error::Engine("the foreign keys of the tables form a cycle".into()))?;
        ordered.push(left.remove(next).0);
    }
    Ok(ordered)
}
