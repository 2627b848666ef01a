//! Input that is malformed, endless or not a dump at all.

use std::io::{self, Read};

use dump::{MAX_COLUMNS, MAX_NAME, MAX_TABLES, MAX_VALUE, Reader};

use crate::{error, read, read_all, read_bytes};

/// Returns the first bytes, and then the same ones for ever.
struct Endless(Vec<u8>, &'static [u8]);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            self.0 = self.1.repeat(buffer.len().div_ceil(self.1.len()));
        }
        let count = buffer.len().min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0.drain(..count);
        Ok(count)
    }
}

fn endless(first: &str, repeated: &'static [u8], wanted: &'static str) -> String {
    let reader = Reader::new(Endless(first.into(), repeated)).expect("a reader");
    let mut reader = reader.only(move |name| name == wanted);
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("there is no end"),
            Err(error) => return error.to_string(),
        }
    }
}

#[test]
fn endless_input_reaches_a_limit() {
    let insert = "INSERT INTO t (a) VALUES (";
    let in_text = format!("{insert}'");
    for (first, repeated, expected) in [
        (
            in_text.as_str(),
            &b"x"[..],
            "a string has more than 16 MiB.",
        ),
        (&in_text, b"''", "a string has more than 16 MiB."),
        (insert, b"7", "a number has more than 1024 bytes."),
        (
            &format!("{insert}0x"),
            b"7",
            "a value has more than 16 MiB.",
        ),
        (
            "INSERT INTO u VALUES ('",
            b"x",
            "a statement has more than 64 MiB.",
        ),
        ("SET a = b -- ", b"x", "a statement has more than 64 MiB."),
        (
            "CREATE TABLE t (a int ",
            b"(",
            "a type has more than 16 MiB.",
        ),
        (
            "CREATE TABLE t (",
            b"a a,",
            "a table has more than 4096 columns.",
        ),
        ("", b"x", "a name has more than 256 bytes."),
        ("DELIMITER ", b"x", "a delimiter has more than 256 bytes."),
        ("DELIMITER $$\n", b"x", "a name has more than 256 bytes."),
        ("USE `", b"x", "a name has more than 256 bytes."),
        (
            "",
            b"/*!",
            "a nest of conditional comments has more than 64 levels.",
        ),
    ] {
        let message = endless(first, repeated, "t");
        assert!(message.ends_with(expected), "{first}: {message}");
    }
}

#[test]
fn a_statement_of_many_rows_reaches_its_limit() {
    let row = format!(",('{}')", "x".repeat(1 << 20));
    let row: &[u8] = row.leak().as_bytes();
    let message = endless("INSERT INTO t (a) VALUES (1)", row, "t");
    assert!(
        message.ends_with("a statement has more than 64 MiB."),
        "{message}"
    );
}

#[test]
fn the_largest_value_is_read() {
    let largest = "x".repeat(MAX_VALUE);
    let rows = read_values_length(&format!("('{largest}')"));
    assert_eq!(rows.expect("a row"), MAX_VALUE);
    let beyond = read_values_length(&format!("('{largest}x')")).expect_err("too large");
    assert_eq!(beyond, "Line 1, table t: a string has more than 16 MiB.");
    // Unwanted values have the limit of the statement.
    let text = format!("INSERT INTO u VALUES ('{largest}x');\n-- Dump completed");
    let reader = Reader::new(text.as_bytes())
        .expect("a dump")
        .only(|name| name == "t");
    assert!(read_all(reader).expect("no rows").is_empty());
}

fn read_values_length(values: &str) -> Result<usize, String> {
    let text = format!("INSERT INTO t (a) VALUES {values};\n-- Dump completed");
    let mut reader = Reader::new(text.as_bytes()).map_err(|error| error.to_string())?;
    match reader.next().map_err(|error| error.to_string())? {
        Some(dump::Item::Row(row)) => Ok(row
            .get("a")
            .expect("a column")
            .bytes()
            .map_or(0, <[u8]>::len)),
        _ => panic!("no row"),
    }
}

