use std::fmt;

use super::Item;
use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, text};

/// A place in the list of items, which is ordered by position and then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub position: i64,
    pub id: i64,
}

impl Mark {
    /// Before every item.
    pub const START: Self = Self { position: 0, id: 0 };

    pub fn of(item: &Item) -> Self {
        Self {
            position: item.position,
            id: item.id,
        }
    }
}

/// As in `after=3.17`.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.position, self.id)
    }
}

impl Rule for Mark {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let mark = text.split_once('.').and_then(|(position, id)| {
            Some(Self {
                position: number(position)?,
                id: number(id)?,
            })
        });
        if mark.is_none() {
            place.add("must be a cursor out of a Link header");
        }
        mark
    }
}

/// What is too large stands behind every item, as the largest number does.
fn number(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(i64::MAX))
}

inline_schema!(Mark, { "type": "string", "pattern": "^[0-9]+\\.[0-9]+$" });

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::input::Faults;

    fn read(text: &str) -> Option<Mark> {
        Mark::read(Raw::Query(text), &mut Faults::default().at("after"))
    }

    #[test]
    fn a_mark_reads_as_it_is_written() {
        let mark = Mark {
            position: 3,
            id: 17,
        };
        assert_eq!(mark.to_string(), "3.17");
        assert_eq!(read("3.17"), Some(mark));
    }

    #[test]
    fn what_is_too_large_is_behind_everything() {
        let mark = read("99999999999999999999.1").expect("digits");
        assert_eq!(mark.position, i64::MAX);
    }

    #[test]
    fn anything_else_is_no_mark() {
        for text in ["", ".", "3", "3.", ".3", "-1.2", "1.+2", "1.2.3", "a.b"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
