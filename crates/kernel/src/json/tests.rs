use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;

use super::to_vec;

#[derive(Serialize)]
struct Everything<'a> {
    flag: bool,
    nothing: Option<i64>,
    something: Option<&'a str>,
    unit: (),
    small: i8,
    large: u64,
    negative: i64,
    fraction: f64,
    letter: char,
    pair: (i32, &'a str),
    empty_list: [i64; 0],
    texts: Vec<&'a str>,
    numbers: BTreeMap<i64, bool>,
    names: BTreeMap<String, Vec<Shape>>,
    raw: Box<RawValue>,
    #[serde(flatten)]
    flat: Flat,
}

#[derive(Serialize)]
struct Flat {
    wrapped: Wrapped,
    marker: Marker,
}

#[derive(Serialize)]
struct Wrapped(u16);

#[derive(Serialize)]
struct Marker;

#[derive(Serialize)]
enum Shape {
    Point,
    Circle(f32),
    Line(i64, i64),
    Rectangle { width: i64 },
}

#[test]
fn every_type_of_serde_is_written_as_serde_json_writes_it() {
    let shapes = vec![
        Shape::Point,
        Shape::Circle(1.5),
        Shape::Line(-1, 2),
        Shape::Rectangle { width: 3 },
    ];
    let value = Everything {
        flag: true,
        nothing: None,
        something: Some("quoted \"text\"\\"),
        unit: (),
        small: i8::MIN,
        large: u64::MAX,
        negative: i64::MIN,
        fraction: 0.1,
        letter: '\u{1f600}',
        pair: (7, "\u{7f}\u{80}"),
        empty_list: [],
        texts: vec!["", "a\nb", "ключ"],
        numbers: BTreeMap::from([(-1, false), (20, true)]),
        names: BTreeMap::from([("\t".to_owned(), shapes)]),
        raw: RawValue::from_string("12.50".to_owned()).expect("a number"),
        flat: Flat {
            wrapped: Wrapped(9),
            marker: Marker,
        },
    };
    let written = to_vec(&value).expect("it serialises");
    let expected = serde_json::to_vec(&value).expect("it serialises");
    assert_eq!(String::from_utf8(written), String::from_utf8(expected));
}

#[test]
fn a_key_that_is_not_a_string_or_number_is_refused() {
    assert!(to_vec(&BTreeMap::from([([1, 2], 3)])).is_err());
    assert!(to_vec(&BTreeMap::from([(None::<i64>, 3)])).is_err());
}

#[test]
fn every_control_character_is_escaped_wherever_it_is() {
    for byte in 0..=0x80_u8 {
        for at in 0..20 {
            let mut text = "x".repeat(20);
            text.insert(at, char::from(byte));
            let expected = serde_json::to_vec(&text).expect("text serialises");
            assert_eq!(to_vec(&text).expect("text serialises"), expected);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_written_as_serde_json_writes_it(text in "\\PC*|[\\x00-\\x7f]*|.*") {
        prop_assert_eq!(to_vec(&text).unwrap(), serde_json::to_vec(&text).unwrap());
    }
}
