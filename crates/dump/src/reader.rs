use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::compression;
use crate::error::{Error, Problem};
use crate::insert::Insert;
use crate::lexer::{Lexer, Token};
use crate::row::Row;
use crate::settings::Settings;
use crate::table::{self, Column, Table};
use crate::{MAX_DEFINITIONS, MAX_TABLES};

/// A part of a dump.
#[derive(Debug)]
pub enum Item<'r> {
    Table(&'r Table),
    Row(Row<'r>),
}

/// Reads a dump, which may be compressed with gzip or zstd.
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    bytes_read: Arc<AtomicU64>,
    is_wanted: Box<dyn Fn(&str) -> bool + Send + 'a>,
    settings: Settings,
    /// The wanted tables, by name in lower case.
    tables: HashMap<String, Known>,
    /// Memory that the tables take.
    definitions: usize,
    insert: Insert,
    /// The table of the statement, as written.
    table: Option<String>,
    /// The database of `USE`.
    database: Option<String>,
    has_transaction: bool,
    has_end: bool,
    is_in_rows: bool,
    has_stopped: bool,
    skipped: u64,
}

/// A wanted table that the dump has named.
struct Known {
    database: Option<String>,
    definition: Option<Table>,
}

enum Step {
    Table(String),
    Row,
    /// There is nothing to return.
    Skipped,
    End,
}

struct Name {
    database: Option<String>,
    /// In lower case.
    key: String,
}

