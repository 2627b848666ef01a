//! A row of the dump, and its values as this program understands them.

use std::fmt::Write;

use dump::{Problem, Row, Value};
use serde_json::{Map, Value as Json};

use crate::decimal::Decimal;
use kernel::types::{Day, Timestamp};
use kernel::{Error, Result};

/// The remains of a row once the next one is read: enough to report it.
#[derive(Clone, Debug)]
pub struct Kept {
    pub id: i64,
    pub json: Option<Box<str>>,
}

impl Kept {
    /// Bytes of memory.
    pub fn size(&self) -> usize {
        self.json.as_ref().map_or(0, |json| json.len())
    }
}

/// A time of the dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Null,
    /// Zero or impossible, such as `2024-00-00`.
    Impossible,
    At(Timestamp),
}

impl Moment {
    /// The time, where none is allowed.
    pub fn or_none(self, what: &str, changes: &mut Vec<String>) -> Option<Timestamp> {
        match self {
            Self::At(at) => Some(at),
            Self::Null => None,
            Self::Impossible => {
                changes.push(format!(
                    "{what} is a zero or impossible date, so there is none"
                ));
                None
            }
        }
    }

    /// The time, where there must be one.
    pub fn or(self, what: &str, other: Timestamp, changes: &mut Vec<String>) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Null | Self::Impossible => {
                changes.push(format!(
                    "{what} is missing or an impossible date, so it is {other}"
                ));
                other
            }
        }
    }
}

#[derive(Clone, Copy)]
pub struct Record<'a> {
    row: Row<'a>,
    keeps_json: bool,
}

impl<'a> Record<'a> {
    pub fn new(row: Row<'a>, keeps_json: bool) -> Self {
        Self { row, keeps_json }
    }

    /// The row's id and, if rows without a place are wanted, all of it.
    pub fn keep(&self) -> Result<Kept> {
        Ok(Kept {
            id: self.required("id")?,
            json: self.json(),
        })
    }

    /// All of the row as a line of JSON, if rows without a place are wanted.
    pub fn json(&self) -> Option<Box<str>> {
        self.keeps_json.then(|| to_json(&self.row).into())
    }

    /// Bytes of all values.
    pub fn size(&self) -> usize {
        let values = self.row.values().filter_map(Value::bytes);
        let size: usize = values.map(<[u8]>::len).sum();
        size * if self.keeps_json { 3 } else { 1 }
    }

    pub fn integer(&self, column: &str) -> Result<Option<i64>> {
        self.row.integer(column).map_err(refused)
    }

    pub fn required(&self, column: &str) -> Result<i64> {
        match self.integer(column)? {
            Some(number) => Ok(number),
            None => Err(self.wrong(column, "is NULL")),
        }
    }

    /// Whether a column is neither 0 nor NULL.
    pub fn is_set(&self, column: &str) -> Result<bool> {
        Ok(self.integer(column)?.is_some_and(|number| number != 0))
    }

    pub fn text(&self, column: &str) -> Result<Option<&'a str>> {
        self.row.text(column).map_err(refused)
    }

    /// A text, which is empty in place of NULL.
    pub fn string(&self, column: &str) -> Result<&'a str> {
        Ok(self.text(column)?.unwrap_or_default())
    }

    pub fn decimal(&self, column: &str) -> Result<Option<Decimal<'a>>> {
        let Some(text) = self.text(column)? else {
            return Ok(None);
        };
        match Decimal::parse(text) {
            Some(decimal) => Ok(Some(decimal)),
            None => Err(self.wrong(column, "is not a number")),
        }
    }

    pub fn moment(&self, column: &str) -> Result<Moment> {
        Ok(match self.text(column)? {
            None => Moment::Null,
            Some(text) => moment(text).map_or(Moment::Impossible, Moment::At),
        })
    }

    /// An error about a value, with its line and table.
    pub fn wrong(&self, column: &str, what: &str) -> Error {
        self.refuse(&format!("the column {column} {what}"))
    }

    pub fn refuse(&self, sentence: &str) -> Error {
        Error::internal(format!(
            "Line {}, table {}: {sentence}.",
            self.row.line(),
            self.row.table().escape_debug()
        ))
    }
}

/// An error of the dump, which names the line and the table.
pub fn refused(error: dump::Error) -> Error {
    Error::internal(error)
}

/// The error of a definition without a column.
pub fn missing_column(line: u64, table: &str, column: &str) -> Error {
    refused(dump::Error {
        line,
        table: Some(table.to_owned()),
        problem: Problem::NoColumn(column.to_owned()),
    })
}

/// Parses a time such as `2026-03-01 12:00:00`, in UTC. A fraction is dropped.
fn moment(text: &str) -> Option<Timestamp> {
    let (day, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let time = time.split('.').next().unwrap_or_default();
    let day = Day::parse(day).filter(|_| !day.starts_with("0000"))?;
    let mut seconds = 0;
    let mut parts = time.split(':');
    for limit in [24, 60, 60] {
        let is_digits = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let part = parts.next().filter(is_digits)?;
        let number: i64 = part
            .parse()
            .ok()
            .filter(|number| (0..limit).contains(number))?;
        seconds = seconds * 60 + number;
    }
    let start = day.first_second().unix();
    parts
        .next()
        .is_none()
        .then(|| Timestamp::from_unix(start + seconds))
}

fn to_json(row: &Row<'_>) -> String {
    let columns = row.columns().iter().cloned();
    let values = row.values().map(|value| match value {
        Value::Null => Json::Null,
        Value::Integer(text) => match text.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => text.into(),
        },
        Value::Decimal(text) => text.into(),
        Value::Text(bytes) => match str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => hexadecimal(bytes).into(),
        },
        Value::Blob(bytes) => hexadecimal(bytes).into(),
    });
    Json::Object(columns.zip(values).collect::<Map<String, Json>>()).to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn times_are_utc_and_impossible_ones_are_none() {
        let unix = |text| moment(text).map(|at| at.unix());
        assert_eq!(unix("2023-11-14 22:13:20"), Some(1_700_000_000));
        assert_eq!(unix("2023-11-14 22:13:20.999"), Some(1_700_000_000));
        assert_eq!(unix("1970-01-02"), Some(86_400));
        assert_eq!(unix("1999-12-31 23:59:59"), Some(946_684_799));
        for text in [
            "0000-00-00 00:00:00",
            "2024-00-00 00:00:00",
            "2024-02-30 00:00:00",
            "0000-01-01 00:00:00",
            "2024-01-01 24:00:00",
            "2024-01-01 00:60:00",
            "2024-01-01 00:00",
            "2024-01-01 00:00:00:00",
            "2024-01-01T00:00:00",
            "",
            "yesterday",
        ] {
            assert_eq!(unix(text), None, "{text}");
        }
    }
}
