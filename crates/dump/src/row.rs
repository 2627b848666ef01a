use std::str;

use crate::error::{Error, Problem};

/// A value of a row, as the dump has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Null,
    /// An integer of any size, with its sign if that is a minus.
    Integer(&'a str),
    /// A number with a point or an exponent.
    Decimal(&'a str),
    /// A string without its escapes. Not necessarily UTF-8, since mysqldump writes binary columns
    /// as strings too.
    Text(&'a [u8]),
    /// A hexadecimal or bit value, or a string marked as binary.
    Blob(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The bytes of the text of a number, of a string or of a blob.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Null => None,
            Self::Integer(text) | Self::Decimal(text) => Some(text.as_bytes()),
            Self::Text(bytes) | Self::Blob(bytes) => Some(bytes),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Integer,
    Decimal,
    Text,
    Blob,
}

/// A value of the row that was read: its bytes end at `end`, and begin where the previous end.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub kind: Kind,
    pub end: usize,
}

/// A row of a table. It is valid until the next item is read.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(crate) table: &'a str,
    pub(crate) line: u64,
    pub(crate) columns: &'a [String],
    pub(crate) slots: &'a [Slot],
    pub(crate) bytes: &'a [u8],
}

impl<'a> Row<'a> {
    /// The table's name, as written.
    pub fn table(&self) -> &'a str {
        self.table
    }

    /// The line in which the row ends.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The names of the columns, as written. There are as many values.
    pub fn columns(&self) -> &'a [String] {
        self.columns
    }

    pub fn values(&self) -> impl Iterator<Item = Value<'a>> {
        let row = *self;
        (0..self.slots.len()).map(move |index| row.value(index))
    }

    fn value(&self, index: usize) -> Value<'a> {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.slots[before].end);
        let Slot { kind, end } = self.slots[index];
        let bytes = &self.bytes[start..end];
        // Numbers are ASCII.
        let number = || str::from_utf8(bytes).unwrap_or_default();
        match kind {
            Kind::Null => Value::Null,
            Kind::Integer => Value::Integer(number()),
            Kind::Decimal => Value::Decimal(number()),
            Kind::Text => Value::Text(bytes),
            Kind::Blob => Value::Blob(bytes),
        }
    }

    /// The value of a column, whose name may be in any case.
    pub fn get(&self, column: &str) -> Result<Value<'a>, Error> {
        let mut columns = self.columns.iter();
        let index = columns.position(|name| name.eq_ignore_ascii_case(column));
        match index {
            Some(index) => Ok(self.value(index)),
            None => Err(self.error(Problem::NoColumn(column.to_owned()))),
        }
    }

    /// A string, decoded, or the text of a number.
    pub fn text(&self, column: &str) -> Result<Option<&'a str>, Error> {
        let bytes = self.get(column)?.bytes();
        let text = bytes.map(str::from_utf8).transpose();
        text.map_err(|_| self.error(Problem::NotUtf8(column.to_owned())))
    }

    /// An integer, which may be in quotes.
    pub fn integer(&self, column: &str) -> Result<Option<i64>, Error> {
        let text = match self.get(column)? {
            Value::Null => return Ok(None),
            Value::Integer(text) => text,
            Value::Text(bytes) => str::from_utf8(bytes).unwrap_or_default(),
            Value::Decimal(_) | Value::Blob(_) => "",
        };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.error(Problem::NotAnInteger(column.to_owned())));
        }
        let number = text.parse().map(Some);
        number.map_err(|_| self.error(Problem::IntegerRange(column.to_owned())))
    }

    fn error(&self, problem: Problem) -> Error {
        Error {
            line: self.line,
            table: Some(self.table.to_owned()),
            problem,
        }
    }
}
