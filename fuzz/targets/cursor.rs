//! Checks that any text is a cursor or a fault, and that a formatted cursor parses to the same.
#![cfg_attr(fuzzing, no_main)]

use kernel::input::{Faults, Raw};
use kernel::list::{Cursor, ListSpec, Order};
use libfuzzer_sys::fuzz_target;

const LIST: ListSpec = ListSpec {
    orders: &[
        Order::by_id("id", &["id"]),
        Order::by_number("age", &["age", "id"]),
        Order::by_unsigned("total", &["total", "id"]),
        Order::by_text("name", &["name"]),
    ],
    ..ListSpec::PAGED
};

fn read(text: &str) -> Option<Cursor> {
    let mut faults = Faults::default();
    let cursor = Cursor::read(&LIST, Raw::Query(text), &mut faults.at("after"));
    assert_eq!(cursor.is_some(), faults.is_empty());
    cursor
}

fuzz_target!(|text: &str| {
    if let Some(cursor) = read(text) {
        let written = cursor.to_text(&LIST);
        assert_eq!(read(&written), Some(cursor), "{written}");
    }
});
