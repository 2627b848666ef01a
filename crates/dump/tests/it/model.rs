//! Rows written by a model, in every form of each value, and read again.

use dump::{Item, Reader, Value};
use proptest::prelude::*;

use crate::{END, Slow};

#[derive(Clone, Debug, PartialEq)]
enum Model {
    Null,
    Integer(i128),
    Decimal(i64, u32),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Model {
    fn is(&self, value: Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Integer(number), Value::Integer(text)) => number.to_string() == text,
            (Self::Decimal(whole, part), Value::Decimal(text)) => format!("{whole}.{part}") == text,
            (Self::Text(bytes), Value::Text(text)) => bytes == text,
            (Self::Blob(bytes), Value::Blob(text)) => bytes == text,
            _ => false,
        }
    }

    /// Appends the value. `forms` says which form each value and byte has.
    fn write(&self, forms: &mut impl FnMut() -> u8, text: &mut Vec<u8>) {
        match self {
            Self::Null => text.extend(if forms().is_multiple_of(2) {
                *b"NULL"
            } else {
                *b"null"
            }),
            Self::Integer(number) => text.extend(number.to_string().bytes()),
            Self::Decimal(whole, part) => text.extend(format!("{whole}.{part}").bytes()),
            Self::Text(bytes) => write_text(bytes, forms, text),
            Self::Blob(bytes) => match forms() % 3 {
                0 if !bytes.is_empty() => {
                    text.extend(b"0x");
                    text.extend(hexadecimal(bytes).bytes());
                }
                1 => text.extend(format!("X'{}'", hexadecimal(bytes)).bytes()),
                _ => {
                    text.extend(b"_binary ");
                    write_text(bytes, forms, text);
                }
            },
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_text(bytes: &[u8], forms: &mut impl FnMut() -> u8, text: &mut Vec<u8>) {
    let quote = if forms().is_multiple_of(3) {
        b'"'
    } else {
        b'\''
    };
    text.push(quote);
    for byte in bytes {
        let form = forms();
        let letter = match byte {
            0 => Some(b'0'),
            8 => Some(b'b'),
            b'\n' => Some(b'n'),
            b'\r' => Some(b'r'),
            b'\t' => Some(b't'),
            0x1a => Some(b'Z'),
            b'\'' | b'"' | b'\\' => Some(*byte),
            // An escape that means nothing.
            b'x' | b'.' | 0xd1 => Some(*byte),
            _ => None,
        };
        match letter {
            Some(_) if *byte == quote && form.is_multiple_of(2) => text.extend([quote, quote]),
            Some(letter) if *byte == quote || *byte == b'\\' || form.is_multiple_of(2) => {
                text.extend([b'\\', letter]);
            }
            _ => text.push(*byte),
        }
    }
    text.push(quote);
}

fn write_blank(form: u8, text: &mut Vec<u8>) {
    let blanks: [&[u8]; 8] = [
        b"",
        b"",
        b" ",
        b"\n",
        b"/* ),(' */",
        b"-- ');\n",
        b"#';\r\n",
        b"\t/*!50003 */",
    ];
    text.extend(blanks[usize::from(form) % blanks.len()]);
}

fn value() -> impl Strategy<Value = Model> {
    let bytes = prop::collection::vec(
        prop_oneof![
            any::<u8>(),
            prop::sample::select(b"\0\x08\n\r\t\x1a'\"\\%_x.;-/*()".to_vec())
        ],
        0..20,
    )
    .boxed();
    prop_oneof![
        Just(Model::Null),
        any::<i128>().prop_map(Model::Integer),
        (any::<i64>(), any::<u32>()).prop_map(|(whole, part)| Model::Decimal(whole, part)),
        bytes.clone().prop_map(Model::Text),
        bytes.prop_map(Model::Blob),
    ]
}

proptest! {
    #[test]
    fn rows_in_all_forms_are_read_as_written(
        rows in prop::collection::vec(prop::collection::vec(value(), 3), 1..8),
        choices in prop::collection::vec(any::<u8>(), 1..200),
    ) {
        let mut choices = choices.iter().cycle();
        let mut forms = || *choices.next().expect("a cycle");
        let mut text = b"CREATE TABLE t (a int, b text, c blob);".to_vec();
        for (index, row) in rows.iter().enumerate() {
            let begins = index == 0 || forms().is_multiple_of(4);
            if begins && index > 0 {
                text.extend(b";\n");
            }
            let lead: &[u8] = match (begins, forms() % 3) {
                (false, _) => b",",
                (_, 0) => b"INSERT INTO `t` VALUES",
                (_, 1) => b"insert ignore into T (`a`,b, `C`) values",
                _ => b"REPLACE INTO `db`.`t` VALUES",
            };
            text.extend(lead);
            write_blank(forms(), &mut text);
            for (index, value) in row.iter().enumerate() {
                text.push(if index == 0 { b'(' } else { b',' });
                write_blank(forms(), &mut text);
                value.write(&mut forms, &mut text);
                write_blank(forms(), &mut text);
            }
            text.push(b')');
            write_blank(forms(), &mut text);
        }
        text.push(b';');
        text.extend(END.bytes());
        for mut reader in [Reader::new(&*text), Reader::new(Slow(&text))].map(|reader| reader.expect("a dump")) {
            let mut expected = rows.iter();
            while let Some(item) = reader.next().expect("an item") {
                let Item::Row(row) = item else { continue };
                let model = expected.next().expect("a row");
                prop_assert_eq!(model.len(), row.values().count());
                for (model, value) in model.iter().zip(row.values()) {
                    prop_assert!(model.is(value), "{:?} was read as {:?}", model, value);
                }
            }
            prop_assert!(expected.next().is_none());
        }
    }

    #[test]
    fn any_bytes_are_rows_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = crate::read_bytes(&bytes);
    }

    #[test]
    fn any_pieces_of_sql_are_rows_or_an_error(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
    ) {
        let _ = crate::read(&pieces.concat());
    }
}

const PIECES: [&str; 40] = [
    "INSERT INTO t ",
    "(a,b) ",
    "VALUES ",
    "(1,'a')",
    ",",
    ";",
    "(",
    ")",
    "'",
    "\"",
    "`",
    "\\",
    "/*",
    "*/",
    "/*!40101 ",
    "--",
    "-- ",
    "#",
    "\n",
    " ",
    "CREATE TABLE t (a int)",
    "SET NAMES ",
    "sql_mode='ANSI,NO_BACKSLASH_ESCAPES'",
    "SET ",
    "DELIMITER ",
    "$$",
    "utf8",
    "NULL",
    "0x",
    "x'",
    "_binary ",
    ".",
    "1",
    "-",
    "e5",
    "@",
    "=",
    "USE ",
    "COMMIT",
    "START ",
];
