use std::borrow::Cow;
use std::collections::HashMap;

use csv::{Terminator, WriterBuilder};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::http::accept::Accept;
use crate::http::reply::to_json;
use crate::input::{Fault, Place, Raw, Rule, text};
use crate::{Error, Result, inline_schema};

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

/// The file format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RFC 4180, with a header line.
    Csv,
    /// One JSON object per line.
    Ndjson,
}

impl Format {
    /// The media types of the formats. The first is the default.
    pub const MEDIA_TYPES: [&'static str; 2] = [CSV, NDJSON];

    /// The format named in the query, or else the one that `Accept` prefers.
    pub fn choose(named: Option<Self>, accept: &Accept) -> Result<Self> {
        let preferred = || match accept.choose(&Self::MEDIA_TYPES) {
            Some(NDJSON) => Ok(Self::Ndjson),
            Some(_) => Ok(Self::Csv),
            None => Err(Error::NotAcceptable(&Self::MEDIA_TYPES)),
        };
        named.map_or_else(preferred, Ok)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => NDJSON,
        }
    }

    /// The bytes before all rows.
    pub fn head(self, columns: &[&str]) -> Result<Vec<u8>> {
        match self {
            Self::Csv => {
                let mut lines = lines();
                lines.write_record(columns).map_err(Error::internal)?;
                into_bytes(lines)
            }
            Self::Ndjson => Ok(Vec::new()),
        }
    }

    /// Writes rows. `columns` are fields of a row; a missing field is an empty cell.
    pub fn rows<R: Serialize>(
        self,
        columns: &[&str],
        rows: impl Iterator<Item = R>,
    ) -> Result<Vec<u8>> {
        match self {
            Self::Csv => {
                let mut lines = lines();
                for row in rows {
                    write_line(&mut lines, columns, &to_json(&row)?)?;
                }
                into_bytes(lines)
            }
            Self::Ndjson => {
                let mut text = Vec::new();
                for row in rows {
                    text.extend(to_json(&row)?);
                    text.push(b'\n');
                }
                Ok(text)
            }
        }
    }
}

type Lines = csv::Writer<Vec<u8>>;

fn lines() -> Lines {
    WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new())
}

fn into_bytes(lines: Lines) -> Result<Vec<u8>> {
    let inner = lines.into_inner();
    inner.map_err(|error| Error::internal(error.into_error()))
}

/// Copies numbers from the JSON text, so that they are exact and equal in both formats.
fn write_line(lines: &mut Lines, columns: &[&str], json: &[u8]) -> Result<()> {
    let fields: HashMap<&str, &RawValue> = serde_json::from_slice(json).map_err(Error::internal)?;
    for column in columns {
        let value = fields.get(column).map_or("null", |value| value.get());
        let cell = match value.strip_prefix('"') {
            None if value == "null" => Cow::Borrowed(""),
            // The text in it remains JSON, since an apostrophe needs no escape there.
            None if value.starts_with(['{', '[']) => escape_formula(Cow::Borrowed(value)),
            None => Cow::Borrowed(value),
            Some(_) => escape_formula(unquote(value)?),
        };
        lines.write_field(&*cell).map_err(Error::internal)?;
    }
    let end = lines.write_record(None::<&[u8]>);
    end.map_err(Error::internal)
}

fn unquote(json: &str) -> Result<Cow<'_, str>> {
    if json.contains('\\') {
        let text = serde_json::from_str(json).map_err(Error::internal)?;
        return Ok(Cow::Owned(text));
    }
    Ok(Cow::Borrowed(json.trim_matches('"')))
}

/// Puts an apostrophe before text that a spreadsheet would run as a formula. Some spreadsheets
/// split cells at semicolons and line breaks, so a formula can also begin there.
fn escape_formula(text: Cow<'_, str>) -> Cow<'_, str> {
    const FORMULAS: &str = "=+-@＝＋－＠";
    const SEPARATORS: &str = ";\t\r\n";
    let is_special = |c: char| FORMULAS.contains(c) || SEPARATORS.contains(c);
    if !text.contains(is_special) || is_plain_number(&text) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 1);
    let mut is_start = true;
    for c in text.chars() {
        let is_blank = safe.is_empty() && SEPARATORS.contains(c) && c != ';';
        if is_blank || is_start && FORMULAS.contains(c) {
            safe.push('\'');
        }
        safe.push(c);
        is_start = SEPARATORS.contains(c);
    }
    safe.into()
}

fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole) && all_digits(fraction)
}

impl Rule for Format {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        match &*text(raw, place)? {
            "csv" => Some(Self::Csv),
            "ndjson" => Some(Self::Ndjson),
            _ => {
                place.add(Fault::not_one_of(&["csv", "ndjson"]));
                None
            }
        }
    }
}

inline_schema!(Format, { "type": "string", "enum": ["csv", "ndjson"] });

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_quoted_and_formulas_are_escaped() {
        let columns = ["id", "text", "missing"];
        for (text, cell) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            (" spaces ", " spaces "),
            ("Жёлудь", "Жёлудь"),
            ("=1+1", "'=1+1"),
            ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""),
            ("+49 30", "'+49 30"),
            ("-1+1", "'-1+1"),
            ("@cmd", "'@cmd"),
            ("\ttab", "'\ttab"),
            ("\rreturn", "\"'\rreturn\""),
            ("-", "'-"),
            ("-5", "-5"),
            ("-5.25", "-5.25"),
            ("-5.", "'-5."),
            ("-5 ", "'-5 "),
            ("-1e5", "'-1e5"),
            ("1=1", "1=1"),
            ("x;=1+1", "x;'=1+1"),
            ("x; y", "x; y"),
            ("two\n=1", "\"two\n'=1\""),
            ("＝1", "'＝1"),
            ("null", "null"),
        ] {
            let row = json!({ "text": text, "id": -7, "unlisted": 1 });
            let line = Format::Csv.rows(&columns, [row].iter()).expect(text);
            let line = String::from_utf8(line).expect("UTF-8");
            assert_eq!(line, format!("-7,{cell},\r\n"), "{text}");
        }
    }

    #[test]
    fn formulas_inside_json_are_escaped() {
        let row = json!({ "after": { "name": "x;=1+1", "note": ["a;@b"] } });
        let line = Format::Csv.rows(&["after"], [row].iter()).expect("a line");
        let line = String::from_utf8(line).expect("UTF-8");
        let cell = r#"{"name":"x;'=1+1","note":["a;'@b"]}"#;
        assert_eq!(line, format!("\"{}\"\r\n", cell.replace('"', "\"\"")));
    }

    #[test]
    fn the_first_line_of_csv_names_the_columns() {
        let head = |format: Format| format.head(&["id", "name"]).expect("a head");
        assert_eq!(head(Format::Csv), b"id,name\r\n");
        assert_eq!(head(Format::Ndjson), b"");
    }

    #[test]
    fn ndjson_has_one_object_per_line() {
        let rows = [json!({ "a": "x\ny" }), json!({ "a": null })];
        let text = Format::Ndjson.rows(&["a"], rows.iter()).expect("rows");
        assert_eq!(text, b"{\"a\":\"x\\ny\"}\n{\"a\":null}\n");
    }
}
