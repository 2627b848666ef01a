//! Any text is a cursor or a fault, and a cursor that was read is read again as it is written.
#![no_main]

use kernel::input::{Faults, Raw, Rule};
use kernel::list::{Cursor, Key, PositionKind, Sort};
use libfuzzer_sys::fuzz_target;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Id,
    Age,
    Total,
    Name,
}

impl Key for By {
    const ALL: &'static [(&'static str, Self)] = &[
        ("id", Self::Id),
        ("age", Self::Age),
        ("total", Self::Total),
        ("name", Self::Name),
    ];
    const DEFAULT: Sort<Self> = Sort::ascending(Self::Id);

    fn kind(self) -> PositionKind {
        match self {
            Self::Id => PositionKind::Id,
            Self::Age => PositionKind::NumberThenId,
            Self::Total => PositionKind::UnsignedThenId,
            Self::Name => PositionKind::Text,
        }
    }
}

fn read(text: &str) -> Option<Cursor<By>> {
    let mut faults = Faults::default();
    let cursor = Cursor::read(Raw::Query(text), &mut faults.at("after"));
    assert_eq!(cursor.is_some(), faults.is_empty());
    cursor
}

fuzz_target!(|text: &str| {
    if let Some(cursor) = read(text) {
        let written = cursor.to_string();
        assert_eq!(read(&written), Some(cursor), "{written}");
    }
});
