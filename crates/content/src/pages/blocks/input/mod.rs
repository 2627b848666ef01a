//! Request bodies of blocks. The rules of a block's content are in `content.rs`.

mod content;

pub use self::content::Content;
use kernel::input;
use kernel::input::{Int, List, Patch, Positive, Word};

/// The largest value of `order`.
pub const MAX_ORDER: i64 = 2_147_483_647;

type Order = Int<0, MAX_ORDER>;

input! {
    /// A block to add to a page.
    pub struct NewPageBlock {
        /// `text` and `image` have rules for their content; other types accept any.
        r#type: Word<50>,
        /// A string for `text`; an object with `url`, `alt`, `width` and `height` for `image`;
        /// any JSON for other types. At most 256 KiB.
        content: Content,
        /// Blocks are sorted by order, then by id. By default the block is added at the end.
        order: Option<Order>,
    }
}

input! {
    /// Changes to a block. Absent fields keep their value, which must be valid for a new type.
    pub struct PageBlockChanges {
        /// `text` and `image` have rules for their content; other types accept any.
        r#type: Patch<Word<50>>,
        /// A string for `text`; an object with `url`, `alt`, `width` and `height` for `image`;
        /// any JSON for other types. At most 256 KiB.
        content: Patch<Content>,
        /// Blocks are sorted by order, then by id.
        order: Patch<Order>,
    }
}

input! {
    /// A new order of the blocks of a page.
    pub struct PageBlockOrder {
        /// Each block at most once. Blocks that are not listed keep their order. If one
        /// is invalid, none is changed.
        items: List<PageBlockPlacement>,
    }
}

input! {
    /// The new order of one block.
    pub struct PageBlockPlacement {
        id: Positive,
        order: Order,
    }
}