#[test]
fn counts_have_limits() {
    let columns = |count| vec!["a int"; count].join(",");
    assert!(read(&format!("CREATE TABLE t ({});", columns(MAX_COLUMNS))).is_ok());
    assert!(error(&format!("CREATE TABLE t ({});", columns(1_000_000))).contains("4096 columns"));
    let names = |count| vec!["a"; count].join(",");
    assert!(
        error(&format!("INSERT INTO t ({}) VALUES (1);", names(1_000_000)))
            .contains("4096 columns")
    );
    let name = "n".repeat(MAX_NAME);
    assert!(read(&format!("INSERT INTO `{name}` (`{name}`) VALUES (1);")).is_ok());
    assert!(error(&format!("INSERT INTO `{name}n` (a) VALUES (1);")).contains("256 bytes"));
    let tables = |count: usize| -> String {
        (0..count)
            .map(|number| format!("CREATE TABLE t{number} (a int);"))
            .collect()
    };
    assert!(read(&tables(MAX_TABLES)).is_ok());
    assert!(error(&tables(MAX_TABLES + 1)).contains("4096 tables"));
}

#[test]
fn what_has_no_end_is_named_with_its_first_line() {
    let cut = |text: &str| read_bytes(text.as_bytes()).expect_err(text);
    let insert = "\nINSERT INTO t (a) VALUES\n(";
    assert_eq!(
        cut(&format!("{insert}'a\nb\\")),
        "Line 4, table t: a string that begins in line 3 has no end, so the dump may be cut off."
    );
    assert!(cut("\n/*\n\n *").contains("a comment that begins in line 2"));
    assert!(cut("DROP `\n").contains("a string that begins in line 1"));
    assert!(cut("\nDROP x").contains("a statement that begins in line 2"));
    assert!(cut("\nSET x = ").contains("a statement that begins in line 2"));
    assert!(cut("/*!40101 -- Dump completed\n").contains("a comment"));
    for text in [
        "CREATE",
        "CREATE TABLE",
        "CREATE TABLE t (a",
        "INSERT",
        "INSERT INTO t",
        "USE",
    ] {
        assert!(cut(text).starts_with("Line 1"), "{text}");
    }
}

#[test]
fn what_is_not_sql_is_refused() {
    for (bytes, expected) in [
        (
            &b"PK\x03\x04rest"[..],
            "Line 1: the file is a ZIP archive; unpack it first.",
        ),
        (
            b"\xff\xfe-\0-\0",
            "Line 1: the file is UTF-16, as PowerShell's > writes it; make it again with --result-file.",
        ),
        (
            b"SQLite format 3\0",
            "Line 1: the file is an SQLite database, and not a dump.",
        ),
        (
            b"<?xml version",
            "Line 1: a statement must begin with a word.",
        ),
        (
            b"\n(SELECT 1);",
            "Line 2: a statement must begin with a word.",
        ),
        (b"'a';", "Line 1: a statement must begin with a word."),
    ] {
        assert_eq!(read_bytes(bytes).expect_err("no dump"), expected);
    }
}

#[test]
fn nothing_is_read_after_an_error() {
    let text = "INSERT INTO t (a) VALUES (1,2),(3);\n-- Dump completed";
    let mut reader = Reader::new(text.as_bytes()).expect("a dump");
    assert!(reader.next().is_err());
    let again = reader.next().expect_err("stopped").to_string();
    assert!(
        again.ends_with("reading ended at an earlier error."),
        "{again}"
    );
}

#[test]
fn names_in_messages_are_escaped() {
    let message = error("INSERT INTO `a\x1b[2J` VALUES (1);");
    assert!(
        message.starts_with("Line 1, table a\\u{1b}[2J: "),
        "{message}"
    );
}

#[test]
fn an_error_of_the_input_is_kept() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let reader = Reader::new(b"INSERT INTO t (a) VALUES (1),\n".chain(Broken));
    let message = reader.and_then(read_all).expect_err("an error").to_string();
    assert!(
        message.ends_with("the dump cannot be read: the disk is gone."),
        "{message}"
    );
}

#[test]
fn a_long_name_is_refused_at_the_line_of_its_last_byte_that_fits() {
    for (before, line) in [(100, 2), (300, 1)] {
        let name = format!("{}\n{}", "a".repeat(before), "b".repeat(300));
        let expected = format!("Line {line}: a name has more than 256 bytes.");
        assert_eq!(error(&format!("`{name}`")), expected);
    }
}
