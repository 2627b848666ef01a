use std::fmt;

/// An order of a list, ascending unless it is [`descending`](Self::descending). The last of its
/// columns is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The name on the wire, without the direction.
    pub name: &'static str,
    pub columns: &'static [&'static str],
    pub is_descending: bool,
    pub(super) key: Key,
}

/// The values that an order compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Id,
    NumberThenId,
    /// Like `NumberThenId`, in digits only. A number that is too large is after every item.
    UnsignedThenId,
    Text,
}

impl Order {
    pub const fn by_id(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self::new(name, columns, Key::Id)
    }

    /// Equal numbers are ordered by id.
    pub const fn by_number(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self::new(name, columns, Key::NumberThenId)
    }

    /// By numbers that are never negative, then by id.
    pub const fn by_unsigned(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self::new(name, columns, Key::UnsignedThenId)
    }

    /// By text that is unique.
    pub const fn by_text(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self::new(name, columns, Key::Text)
    }

    const fn new(name: &'static str, columns: &'static [&'static str], key: Key) -> Self {
        Self {
            name,
            columns,
            is_descending: false,
            key,
        }
    }

    pub const fn descending(self) -> Self {
        Self {
            is_descending: true,
            ..self
        }
    }

    /// Returns `true` if both orders differ in their direction at most.
    pub fn is_like(self, other: Self) -> bool {
        self.name == other.name
    }

    /// Finds an order by its name, which has `-` in front for descending.
    pub(super) fn find(orders: &[Self], text: &str) -> Option<Self> {
        let name = text.strip_prefix('-').unwrap_or(text);
        let found = orders.iter().find(|order| order.name == name)?;
        Some(Self {
            is_descending: name != text,
            ..*found
        })
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_descending { "-" } else { "" };
        write!(f, "{sign}{}", self.name)
    }
}
