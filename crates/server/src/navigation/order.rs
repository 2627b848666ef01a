use super::Item;
use kernel::list::{Key, Position, PositionKind, Sort, Sorted};

/// The one order of the list: by position, then by id. A cursor is written `3.17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemKey;

impl Key for ItemKey {
    const ALL: &'static [(&'static str, Self)] = &[];
    const DEFAULT: Sort<Self> = Sort::ascending(Self);

    fn kind(self) -> PositionKind {
        PositionKind::UnsignedThenId
    }
}

impl Sorted<ItemKey> for Item {
    fn position(&self, _: ItemKey) -> Position {
        Position::NumberThenId(self.position, self.id)
    }
}
