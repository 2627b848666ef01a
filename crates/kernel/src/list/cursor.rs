use std::fmt;

use super::order::Key;
use super::{ListSpec, Order};
use crate::input::{Fault, Place, Positive, Raw, Rule, text};

/// The values that determine the position of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    Id(i64),
    NumberThenId(i64, i64),
    Text(String),
}

impl Position {
    fn parse(key: Key, text: &str) -> Option<Self> {
        let pair = |parse: fn(&str) -> Option<i64>| {
            let (first, id) = text.split_once('.')?;
            Some(Self::NumberThenId(parse(first)?, parse(id)?))
        };
        match key {
            Key::Id => number(text).filter(|id| *id > 0).map(Self::Id),
            Key::NumberThenId => pair(number),
            Key::UnsignedThenId => pair(unsigned),
            Key::Text => Some(Self::Text(text.to_owned())),
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

/// A position in a list, and the order it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub order: Order,
    pub position: Position,
}

impl Cursor {
    /// Reads the parameter `after`.
    pub fn read(list: &ListSpec, raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_by_id = list.default_order.key == Key::Id;
        let by_id = |place: &mut Place<'_>| {
            let Positive(id) = Positive::read(raw, place)?;
            Some(Self {
                order: list.default_order,
                position: Position::Id(id),
            })
        };
        if is_by_id && list.orders.is_empty() {
            return by_id(place);
        }
        let text = text(raw, place)?;
        if is_by_id && !text.contains(':') {
            return by_id(place);
        }
        let cursor = Self::parse(list, &text);
        if cursor.is_none() {
            place.add(Fault::WrongCursor {});
        }
        cursor
    }

    fn parse(list: &ListSpec, text: &str) -> Option<Self> {
        let (order, position) = match text.split_once(':') {
            Some((order, position)) if !list.orders.is_empty() => {
                (Order::find(list.orders, order)?, position)
            }
            _ => (list.default_order, text),
        };
        let position = Position::parse(order.key, position)?;
        Some(Self { order, position })
    }

    /// The form on the wire: `-created_at:1700000000.17`. The default order is left out, so the
    /// cursor of a list by id is an id.
    pub fn to_text(&self, list: &ListSpec) -> String {
        match self.order == list.default_order {
            true => self.position.to_string(),
            false => format!("{}:{}", self.order, self.position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::tests::{LIST, parse};
    use super::*;

    /// An order that a client cannot choose.
    const FIXED: ListSpec = ListSpec {
        default_order: Order::by_unsigned("position", &["position", "id"]),
        ..ListSpec::PAGED
    };

    fn read(list: &ListSpec, text: &str) -> Result<Cursor, String> {
        parse(text, |raw, place| Cursor::read(list, raw, place))
    }

    #[test]
    fn a_cursor_is_parsed_as_it_is_written_with_its_order() {
        for (text, order, position) in [
            ("17", "id", Position::Id(17)),
            ("-id:17", "-id", Position::Id(17)),
            ("age:30.17", "age", Position::NumberThenId(30, 17)),
            ("-age:-30.17", "-age", Position::NumberThenId(-30, 17)),
            ("name:a:b.c", "name", Position::Text("a:b.c".into())),
            ("-name:", "-name", Position::Text(String::new())),
        ] {
            let cursor = read(&LIST, text).expect(text);
            assert_eq!(cursor.order.to_string(), order);
            assert_eq!(cursor.position, position);
            assert_eq!(cursor.to_text(&LIST), text);
        }
        let named = read(&LIST, "id:17").expect("the default may be named");
        assert_eq!(named.to_text(&LIST), "17");
        let largest = read(&LIST, "99999999999999999999").expect("digits");
        assert_eq!(largest.position, Position::Id(i64::MAX));
    }

    #[test]
    fn text_that_is_not_a_cursor_is_refused() {
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
            let fault = read(&LIST, text).expect_err(text);
            assert!(fault.contains("must come from a Link header"), "{fault}");
        }
        for text in ["", "0", "-1", "x", "1.2"] {
            let fault = read(&LIST, text).expect_err(text);
            assert!(
                fault.contains("must be an integer of at least 1"),
                "{fault}"
            );
        }
    }

    #[test]
    fn the_cursor_of_a_fixed_order_has_only_its_position() {
        let cursor = read(&FIXED, "3.17").expect("a cursor");
        assert_eq!(cursor.position, Position::NumberThenId(3, 17));
        assert_eq!(cursor.to_text(&FIXED), "3.17");
        for text in [
            "", ".", "3", "3.", ".3", "-1.2", "1.+2", "1.2.3", "a.b", "x:3.17",
        ] {
            let fault = read(&FIXED, text).expect_err(text);
            assert!(fault.contains("must come from a Link header"), "{fault}");
        }
    }

    #[test]
    fn an_unsigned_number_that_is_too_large_is_after_every_item() {
        let cursor = read(&FIXED, "99999999999999999999.1").expect("digits");
        assert_eq!(cursor.position, Position::NumberThenId(i64::MAX, 1));
    }
}
