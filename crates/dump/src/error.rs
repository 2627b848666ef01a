use std::fmt;
use std::io;

/// Why a dump was refused, and where.
#[derive(Debug)]
pub struct Error {
    pub line: u64,
    pub table: Option<String>,
    pub problem: Problem,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Line {}", self.line)?;
        if let Some(table) = &self.table {
            // Escaped: a name may contain anything.
            write!(f, ", table {}", table.escape_debug())?;
        }
        write!(f, ": {}.", self.problem)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Read(error) => Some(error),
            _ => None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("the dump cannot be read: {0}")]
    Read(io::Error),
    #[error("the file is {0}")]
    NotADump(&'static str),
    #[error("reading ended at an earlier error")]
    Stopped,
    #[error("a {what} that begins in line {line} has no end, so the dump may be cut off")]
    Unterminated { what: &'static str, line: u64 },
    #[error(
        "the dump has no end: it was cut off, or made with --skip-comments or --compact, or by \
         phpMyAdmin without a transaction; make it again without those options"
    )]
    NoEnd,
    #[error("a {what} has more than {limit} {unit}")]
    TooLarge {
        what: &'static str,
        limit: usize,
        unit: &'static str,
    },
    #[error("a statement must begin with a word")]
    NotAStatement,
    #[error("{0} is expected here")]
    Expected(&'static str),
    #[error("the dump is in the character set {}; make it again with --default-character-set=utf8mb4", .0.escape_debug())]
    Charset(String),
    #[error("the setting {0} must be a plain text")]
    Setting(&'static str),
    #[error("{0} cannot be read; make the dump again with plain INSERT statements")]
    Insert(&'static str),
    #[error("a value must be NULL, a number or a string; expressions are not evaluated")]
    Expression,
    #[error("a hexadecimal or bit value is malformed")]
    MalformedBytes,
    #[error("a row has {values} values, but there are {columns} columns")]
    Width { values: String, columns: usize },
    #[error("the rows name no columns, and no CREATE TABLE comes before them")]
    UnknownColumns,
    #[error("CREATE TABLE has no list of columns")]
    NoColumns,
    #[error("the table is in the dump twice; dump one database only, and only once")]
    TwoTables,
    #[error("the body of a procedure or trigger needs a DELIMITER before it")]
    NoDelimiter,
    #[error("the column {} is missing", .0.escape_debug())]
    NoColumn(String),
    #[error("the column {0} is not UTF-8")]
    NotUtf8(String),
    #[error("the column {0} is not an integer")]
    NotAnInteger(String),
    #[error("the column {0} has an integer beyond 64 bits")]
    IntegerRange(String),
}

impl Problem {
    pub(crate) fn too_large(what: &'static str, limit: usize, unit: &'static str) -> Self {
        Self::TooLarge { what, limit, unit }
    }
}
