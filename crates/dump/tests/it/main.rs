mod compression;
mod forms;
mod hostile;
mod model;
mod rules;
mod statements;

use std::io::{self, Read};

use dump::{Error, Item, Reader, Row, Value};

const END: &str = "\n-- Dump completed\n";

/// Returns one byte at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

/// Each table and row as a line of text.
fn read_all(mut reader: Reader) -> Result<Vec<String>, Error> {
    let mut items = Vec::new();
    while let Some(item) = reader.next()? {
        items.push(match item {
            Item::Table(table) => {
                let columns = table.columns.iter().map(|column| {
                    let null = if column.nullable { "?" } else { "" };
                    format!("{} {}{null}", column.name, column.kind)
                });
                format!("{}: {}", table.name, columns.collect::<Vec<_>>().join(", "))
            }
            Item::Row(row) => format!("{}({})", row.table(), values(&row)),
        });
    }
    Ok(items)
}

fn values(row: &Row) -> String {
    let values = row.values().map(|value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(text) => text.to_owned(),
        Value::Decimal(text) => format!("~{text}"),
        Value::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Value::Blob(bytes) => format!("{bytes:x?}"),
    });
    values.collect::<Vec<_>>().join(",")
}

/// Reads a text with the end of a dump after it, at once and byte by byte.
fn read(text: &str) -> Result<Vec<String>, String> {
    read_bytes(format!("{text}{END}").as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Result<Vec<String>, String> {
    let whole = Reader::new(bytes).and_then(read_all);
    let slow = Reader::new(Slow(bytes)).and_then(read_all);
    let [whole, slow] = [whole, slow].map(|result| result.map_err(|error| error.to_string()));
    assert_eq!(whole, slow);
    whole
}

/// The values of the rows of a table with one column.
fn read_values(values: &str) -> Result<Vec<String>, String> {
    let rows = read(&format!("INSERT INTO t (a) VALUES {values};"))?;
    let inner = |row: &String| row[2..row.len() - 1].to_owned();
    Ok(rows.iter().map(inner).collect())
}

fn error(text: &str) -> String {
    read(text).expect_err(text)
}