impl<'a> Reader<'a> {
    /// Begins to read. What is compressed is recognised by its first bytes.
    pub fn new(input: impl Read + Send + 'a) -> Result<Self, Error> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let input = Counted {
            input,
            count: Arc::clone(&bytes_read),
        };
        let input = compression::open(input).map_err(|problem| Error {
            line: 1,
            table: None,
            problem,
        })?;
        Ok(Self {
            lexer: Lexer::new(input),
            bytes_read,
            is_wanted: Box::new(|_| true),
            settings: Settings::default(),
            tables: HashMap::new(),
            definitions: 0,
            insert: Insert::default(),
            table: None,
            database: None,
            has_transaction: false,
            has_end: false,
            is_in_rows: false,
            has_stopped: false,
            skipped: 0,
        })
    }

    /// Reads the tables for which this is true only. It gets the name in lower case.
    pub fn only(mut self, is_wanted: impl Fn(&str) -> bool + Send + 'a) -> Self {
        self.is_wanted = Box::new(is_wanted);
        self
    }

    /// The next table or row, or `None` after the end of a complete dump.
    #[expect(
        clippy::should_implement_trait,
        reason = "an item borrows from the reader"
    )]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, Error> {
        let step = loop {
            match self.step() {
                Ok(Step::Skipped) => {}
                Ok(step) => break step,
                Err(problem) => return Err(self.fail(problem)),
            }
        };
        Ok(match step {
            Step::Table(key) => {
                let definition = self.tables[&key].definition.as_ref();
                definition.map(Item::Table)
            }
            Step::Row => Some(Item::Row(Row {
                table: self.table.as_deref().unwrap_or_default(),
                line: self.lexer.source.line(),
                columns: &self.insert.columns,
                slots: &self.insert.slots,
                bytes: &self.lexer.text,
            })),
            Step::Skipped | Step::End => None,
        })
    }

    /// The time zone of the rows that are being read, if the dump sets one. mysqldump restores the
    /// earlier one after the last row.
    pub fn time_zone(&self) -> Option<&str> {
        self.settings.time_zone.as_deref()
    }

    /// Statements other than `CREATE TABLE`, `INSERT`, `ALTER` and `SET`: they have no effect here.
    pub fn skipped_statements(&self) -> u64 {
        self.skipped
    }

    /// Bytes of the input that were read, before decompression. This is a little more than what was
    /// returned.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The line that was reached.
    pub fn line(&mut self) -> u64 {
        self.lexer.source.line()
    }

    fn fail(&mut self, problem: Problem) -> Error {
        self.has_stopped = true;
        Error {
            line: self.lexer.source.line(),
            table: self.table.clone(),
            problem,
        }
    }

    fn step(&mut self) -> Result<Step, Problem> {
        if self.has_stopped {
            return Err(Problem::Stopped);
        }
        if self.is_in_rows {
            self.is_in_rows = self.insert.read_row(&mut self.lexer)?;
            return Ok(if self.is_in_rows {
                Step::Row
            } else {
                Step::Skipped
            });
        }
        self.table = None;
        self.lexer.source.end_statement();
        self.has_end |= self.lexer.skip_between_statements()?;
        self.lexer.source.begin_statement();
        match self.lexer.next()? {
            Token::EndOfFile if self.has_end => Ok(Step::End),
            Token::EndOfFile => Err(Problem::NoEnd),
            // After a conditional comment.
            Token::Delimiter => Ok(Step::Skipped),
            Token::Word => self.read_statement(),
            _ => Err(Problem::NotAStatement),
        }
    }

    fn read_statement(&mut self) -> Result<Step, Problem> {
        match self.lexer.text.to_ascii_uppercase().as_slice() {
            b"CREATE" => return self.read_create(),
            b"INSERT" | b"REPLACE" => return self.read_insert(),
            b"SET" => self.settings.read(&mut self.lexer)?,
            b"DELIMITER" => self.lexer.read_delimiter()?,
            b"ALTER" => self.lexer.skip_statement()?,
            b"USE" => {
                self.database = Some(self.read_identifier("a database")?);
                self.lexer.skip_statement()?;
            }
            b"START" | b"BEGIN" => {
                self.has_transaction = true;
                self.lexer.skip_statement()?;
            }
            b"COMMIT" => {
                // Without its beginning it is of mysqldump --no-autocommit, after each table.
                self.has_end |= self.has_transaction;
                self.lexer.skip_statement()?;
            }
            _ => {
                self.skipped += 1;
                self.lexer.skip_statement()?;
            }
        }
        Ok(Step::Skipped)
    }

    fn read_identifier(&mut self, what: &'static str) -> Result<String, Problem> {
        match self.lexer.next()? {
            Token::Word | Token::Quoted => Ok(table::name(&self.lexer)),
            _ => Err(Problem::Expected(what)),
        }
    }

    /// Reads the name of a table after its first token.
    fn read_name(&mut self, token: Token) -> Result<Name, Problem> {
        if !matches!(token, Token::Word | Token::Quoted) {
            return Err(Problem::Expected("the name of a table"));
        }
        let mut name = table::name(&self.lexer);
        let mut database = self.database.clone();
        if self.lexer.skip_point()? {
            database = Some(name);
            name = self.read_identifier("the name of a table")?;
        }
        let key = name.to_lowercase();
        self.table = Some(name);
        Ok(Name { database, key })
    }

    /// Remembers a wanted table, and that its database is the only one.
    fn known(&mut self, name: &Name) -> Result<&mut Known, Problem> {
        if self.tables.len() == MAX_TABLES && !self.tables.contains_key(&name.key) {
            return Err(Problem::too_large("dump", MAX_TABLES, "tables"));
        }
        let known = self
            .tables
            .entry(name.key.clone())
            .or_insert_with(|| Known {
                database: name.database.clone(),
                definition: None,
            });
        match (&known.database, &name.database) {
            (Some(one), Some(other)) if one != other => return Err(Problem::TwoTables),
            (None, Some(other)) => known.database = Some(other.clone()),
            _ => {}
        }
        Ok(known)
    }

    fn read_create(&mut self) -> Result<Step, Problem> {
        let mut token = self.lexer.next()?;
        while ["OR", "REPLACE", "TEMPORARY"]
            .iter()
            .any(|word| self.lexer.is(token, word))
        {
            token = self.lexer.next()?;
        }
        if !self.lexer.is(token, "TABLE") {
            return self.skip_create(token);
        }
        self.has_end = false;
        token = self.lexer.next()?;
        while ["IF", "NOT", "EXISTS"]
            .iter()
            .any(|word| self.lexer.is(token, word))
        {
            token = self.lexer.next()?;
        }
        let name = self.read_name(token)?;
        if !(self.is_wanted)(&name.key) {
            self.lexer.skip_statement()?;
            return Ok(Step::Skipped);
        }
        let columns = table::read_columns(&mut self.lexer)?;
        self.lexer.skip_statement()?;
        let sizes = columns.iter().map(Column::size);
        self.definitions += sizes.sum::<usize>();
        if self.definitions > MAX_DEFINITIONS {
            return Err(Problem::too_large(
                "list of all columns",
                MAX_DEFINITIONS >> 20,
                "MiB",
            ));
        }
        let table = Table {
            name: self.table.clone().unwrap_or_default(),
            columns,
        };
        match self.known(&name)?.definition.replace(table) {
            None => Ok(Step::Table(name.key)),
            Some(_) => Err(Problem::TwoTables),
        }
    }

    /// Skips a view, procedure or trigger. Its body is not data.
    fn skip_create(&mut self, mut token: Token) -> Result<Step, Problem> {
        self.skipped += 1;
        if !self.lexer.has_default_delimiter() {
            if token != Token::Delimiter {
                self.lexer.skip_statement()?;
            }
            return Ok(Step::Skipped);
        }
        loop {
            match token {
                Token::Delimiter => return Ok(Step::Skipped),
                Token::EndOfFile => return Err(Problem::Expected("the end of the statement")),
                // The statements after it would be taken for those of the dump.
                Token::Word if self.lexer.is(token, "BEGIN") => return Err(Problem::NoDelimiter),
                _ => token = self.lexer.next()?,
            }
        }
    }

    fn read_insert(&mut self) -> Result<Step, Problem> {
        self.has_end = false;
        let words = ["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO"];
        let mut token = self.lexer.next()?;
        while words.iter().any(|word| self.lexer.is(token, word)) {
            token = self.lexer.next()?;
        }
        let name = self.read_name(token)?;
        if !(self.is_wanted)(&name.key) {
            self.lexer.skip_statement()?;
            return Ok(Step::Skipped);
        }
        if let Some(charset) = &self.settings.other_charset {
            return Err(Problem::Charset(charset.clone()));
        }
        self.known(&name)?;
        let definition = self.tables[&name.key].definition.as_ref();
        let columns = definition.map(|table| table.columns.iter().map(|column| &*column.name));
        self.insert.begin(&mut self.lexer, columns)?;
        self.is_in_rows = true;
        Ok(Step::Skipped)
    }
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
