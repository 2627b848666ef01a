use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Key, Sort};
use crate::input::{Place, Positive, Raw, Rule, text};

/// An item of a list that can be ordered by `K`.
pub trait Sorted<K> {
    fn position(&self, by: K) -> Position;
}

/// The form of a [`Position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionKind {
    Id,
    /// Equal numbers are ordered by id.
    NumberThenId,
    /// The same with digits only. A number that is too large is after every item.
    UnsignedThenId,
    /// Unique.
    Text,
}

/// The values that an item is ordered by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    Id(i64),
    NumberThenId(i64, i64),
    Text(String),
}

impl Position {
    fn parse(kind: PositionKind, text: &str) -> Option<Self> {
        let pair = |parse: fn(&str) -> Option<i64>| {
            let (first, id) = text.split_once('.')?;
            Some(Self::NumberThenId(parse(first)?, parse(id)?))
        };
        match kind {
            PositionKind::Id => number(text).filter(|id| *id > 0).map(Self::Id),
            PositionKind::NumberThenId => pair(number),
            PositionKind::UnsignedThenId => pair(unsigned),
            PositionKind::Text => Some(Self::Text(text.to_owned())),
        }
    }

    /// Parameters for the columns of the order.
    pub fn values(&self) -> Vec<db::Value<'_>> {
        match self {
            Self::Id(id) => vec![(*id).into()],
            Self::NumberThenId(number, id) => vec![(*number).into(), (*id).into()],
            Self::Text(text) => vec![text.into()],
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::NumberThenId(number, id) => write!(f, "{number}.{id}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.parse().ok().filter(|_| is_digits(digits))
}

fn unsigned(text: &str) -> Option<i64> {
    is_digits(text).then(|| text.parse().unwrap_or(i64::MAX))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A position in a list, and the order it belongs to: `-created_at:1700000000.17`. The default
/// order is left out, so the cursor of a list by id is an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<K> {
    pub sort: Sort<K>,
    pub position: Position,
}

impl<K: Key> Cursor<K> {
    /// The order and the text of the position; no order if its name is unknown.
    fn split(text: &str) -> (Option<Sort<K>>, &str) {
        match text.split_once(':') {
            Some((sort, position)) if !K::ALL.is_empty() => (Sort::parse(sort), position),
            _ => (Some(K::DEFAULT), text),
        }
    }
}

impl<K: Key> fmt::Display for Cursor<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sort != K::DEFAULT {
            write!(f, "{}:", self.sort)?;
        }
        write!(f, "{}", self.position)
    }
}

impl<K: Key> Rule for Cursor<K> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        if K::DEFAULT.by.kind() == PositionKind::Id && !text.contains(':') {
            let Positive(id) = Positive::read(raw, place)?;
            return Some(Self {
                sort: K::DEFAULT,
                position: Position::Id(id),
            });
        }
        let (sort, position) = Self::split(&text);
        let cursor = sort.and_then(|sort| {
            let position = Position::parse(sort.by.kind(), position)?;
            Some(Self { sort, position })
        });
        if cursor.is_none() {
            place.add("must come from a Link header");
        }
        cursor
    }
}

impl<K: Key> JsonSchema for Cursor<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    // Without a pattern: to clients, a cursor is any text from a `Link` header.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{By, Fixed, parse};
    use super::*;

    #[test]
    fn a_cursor_is_parsed_as_it_is_written_with_its_order() {
        for (text, sort, position) in [
            ("17", "id", Position::Id(17)),
            ("-id:17", "-id", Position::Id(17)),
            ("age:30.17", "age", Position::NumberThenId(30, 17)),
            ("-age:-30.17", "-age", Position::NumberThenId(-30, 17)),
            ("name:a:b.c", "name", Position::Text("a:b.c".into())),
            ("-name:", "-name", Position::Text(String::new())),
        ] {
            let cursor: Cursor<By> = parse(text).expect(text);
            assert_eq!(
                (cursor.sort, &cursor.position),
                (parse(sort).expect(sort), &position)
            );
            assert_eq!(cursor.to_string(), text);
        }
        let named: Cursor<By> = parse("id:17").expect("the default may be named");
        assert_eq!(named.to_string(), "17");
        let largest: Cursor<By> = parse("99999999999999999999").expect("digits");
        assert_eq!(largest.position, Position::Id(i64::MAX));
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in [
            ":",
            "id:",
            "id:x",
            "id:+1",
            "id:0",
            "-id:-1",
            "age:1",
            "age:1.",
            "age:.1",
            "age:1.2.3",
            "age:+1.2",
            "age:1.-",
            "age:99999999999999999999.1",
            "size:1",
            "--id:1",
            "name :x",
        ] {
            let fault = parse::<Cursor<By>>(text).expect_err(text);
            assert!(fault.contains("must come from a Link header"), "{fault}");
        }
        for text in ["", "0", "-1", "x", "1.2"] {
            let fault = parse::<Cursor<By>>(text).expect_err(text);
            assert!(
                fault.contains("must be an integer of at least 1"),
                "{fault}"
            );
        }
    }

    #[test]
    fn the_cursor_of_a_fixed_order_is_its_position_alone() {
        let cursor: Cursor<Fixed> = parse("3.17").expect("a cursor");
        assert_eq!(cursor.position, Position::NumberThenId(3, 17));
        assert_eq!(cursor.to_string(), "3.17");
        for text in [
            "", ".", "3", "3.", ".3", "-1.2", "1.+2", "1.2.3", "a.b", "x:3.17",
        ] {
            let fault = parse::<Cursor<Fixed>>(text).expect_err(text);
            assert!(fault.contains("must come from a Link header"), "{fault}");
        }
    }

    #[test]
    fn an_unsigned_number_that_is_too_large_is_after_every_item() {
        let cursor: Cursor<Fixed> = parse("99999999999999999999.1").expect("digits");
        assert_eq!(cursor.position, Position::NumberThenId(i64::MAX, 1));
    }
}
