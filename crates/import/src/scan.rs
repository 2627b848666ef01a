//! The first pass: which tables and columns there are, the small tables, the balances, and the rows
//! that nothing takes the place of.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use db::Progress;
use dump::{Item, Table as Definition};

use crate::decimal::Decimal;
use crate::pass::{Source, Steps};
use crate::record::{Record, missing_column, refused};
use crate::report::Output;
use crate::small::Small;
use crate::tables::{TABLES, Table, USERS};
use kernel::types::money::Sum;
use kernel::{Error, Result};

/// Tables of other programs that are named.
const MOST_OTHERS: usize = 1_000;

/// The findings of the first pass.
#[derive(Default)]
pub struct Scan {
    pub small: Small,
    pub balances: Balances,
    /// Tables without the prefix, which are not read.
    pub others: Vec<String>,
    /// The types of the columns of each table.
    types: HashMap<String, HashMap<String, String>>,
}

/// The money that users of the other program have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    pub users: u64,
    pub sum: Sum,
}

impl Scan {
    pub async fn read(
        source: &Source<'_>,
        output: &mut Output<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let mut scan = Self::default();
        let others = Mutex::new(BTreeSet::new());
        let is_wanted = |table: &str| {
            let is_ours = source.short(table).is_some();
            if !is_ours
                && let Ok(mut others) = others.lock()
                && others.len() < MOST_OTHERS
            {
                others.insert(table.to_owned());
            }
            is_ours
        };
        let mut found = BTreeSet::new();
        let mut reader = source.reader("bytes, pass 1 of 4", is_wanted, progress)?;
        let mut steps = Steps::default();
        loop {
            let line = reader.line();
            match reader.next().map_err(refused)? {
                None => break,
                Some(Item::Table(table)) => {
                    let name = source.short(&table.name).unwrap_or_default().to_lowercase();
                    output.counts(&name);
                    scan.define(line, &name, table, output)?;
                    found.insert(name);
                }
                Some(Item::Row(row)) => {
                    let name = source.short(row.table()).unwrap_or_default().to_lowercase();
                    let keeps_rows = output.keeps_rows();
                    scan.take(&name, Record::new(row, keeps_rows), output)?;
                    if !found.contains(&name) {
                        found.insert(name);
                    }
                }
            }
            steps.advance(&reader, progress).await;
        }
        steps.finish(&reader, progress);
        drop(reader);
        scan.others = others
            .into_inner()
            .unwrap_or_default()
            .into_iter()
            .collect();
        if !found.contains(USERS) {
            return Err(Error::internal(format!(
                "the dump has no table {}{USERS}; name the prefix of the tables with --prefix",
                source.prefix
            )));
        }
        for table in TABLES.iter().filter(|table| !found.contains(table.name)) {
            output.note(table.name, None, "the table is missing")?;
        }
        for name in found.iter().filter(|name| Table::find(name).is_none()) {
            output.note(name, None, "left out: there is no place for this table")?;
        }
        Ok(scan)
    }

    /// Whether a column may have lost digits in the dump.
    pub fn is_float(&self, table: &str, column: &str) -> bool {
        let kind = self.types.get(table).and_then(|types| types.get(column));
        kind.is_none_or(|kind| kind.starts_with("float"))
    }

    /// Checks the columns of a table.
    fn define(
        &mut self,
        line: u64,
        name: &str,
        definition: &Definition,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let Some(table) = Table::find(name) else {
            return Ok(());
        };
        let has = |column: &&str| definition.column(column).is_some();
        if let Some(missing) = table.columns.iter().find(|column| !has(column)) {
            return Err(missing_column(line, &definition.name, missing));
        }
        let is_in = |columns: &[&str], name: &str| {
            columns
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        let mut left_out = Vec::new();
        for column in &definition.columns {
            if is_in(table.left_out, &column.name) {
                left_out.push(column.name.as_str());
            } else if !is_in(table.columns, &column.name) {
                let column = column.name.escape_debug();
                let reason = format!("left out: the column {column}, which is unknown");
                output.note(name, None, &reason)?;
            }
        }
        if name == USERS {
            left_out.push("balance");
        }
        if !left_out.is_empty() {
            let columns = left_out.join(", ");
            let reason = format!("left out: the columns {columns}, for which there is no place");
            output.note(name, None, &reason)?;
        }
        let types = definition.columns.iter();
        let types = types.map(|column| (column.name.to_lowercase(), column.kind.clone()));
        self.types.insert(name.to_owned(), types.collect());
        Ok(())
    }

    fn take(&mut self, name: &str, record: Record<'_>, output: &mut Output<'_>) -> Result<()> {
        if Table::find(name).is_none() {
            return output.without_place(name, record.json().as_deref());
        }
        output.counts(name).read += 1;
        self.small.take(name, record)?;
        if name == USERS
            && let Some(balance) = record.decimal("balance")?
        {
            self.balances.add(balance);
        }
        Ok(())
    }
}

impl Balances {
    fn add(&mut self, balance: Decimal<'_>) {
        // A balance has two places, and more than fits is not money.
        if let Some((balance, _)) = balance.money(4)
            && balance.parts() != 0
        {
            self.users += 1;
            self.sum += Sum::from_split(0, balance.parts());
        }
    }
}
