//! Parameters and columns, common to both engines.

use std::error::Error as StdError;

use bytes::BytesMut;
use memchr::memchr;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::search::Containing;
use crate::{Error, Result};

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(&'a str),
    Blob(&'a [u8]),
    /// A list of ids, for `= ANY($1)`.
    Ids(&'a [i64]),
    /// A list of texts, for `FROM unnest($1::text[])`.
    Texts(&'a [String]),
    /// The pieces of a substring search.
    Containing(Containing<'a>),
}

impl Value<'_> {
    /// Rejects text that PostgreSQL cannot store.
    pub(crate) fn check(values: &[Value<'_>]) -> Result<()> {
        let contains_nul = |text: &str| memchr(0, text.as_bytes()).is_some();
        let has_nul = |value: &Value<'_>| match value {
            Value::Text(text) => contains_nul(text),
            Value::Containing(Containing(pieces)) => pieces.iter().any(|text| contains_nul(text)),
            Value::Texts(texts) => texts.iter().any(|text| contains_nul(text)),
            _ => false,
        };
        if values.iter().any(has_nul) {
            return Err(Error::Nul);
        }
        Ok(())
    }
}

impl Value<'_> {
    /// A copy for SQLite that can be sent to another thread.
    pub(crate) fn to_sqlite(self) -> rusqlite::types::Value {
        match self {
            Self::Null => rusqlite::types::Value::Null,
            Self::Bool(value) => i64::from(value).into(),
            Self::Int(value) => value.into(),
            Self::Text(value) => value.to_owned().into(),
            Self::Blob(value) => value.to_owned().into(),
            Self::Ids(ids) => json_list(ids).into(),
            Self::Texts(texts) => json_texts(texts).into(),
            Self::Containing(pieces) => pieces.as_match().into(),
        }
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(value)
    }
}

impl<'a> From<&'a Vec<u8>> for Value<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Blob(value)
    }
}

impl<'a> From<&'a [i64]> for Value<'a> {
    fn from(value: &'a [i64]) -> Self {
        Self::Ids(value)
    }
}

impl<'a> From<&'a Vec<i64>> for Value<'a> {
    fn from(value: &'a Vec<i64>) -> Self {
        Self::Ids(value)
    }
}

impl<'a> From<&'a [String]> for Value<'a> {
    fn from(value: &'a [String]) -> Self {
        Self::Texts(value)
    }
}

impl<'a> From<&'a Vec<String>> for Value<'a> {
    fn from(value: &'a Vec<String>) -> Self {
        Self::Texts(value)
    }
}

impl<'a> From<Containing<'a>> for Value<'a> {
    fn from(value: Containing<'a>) -> Self {
        Self::Containing(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Builds a `&[Value]` from plain Rust values.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Bool(value) => ToSqlOutput::Borrowed(ValueRef::Integer(value.into())),
            Self::Int(value) => ToSqlOutput::Borrowed(ValueRef::Integer(value)),
            Self::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Self::Blob(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
            Self::Ids(ids) => ToSqlOutput::Owned(json_list(ids).into()),
            Self::Texts(texts) => ToSqlOutput::Owned(json_texts(texts).into()),
            Self::Containing(pieces) => ToSqlOutput::Owned(pieces.as_match().into()),
        })
    }
}

fn json_list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

fn json_texts(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(ty, out),
            Self::Int(value) => value.to_sql_checked(ty, out),
            Self::Text(value) => value.to_sql_checked(ty, out),
            Self::Blob(value) => value.to_sql_checked(ty, out),
            Self::Ids(value) => value.to_sql_checked(ty, out),
            Self::Texts(value) => value.to_sql_checked(ty, out),
            Self::Containing(pieces) => pieces.as_like().to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // The type depends on the value, so `to_sql` checks it.
        true
    }

    to_sql_checked!();
}

/// A type that a column can be read as on both engines.
pub trait Column: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a> {}

impl<T> Column for T where T: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a> {}

/// A row of a result.
pub enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    /// A SQLite row that was read by another thread.
    Copied(&'r [rusqlite::types::Value]),
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// The column at `index`, counted from 0.
    pub fn get<T: Column>(&self, index: usize) -> Result<T> {
        match self {
            Self::Sqlite(row) => row.get(index).map_err(Error::engine),
            Self::Copied(row) => {
                let value = row.get(index).ok_or(Error::NoColumn(index))?;
                T::column_result(value.into()).map_err(Error::engine)
            }
            Self::Postgres(row) => row.try_get(index).map_err(Error::engine),
        }
    }
}
