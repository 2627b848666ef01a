//! Rows in memory, read in batches by primary key.

use sha2::{Digest, Sha256};

use super::catalogue::{Kind, Table};
use crate::{Conn, Result, Row, Value};

/// The approximate size of a batch, so that memory does not depend on the data.
const BATCH_BYTES: usize = 4 << 20;
const MAX_BATCH_ROWS: usize = 2000;
const FIRST_BATCH_ROWS: usize = 100;

#[derive(Clone)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Boolean(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Cell {
    fn read(row: &Row<'_>, index: usize, kind: Kind) -> Result<Self> {
        let cell = match kind {
            Kind::Integer => row.get::<Option<i64>>(index)?.map(Self::Integer),
            Kind::Boolean => row.get::<Option<bool>>(index)?.map(Self::Boolean),
            Kind::Text => row.get::<Option<String>>(index)?.map(Self::Text),
            Kind::Bytes => row.get::<Option<Vec<u8>>>(index)?.map(Self::Bytes),
        };
        Ok(cell.unwrap_or(Self::Null))
    }

    pub fn as_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(value) => Value::Int(*value),
            Self::Boolean(value) => Value::Bool(*value),
            Self::Text(value) => Value::Text(value),
            Self::Bytes(value) => Value::Blob(value),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Text(value) => value.len(),
            Self::Bytes(value) => value.len(),
            _ => 8,
        }
    }

    /// Hashes the kind and the length too, so that different rows never hash the same bytes.
    fn update(&self, hash: &mut Sha256) {
        let (kind, bytes): (u8, &[u8]) = match self {
            Self::Null => (0, &[]),
            Self::Integer(value) => (1, &value.to_be_bytes()),
            Self::Boolean(value) => (2, &[u8::from(*value)]),
            Self::Text(value) => (3, value.as_bytes()),
            Self::Bytes(value) => (4, value),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
}

/// The number of rows and the sum of their hashes. The order of rows does not matter, because the
/// engines sort text differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    pub rows: u64,
    sum: u128,
}

impl Checksum {
    pub fn add(&mut self, row: &[Cell]) {
        let mut hash = Sha256::new();
        row.iter().for_each(|cell| cell.update(&mut hash));
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
    }
}

/// Reads a table from beginning to end.
pub(super) struct Batches<'t> {
    table: &'t Table,
    after: Option<Vec<Cell>>,
    rows: usize,
    is_done: bool,
}

impl<'t> Batches<'t> {
    pub fn new(table: &'t Table) -> Self {
        Self {
            table,
            after: None,
            rows: FIRST_BATCH_ROWS,
            is_done: false,
        }
    }

    /// The next rows; empty at the end.
    pub async fn next(&mut self, conn: &mut Conn) -> Result<Vec<Vec<Cell>>> {
        if self.is_done {
            return Ok(Vec::new());
        }
        let table = self.table;
        let mut params = vec![Value::Int(self.rows as i64)];
        let sql = match &self.after {
            Some(key) => {
                params.extend(key.iter().map(Cell::as_value));
                table.sql.next
            }
            None => table.sql.first,
        };
        let read = |row: &Row<'_>| -> Result<Vec<Cell>> {
            let columns = table.columns.iter().enumerate();
            columns
                .map(|(i, column)| Cell::read(row, i, column.kind))
                .collect()
        };
        let rows = conn.query(sql, &params, read).await?;
        self.is_done = rows.len() < self.rows;
        if let Some(last) = rows.last() {
            self.after = Some(table.key.iter().map(|&i| last[i].clone()).collect());
            let bytes: usize = rows.iter().flatten().map(Cell::size).sum();
            let fitting = BATCH_BYTES / (bytes / rows.len()).max(1);
            self.rows = fitting.min(self.rows * 4).clamp(1, MAX_BATCH_ROWS);
        }
        Ok(rows)
    }
}
