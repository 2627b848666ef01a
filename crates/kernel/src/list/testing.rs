//! Orders for the tests of this module.

use super::{Key, PositionKind, Sort};
use crate::input::{Faults, Raw, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Id,
    Age,
    Name,
}

impl Key for By {
    const ALL: &'static [(&'static str, Self)] =
        &[("id", Self::Id), ("age", Self::Age), ("name", Self::Name)];
    const DEFAULT: Sort<Self> = Sort::ascending(Self::Id);

    fn kind(self) -> PositionKind {
        match self {
            Self::Id => PositionKind::Id,
            Self::Age => PositionKind::NumberThenId,
            Self::Name => PositionKind::Text,
        }
    }
}

pub fn parse<T: Rule>(text: &str) -> Result<T, String> {
    let mut faults = Faults::default();
    let value = T::read(Raw::Query(text), &mut faults.at("field"));
    value.ok_or_else(|| serde_json::to_string(&faults).expect("faults are plain"))
}

/// An order that a client cannot choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed;

impl Key for Fixed {
    const ALL: &'static [(&'static str, Self)] = &[];
    const DEFAULT: Sort<Self> = Sort::ascending(Self);

    fn kind(self) -> PositionKind {
        PositionKind::UnsignedThenId
    }
}
