//! Copies the rows of one database into another, of the same or the other engine.
//!
//! Derived tables are not copied: the triggers of the target fill them as rows arrive.

mod catalogue;
mod rows;
mod sequences;

use self::catalogue::Table;
use self::rows::{Batches, Cell, Checksum};
use crate::{Conn, Error, Progress, Read, Result, Tx, Value};

pub use self::catalogue::tables;

/// Deletes all rows of the tables except `kept`.
pub async fn clear(tx: &mut Tx, kept: &[&str]) -> Result<()> {
    for table in tables()?.iter().rev() {
        if !kept.contains(&table.name) {
            tx.execute(table.sql.clear, &[]).await?;
        }
    }
    Ok(())
}

/// Copies all tables except `skipped` from a snapshot into empty tables, with their ids, then
/// compares row counts and checksums. Returns the number of rows of each table.
pub async fn copy(
    from: &mut Read,
    into: &mut Tx,
    skipped: &[&str],
    progress: &mut (dyn Progress + Send),
) -> Result<Vec<(&'static str, u64)>> {
    let copied: Vec<&Table> = tables()?
        .iter()
        .filter(|table| !skipped.contains(&table.name))
        .collect();
    let mut checksums = Vec::new();
    let indexes = into.drop_indexes()?;
    for table in &copied {
        progress.begin(table.name, count(from, table).await?);
        checksums.push(copy_table(from, into, table, progress).await?);
    }
    progress.begin("indexes", 1);
    into.create_indexes(&indexes)?;
    progress.advance(1);
    let rows = checksums.iter().map(|checksum| checksum.rows).sum();
    progress.begin("comparing", rows);
    for (table, copied) in copied.iter().zip(&checksums) {
        if read_checksum(into, table, progress).await? != *copied {
            return Err(Error::Differs { table: table.name });
        }
    }
    for table in copied.iter().filter(|table| table.has_sequence) {
        sequences::copy(from, into, table.name).await?;
    }
    let rows = checksums.iter().map(|checksum| checksum.rows);
    Ok(copied.iter().map(|table| table.name).zip(rows).collect())
}

/// Makes every table assign ids after the highest that it has, once rows were loaded with theirs.
pub async fn follow_highest_ids(tx: &mut Tx) -> Result<()> {
    for table in tables()?.iter().filter(|table| table.has_sequence) {
        sequences::follow_highest_id(tx, table).await?;
    }
    Ok(())
}

/// Counts the rows of each table.
pub async fn count_rows(conn: &mut Conn) -> Result<Vec<(&'static str, u64)>> {
    let mut counts = Vec::new();
    for table in tables()? {
        counts.push((table.name, count(conn, table).await?));
    }
    Ok(counts)
}

async fn count(conn: &mut Conn, table: &Table) -> Result<u64> {
    let count: i64 = conn
        .query_one(table.sql.count, &[], |row| row.get(0))
        .await?;
    Ok(count.unsigned_abs())
}

async fn copy_table(
    from: &mut Read,
    into: &mut Tx,
    table: &Table,
    progress: &mut (dyn Progress + Send),
) -> Result<Checksum> {
    let mut checksum = Checksum::default();
    let mut references = Vec::new();
    let mut batches = Batches::new(table);
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    loop {
        let mut rows = batches.next(from).await?;
        if rows.is_empty() {
            break;
        }
        rows.iter().for_each(|row| checksum.add(row));
        references.extend(rows.iter_mut().filter_map(|row| take_reference(table, row)));
        let values: Vec<Value<'_>> = rows.iter().flatten().map(Cell::as_value).collect();
        into.load_values(table.name, &columns, &values).await?;
        progress.advance(rows.len() as u64);
    }
    for (reference, key) in &references {
        let values = std::iter::once(reference).chain(key).map(Cell::as_value);
        let values: Vec<Value<'_>> = values.collect();
        into.execute(table.sql.set_self_reference, &values).await?;
    }
    Ok(checksum)
}

/// Takes the reference to another row of the table out of a row: that row may come later. Returns
/// the reference and the key of the row.
fn take_reference(table: &Table, row: &mut [Cell]) -> Option<(Cell, Vec<Cell>)> {
    let column = table.self_reference?;
    match std::mem::replace(&mut row[column], Cell::Null) {
        Cell::Null => None,
        reference => Some((
            reference,
            table.key.iter().map(|&i| row[i].clone()).collect(),
        )),
    }
}

async fn read_checksum(
    conn: &mut Conn,
    table: &Table,
    progress: &mut (dyn Progress + Send),
) -> Result<Checksum> {
    let mut checksum = Checksum::default();
    let mut batches = Batches::new(table);
    loop {
        let rows = batches.next(conn).await?;
        if rows.is_empty() {
            return Ok(checksum);
        }
        rows.iter().for_each(|row| checksum.add(row));
        progress.advance(rows.len() as u64);
    }
}
