//! Checks that any dump gives tables and rows or an error, the same ones however the input arrives,
//! and that a table is read the same when the others are skipped.
#![cfg_attr(fuzzing, no_main)]

use std::io::{self, Read};

use dump::{Item, Reader};
use libfuzzer_sys::fuzz_target;

/// Returns a few bytes at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(3);
        self.0.read(&mut buffer[..count])
    }
}

/// The rows that were read up to the end or the error, and whether the dump is complete.
fn read(mut reader: Reader) -> (Vec<String>, bool) {
    let mut items = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(Item::Table(table))) => {
                assert!(table.columns.len() <= dump::MAX_COLUMNS);
                items.push(format!("{table:?}"));
            }
            Ok(Some(Item::Row(row))) => {
                assert_eq!(row.values().count(), row.columns().len());
                items.push(format!(
                    "{} {:?}",
                    row.table(),
                    row.values().collect::<Vec<_>>()
                ));
            }
            Ok(None) => return (items, true),
            Err(error) => {
                assert!(error.to_string().starts_with("Line "));
                return (items, false);
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    // A line before it: nothing is decompressed, which would take the time of other inputs.
    let text = [b"\n", bytes].concat();
    let reader = || Reader::new(&*text).expect("a text");
    let (items, is_complete) = read(reader());
    let slow = Reader::new(Slow(&text)).expect("a text");
    assert_eq!(read(slow), (items, is_complete));
    // What is a complete dump is one without its tables too.
    if is_complete {
        assert_eq!(read(reader().only(|_| false)), (Vec::new(), true));
    }
});
